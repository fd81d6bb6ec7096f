/** Bytes of one microbatch of a stage. */
import { kindOfMicrobatch } from '../../basics/lengths.ts';
import type { LengthStage, PipelinePlan, StagePlan } from '../../values/plan.ts';

export interface Sizes {
  readonly activation: number;
  readonly activationForWeight: number;
  readonly recomputed: number;
  readonly recomputedWhole: number;
  readonly workspace: number;
}

const sizesOf = ({ recomputed, ...rest }: StagePlan | LengthStage): Sizes => ({
  activation: rest.activation,
  activationForWeight: rest.activationForWeight,
  recomputed,
  recomputedWhole: rest.recomputedWhole ?? recomputed,
  workspace: rest.workspace,
});

const rounded = (sizes: Sizes): Sizes => ({
  activation: Math.round(sizes.activation),
  activationForWeight: Math.round(sizes.activationForWeight),
  recomputed: Math.round(sizes.recomputed),
  recomputedWhole: Math.round(sizes.recomputedWhole),
  workspace: Math.round(sizes.workspace),
});

/** Sizes of a stage, one for each kind of microbatch: whole bytes if these have different lengths. */
export const sizesOfStage = ({ stages, lengths }: PipelinePlan, stage: number): readonly Sizes[] =>
  lengths === undefined ? [sizesOf(stages[stage])] : lengths.kinds.map((kind) => rounded(sizesOf(kind.stages[stage])));

/** Kind of each microbatch of a program; undefined where all are alike. */
export const kindsOfMicrobatches = ({ lengths }: PipelinePlan, microbatches: number): Int32Array | undefined =>
  lengths === undefined
    ? undefined
    : Int32Array.from({ length: microbatches }, (_, microbatch) => kindOfMicrobatch(lengths, microbatch));
