import type { PipelinePlan } from '../values/plan.ts';
import { operationFactors } from '../order/operationFactors.ts';
import { type Dependencies, resultKinds } from '../order/dependencies.ts';
import { B, type DeclaredOperations, E, F, I, kinds, L, R, resultRow, W } from '../values/program.ts';
import { type TransferTime, transferTimes } from '../policies/shape.ts';
import { type WholeTicks, wholeTicks } from '../order/wholeTicks.ts';

/**
 * Times of a plan. The input gradient's time is for I if the backward is split, otherwise for B. It excludes recomputation on
 * stages where that is a separate operation (`apart`). `copies`: seconds of each copy of what is evicted and loaded back, by stage.
 */
export function ticksOf(
  plan: PipelinePlan,
  dependencies: Dependencies,
  split: boolean,
  apart?: Uint8Array,
  declared?: Pick<DeclaredOperations, 'time' | 'factors'>,
  copies?: { readonly out: readonly number[]; readonly back: readonly number[] },
): WholeTicks {
  const stages = plan.stages.length;
  const duration = new Float64Array(Math.max(resultKinds * stages, dependencies.offsets.length - 1));
  for (const [index, stage] of plan.stages.entries()) {
    const input = (apart?.[index] === 1 ? 0 : stage.recompute) + stage.backwardInput;
    if (apart?.[index] === 1) duration[resultRow(stages, R, index)] = stage.recompute;
    duration[index] = stage.forward;
    duration[stages + index] = split ? input : input + stage.backwardWeight;
    duration[2 * stages + index] = split ? stage.backwardWeight : 0;
    if (copies === undefined) continue;
    duration[resultRow(stages, E, index)] = copies.out[index];
    duration[resultRow(stages, L, index)] = copies.back[index];
  }
  // Results of declared operations come last.
  if (declared !== undefined) duration.set(declared.time, resultRow(stages, kinds, 0));
  const single = singleDurations(plan, duration, split, apart, declared);
  return wholeTicks(duration, transfers(plan, dependencies, transferTimes(plan)), plan.microbatches, single);
}

/** By result row × microbatches + microbatch; undefined if all operations of a row take the same. */
function singleDurations(
  plan: PipelinePlan,
  duration: Float64Array,
  split: boolean,
  apart: Uint8Array | undefined,
  declared: Pick<DeclaredOperations, 'factors'> | undefined,
): Float64Array | undefined {
  const { microbatches } = plan;
  const written = operationFactors(plan, apart);
  if (written === undefined && declared?.factors === undefined) return undefined;
  const stages = plan.stages.length;
  const single = new Float64Array(duration.length * microbatches);
  for (let row = 0; row < duration.length; row += 1) {
    const kind = [F, split ? I : B, W, R].at(Math.trunc(row / stages));
    const factors =
      kind === undefined ? declared?.factors?.get(row - resultRow(stages, kinds, 0)) : written?.(kind, row % stages);
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
      single[row * microbatches + microbatch] = duration[row] * (factors?.[microbatch] ?? 1);
  }
  return single;
}

function transfers(
  plan: PipelinePlan,
  { offsets, needs, edge, needBytes }: Dependencies,
  time: TransferTime,
): Float64Array {
  const stages = plan.stages.length;
  const result = new Float64Array(needs.length);
  for (let row = 0; row < offsets.length - 1; row += 1) {
    for (let need = offsets[row]; need < offsets[row + 1]; need += 1) {
      const [from, to] = [plan.placement[needs[need] % stages], plan.placement[row % stages]];
      const sent = needBytes?.[need] ?? NaN;
      if (sent >= 0 && from !== to) result[need] = time(from, to, sent);
      if (edge[need] < 0) continue;
      const { bytes, back = bytes } = plan.edges[edge[need]];
      result[need] = time(from, to, row < stages ? bytes : back);
    }
  }
  return result;
}
