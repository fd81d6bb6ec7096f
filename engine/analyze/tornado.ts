/** What the iteration is sensitive to, largest effect first: the rows that the terminal and the preview draw. */
import type { PipelinePlan } from '../values/plan.ts';
import type { SensitivityReport, SensitivityRow } from '../values/report.ts';
import { type SensitivityTarget, sensitivityTargets, stageOfDevice } from './sensitivity.ts';

/** A target with its effect, in seconds of the iteration. */
export interface TornadoRow extends SensitivityRow {
  readonly target: SensitivityTarget;
}

export interface Tornado {
  /** Largest effect first. */
  readonly rows: readonly TornadoRow[];
  /** How many others change the iteration by less than `negligible`. */
  readonly folded: number;
}

/** Share of the iteration under which an effect is not drawn. */
export const negligible = 0.001;

/** What has rows: a device that runs one stage alone has the row of the stage. */
export const tornadoTargets = (plan: PipelinePlan): readonly SensitivityTarget[] =>
  sensitivityTargets(plan).filter(
    (target) => target.kind !== 'device' || stageOfDevice(plan, target.index) === undefined,
  );

/** Rows of `tornadoTargets` in order of their effect. `iteration`: seconds. */
export function tornadoOf(rows: readonly TornadoRow[], iteration: number): Tornado {
  const shown = rows.filter((row) => effectOf(row) >= negligible * iteration);
  return { rows: shown.toSorted((a, b) => effectOf(b) - effectOf(a)), folded: rows.length - shown.length };
}

/** The rows of a report. */
export function tornadoRows(
  plan: PipelinePlan,
  { stages, devices, links }: Pick<SensitivityReport, 'stages' | 'devices' | 'links'>,
): readonly TornadoRow[] {
  const all = [...stages, ...devices, ...links];
  const wanted = new Set(tornadoTargets(plan).map(keyOf));
  return sensitivityTargets(plan).flatMap((target, at) => (wanted.has(keyOf(target)) ? [{ ...all[at], target }] : []));
}

/** A text for each target. */
export const keyOf = (target: SensitivityTarget): string =>
  target.kind === 'link' ? `link ${target.between.join(' ')}` : `${target.kind} ${target.index}`;

/** Seconds of the larger of the two changes, whether longer or shorter. */
export const effectOf = ({ slower, faster }: Pick<SensitivityRow, 'slower' | 'faster'>): number =>
  Math.max(Math.abs(slower), Math.abs(faster));
