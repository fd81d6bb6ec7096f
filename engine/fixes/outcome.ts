import type { Run, Evaluation } from '../evaluation.ts';
import type { Analysis } from '../check.ts';
import { bytes, share } from '../quantities.ts';
import { type Again, apply, type Edit } from './proposal.ts';

/** A pipeline of an analysis that was simulated. */
export type Simulated = Evaluation & { readonly run: Run };

export function simulated(analysis: Analysis, pipeline: string): Simulated | undefined {
  const found = analysis.pipelines.find(({ plan }) => plan.name === pipeline);
  return found?.run === undefined ? undefined : { ...found, run: found.run };
}

/** The file after the edits; nothing where they bring in an error, or fill one more device than before. */
export function tried(analysis: Analysis, edits: readonly Edit[], again: Again): Analysis | undefined {
  const after = again(apply(analysis.syntax.text, edits));
  return errors(after) > errors(analysis) || overfull(after) > overfull(analysis) ? undefined : after;
}

// Devices over their memory are counted by device: findings at one place may stand for several.
const errors = (analysis: Analysis): number =>
  analysis.findings.filter(({ severity, code }) => severity === 'error' && code !== 'memory/out-of-memory').length;

const overfull = (analysis: Analysis): number =>
  analysis.pipelines.reduce(
    (sum, { run }) => sum + (run?.report.devices.filter(({ peak, capacity }) => peak > capacity).length ?? 0),
    0,
  );

/** `iteration +9 %`, `same iteration`. */
export function iterationChange(before: Simulated, after: Simulated): string {
  const change = relativeIteration(before, after);
  return Math.abs(change) < 0.0005 ? 'same iteration' : `iteration ${share(change, true)}`;
}

/** Change of the iteration as a share of what it was. */
export const relativeIteration = (before: Simulated, after: Simulated): number =>
  before.run.report.iteration > 0 ? after.run.report.iteration / before.run.report.iteration - 1 : 0;

/** Whether a device's peak is within its memory. */
export function fits(outcome: Simulated, device: number): boolean {
  const report = outcome.run.report.devices[device];
  return report !== undefined && report.peak <= report.capacity;
}

/** `13.1 GiB, iteration +9 %`: peak of a device after a change, and what the change costs. */
export const memoryEffect = (before: Simulated, after: Simulated, device: number): string =>
  `${bytes(after.run.report.devices[device]?.peak ?? 0)}, ${iterationChange(before, after)}`;
