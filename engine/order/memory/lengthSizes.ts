/** Bytes by microbatch that a device holds, where microbatches have different lengths. */
import { kindOfMicrobatch } from '../../basics/lengths.ts';
import type { LengthStage, PipelinePlan } from '../../values/plan.ts';

/** By stage of the device × kinds of microbatches + kind, whole bytes: sums of these are exact, so that nothing drifts. */
export interface LengthSizes {
  readonly kinds: number;
  /** Kind of each microbatch of the program. */
  readonly kindOf: Int32Array;
  readonly activation: Float64Array;
  readonly activationForWeight: Float64Array;
  readonly recomputed: Float64Array;
  readonly recomputedWhole: Float64Array;
  readonly workspace: Float64Array;
}

/** Bytes that a device holds, by stage of the device. */
export interface HeldBytes {
  readonly kept: Float64Array;
  readonly keptForWeight: Float64Array;
  readonly again: Float64Array;
}

/** Undefined where all microbatches are alike. */
export function lengthSizes(
  { lengths }: Pick<PipelinePlan, 'lengths'>,
  microbatches: number,
  local: readonly number[],
): (LengthSizes & HeldBytes) | undefined {
  if (lengths === undefined) return undefined;
  const { kinds } = lengths;
  const sizes = (bytes: (stage: LengthStage) => number): Float64Array =>
    Float64Array.from(local.flatMap((stage) => kinds.map(({ stages }) => Math.round(bytes(stages[stage])))));
  return {
    kinds: kinds.length,
    kindOf: Int32Array.from({ length: microbatches }, (_, microbatch) => kindOfMicrobatch(lengths, microbatch)),
    activation: sizes(({ activation }) => activation),
    activationForWeight: sizes(({ activationForWeight }) => activationForWeight),
    recomputed: sizes(({ recomputed }) => recomputed),
    recomputedWhole: sizes(({ recomputedWhole, recomputed }) => recomputedWhole ?? recomputed),
    workspace: sizes(({ workspace }) => workspace),
    kept: new Float64Array(local.length),
    keptForWeight: new Float64Array(local.length),
    again: new Float64Array(local.length),
  };
}
