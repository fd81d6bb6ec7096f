import type { Run, Evaluation } from '../schedule/evaluation.ts';
import type { Analysis } from '../flow/check.ts';
import { parametersOf } from '../findings/finding.ts';
import { type Again, apply, type Edit } from './proposal.ts';

/** A pipeline of an analysis that was simulated. */
export type Simulated = Evaluation & { readonly run: Run };

export function simulated(analysis: Analysis, pipeline: string): Simulated | undefined {
  const found = analysis.pipelines.find(({ plan }) => plan.name === pipeline);
  return found?.run === undefined ? undefined : { ...found, run: found.run };
}

/** The file after the edits; undefined where they bring in an error, or fill one more device than before. */
export function tried(analysis: Analysis, edits: readonly Edit[], again: Again): Analysis | undefined {
  const after = again(apply(analysis.syntax.text, edits));
  return noNewError(analysis, after) ? after : undefined;
}

/**
 * Whether a changed file has no more errors of any code than before, and meets every expectation that it met. Devices over their memory are compared by name: findings at
 * one place may stand for several. `mayOverfill`: devices may be over their memory that were not.
 */
export function noNewError(before: Analysis, after: Analysis, mayOverfill = false): boolean {
  const known = errorsByCode(before);
  for (const [code, errors] of errorsByCode(after)) if (errors > (known.get(code) ?? 0)) return false;
  if (mayOverfill) return true;
  const full = overfull(before);
  return [...overfull(after)].every((device) => full.has(device));
}

function errorsByCode({ findings }: Analysis): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  for (const finding of findings) {
    if (finding.severity !== 'error' || finding.code === 'memory/out-of-memory') continue;
    const key = `${finding.code} ${parametersOf(finding, 'expect/failed')?.text ?? ''}`;
    out.set(key, (out.get(key) ?? 0) + 1);
  }
  return out;
}

const overfull = ({ pipelines }: Analysis): ReadonlySet<string> =>
  new Set(
    pipelines.flatMap(({ plan, run }) =>
      (run?.report.devices ?? []).flatMap(({ name, peak, capacity }) =>
        peak > capacity ? [`${plan.name} ${name}`] : [],
      ),
    ),
  );

/** Whether the device with this name is within its memory. */
export function fits(outcome: Simulated, device: string): boolean {
  const report = outcome.run.report.devices.find(({ name }) => name === device);
  return report !== undefined && report.peak <= report.capacity;
}
