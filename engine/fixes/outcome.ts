import type { Run, Evaluation } from '../schedule/evaluation.ts';
import type { Analysis } from '../flow/check.ts';
import { type Finding, parametersOf } from '../findings/finding.ts';
import { type Figures, figuresOf } from './effect.ts';
import { type Again, apply, type Edit } from './proposal.ts';

/** A pipeline of an analysis that was simulated. */
export type Simulated = Evaluation & { readonly run: Run };

export function simulated(analysis: Analysis, pipeline: string): Simulated | undefined {
  const found = analysis.pipelines.find(({ plan }) => plan.name === pipeline);
  return found?.run === undefined ? undefined : { ...found, run: found.run };
}

/** Figures of a pipeline in a checked file, which knows the margin of `memory/headroom`. `device`: as in `figuresOf`. */
export function figuresIn({ findings }: Analysis, { plan: { name }, run }: Simulated, device?: string): Figures {
  const left = findings
    .filter(({ hint }) => hint?.kind === 'recompute' && hint.pipeline === name)
    .map((finding) => parametersOf(finding, 'memory/headroom')?.left)
    .find((bytes) => bytes !== undefined);
  return { ...figuresOf(run.report, device), ...(left === undefined ? {} : { left }) };
}

/** The file after the edits; undefined where they bring in an error, or fill one more device than before. */
export function tried(analysis: Analysis, edits: readonly Edit[], again: Again): Analysis | undefined {
  const after = again(apply(analysis.syntax.text, edits));
  return noNewError(analysis, after) ? after : undefined;
}

/** What a change may do that is an error all the same. */
export interface Tolerance {
  /** Devices may be over their memory that were not. */
  readonly mayOverfill?: boolean | undefined;
  /** Expectations with `==` may fail that held: any change of the figure breaks them. */
  readonly mayBreak?: boolean;
}

/**
 * Whether a changed file has no more errors of any code than before, and meets every expectation that it met. Devices over their memory are compared by name: findings at
 * one place may stand for several.
 */
export function noNewError(before: Analysis, after: Analysis, { mayOverfill, mayBreak }: Tolerance = {}): boolean {
  if (newRefusal(before, after)) return false;
  if (newErrors(before, after).some((finding) => mayBreak !== true || !holdsFigure(finding))) return false;
  if (mayOverfill === true) return true;
  const full = overfull(before);
  return [...overfull(after)].every((device) => full.has(device));
}

/** Expectations with `==` that the changed file breaks, as they are written. */
export const brokenFigures = (before: Analysis, after: Analysis): readonly string[] => [
  ...new Set(
    newErrors(before, after).flatMap((finding) =>
      holdsFigure(finding) ? [parametersOf(finding, 'expect/failed')?.text ?? ''] : [],
    ),
  ),
];

/** An expectation of a pipeline that states its figure. */
const holdsFigure = ({ hint }: Finding): boolean => hint?.kind === 'tune' && hint.expect?.operator === '==';

/** Whether the engine that a file names refuses something that it did not refuse before. */
function newRefusal(before: Analysis, after: Analysis): boolean {
  const known = new Set(refusals(before));
  return refusals(after).some((reason) => !known.has(reason));
}

/** Why it refuses something, without the nearest that it runs: that has all arguments of the value. */
const refusals = ({ findings }: Analysis): readonly string[] =>
  findings.flatMap((finding) =>
    (parametersOf(finding, 'engine/unsupported')?.refusals ?? []).map(({ reason }) => reason),
  );

/** Errors of a code, or of one expectation, beyond those that the file has already. */
function newErrors(before: Analysis, after: Analysis): readonly Finding[] {
  const known = new Map<string, number>();
  for (const finding of errors(before)) known.set(kindOf(finding), (known.get(kindOf(finding)) ?? 0) + 1);
  return errors(after).filter((finding) => {
    const left = known.get(kindOf(finding)) ?? 0;
    known.set(kindOf(finding), left - 1);
    return left <= 0;
  });
}

const errors = ({ findings }: Analysis): readonly Finding[] =>
  findings.filter(({ severity, code }) => severity === 'error' && code !== 'memory/out-of-memory');

const kindOf = (finding: Finding): string => `${finding.code} ${parametersOf(finding, 'expect/failed')?.text ?? ''}`;

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
