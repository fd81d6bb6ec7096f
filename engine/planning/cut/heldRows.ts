/** What a device holds under a schedule, as multiples of what its stages cost: counted once, good for every cut. */
import { walkMemory } from '../../order/memory/walk.ts';
import type { Program } from '../../values/program.ts';
import type { PipelinePlan, StagePlan } from '../../values/plan.ts';
import { copyPlan } from '../place/copies.ts';

export type HeldFigure = 'activation' | 'activationForWeight' | 'recomputed' | 'recomputedWhole' | 'workspace';

/** Figures of a whole stage that come and go while a pipeline runs, in the order of a row's columns. */
export const heldFigures: readonly HeldFigure[] = [
  'activation',
  'activationForWeight',
  'recomputed',
  'recomputedWhole',
  'workspace',
];

/**
 * At any time the device holds, for its stages together, the sum of one row's entries times their figures. Column `figures.length
 * · k + f` is figure f of the k-th of `stages` (numbers of the cut). Rows that others exceed in every column are left out. Pauses
 * after each entry.
 */
export function* heldRows(
  plan: PipelinePlan,
  program: Program,
  device: number,
  stages: readonly number[],
  parts: number,
  figures: readonly HeldFigure[],
): Generator<void, readonly Float64Array[], void> {
  const width = stages.length * figures.length;
  const rows: Float64Array[] = [];
  for (const [index, stage] of stages.entries()) {
    for (const [figure, name] of figures.entries()) {
      const unit = {
        ...plan,
        stages: plan.stages.map((stagePlan, at) =>
          unitStage(stagePlan, stagePlan.copy?.stage ?? at, stage, name, parts),
        ),
      };
      const column = index * figures.length + figure;
      let slot = 0;
      walkMemory(unit, program, device, (_position, _width, bytes) => {
        (rows[slot] ??= new Float64Array(width))[column] = bytes;
        slot += 1;
      });
      yield;
    }
  }
  return highest(rows);
}

/** A stage that costs 1 of one figure, or nothing where it is no copy or part of `wanted`. */
function unitStage(stage: StagePlan, number: number, wanted: number, figure: HeldFigure, parts: number): StagePlan {
  const none = { activation: 0, activationForWeight: 0, recomputed: 0, recomputedWhole: 0, workspace: 0 };
  return copyPlan({ ...stage, ...none, [figure]: number === wanted ? 1 : 0 }, stage.copy, parts, 1);
}

/** Rows without those that another one reaches in all columns. */
function highest(rows: readonly Float64Array[]): readonly Float64Array[] {
  const distinct = [...new Map(rows.map((row) => [row.join(), row])).values()];
  // The sum of a row that reaches another one is no less.
  const sums = new Map(distinct.map((row) => [row, row.reduce((sum, value) => sum + value, 0)]));
  const kept: Float64Array[] = [];
  for (const row of distinct.toSorted((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0))) {
    if (!kept.some((other) => row.every((value, column) => value <= other[column]))) kept.push(row);
  }
  return kept;
}
