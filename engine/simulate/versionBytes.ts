import type { PipelinePlan } from '../values/plan.ts';
import { type Program, stageOf, weightsStage } from '../values/program.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import { versionsOf } from './versions.ts';

/** Bytes of weights beyond the newest version of each stage, on one device. */
export interface VersionBytes {
  /** While the operation at a position of the device runs. */
  during(position: number): number;
  /** From its end on. */
  after(position: number): number;
}

/**
 * Older versions that operations of the device are still to use, and the copies that the rule keeps; weights only, for gradients
 * and optimizer state are there once. Undefined where all microbatches use the same weights. Linear in the device's operations.
 */
export function versionBytes(plan: PipelinePlan, program: Program, device: number): VersionBytes | undefined {
  const versions = versionsOf(program);
  if (versions === undefined) return undefined;
  const { offsets, order, stages, placement, fused } = program;
  const from = offsets[device];
  const length = offsets[device + 1] - from;
  const local = stagesOn(placement, device);
  const held = new Int32Array(stages).fill(1);
  const level = () =>
    local.reduce((sum, stage) => sum + (held[stage] - 1 + versions.copies) * plan.stages[stage].weights, 0);
  const during = new Float64Array(length);
  const after = new Float64Array(length);
  for (let at = 0; at < length;) {
    const width = fused !== undefined && fused[from + at] === 1 ? 2 : 1;
    for (let item = at; item < at + width; item += 1) {
      const stage = weightsStage(program, stageOf(program, order[from + item]));
      held[stage] = item === at ? versions.during[from + item] : Math.max(held[stage], versions.during[from + item]);
    }
    during.fill(level(), at, at + width);
    for (let item = at; item < at + width; item += 1)
      held[weightsStage(program, stageOf(program, order[from + item]))] = versions.after[from + item];
    after.fill(level(), at, at + width);
    at += width;
  }
  return { during: (position) => during[position - from], after: (position) => after[position - from] };
}
