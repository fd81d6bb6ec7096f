/** What each kind of microbatch takes, where microbatches have different lengths. */
import type { EdgePlan, LengthStage, LengthsPlan, StagePlan } from '../../values/plan.ts';
import type { LengthKinds } from './layerCosts.ts';

/** Stages and edges of a plan in which every microbatch is of one kind. */
export interface KindPlan {
  readonly stages: readonly StagePlan[];
  readonly edges: readonly EdgePlan[];
}

export function lengthsPlan(
  { tokens, documents, kindOf }: LengthKinds,
  sequence: number,
  parts: number,
  plans: readonly KindPlan[],
): LengthsPlan {
  return {
    tokens,
    ...(documents === undefined ? {} : { documents }),
    sequence,
    // Parts of a microbatch follow each other.
    kindOf: parts === 1 ? kindOf : kindOf.flatMap((kind) => new Array<number>(parts).fill(kind)),
    kinds: plans.map(({ stages, edges }) => ({
      stages: stages.map(figuresOf),
      edges: edges.map(({ bytes, back }) => (back === undefined ? { bytes } : { bytes, back })),
    })),
  };
}

const figuresOf = (stage: StagePlan): LengthStage => ({
  forward: stage.forward,
  backwardInput: stage.backwardInput,
  backwardWeight: stage.backwardWeight,
  recompute: stage.recompute,
  forwardFlops: stage.forwardFlops,
  ...(stage.spareFlops === undefined ? {} : { spareFlops: stage.spareFlops }),
  ...(stage.backwardFlops === undefined ? {} : { backwardFlops: stage.backwardFlops }),
  activation: stage.activation,
  activationForWeight: stage.activationForWeight,
  recomputed: stage.recomputed,
  ...(stage.recomputedWhole === undefined ? {} : { recomputedWhole: stage.recomputedWhole }),
  workspace: stage.workspace,
});

/** The means, with room for the largest microbatch in what is there at most once. The workspace of a mean is the largest already. */
export const withLargest = (mean: StagePlan, stage: number, plans: readonly KindPlan[]): StagePlan => {
  const most = (figure: 'recomputed' | 'buffers') =>
    plans.reduce((largest, plan) => Math.max(largest, plan.stages[stage][figure]), 0);
  const whole = plans.reduce(
    (largest, { stages }) => Math.max(largest, stages[stage].recomputedWhole ?? stages[stage].recomputed),
    0,
  );
  const recomputed = most('recomputed');
  return {
    ...mean,
    recomputed,
    ...(whole === recomputed ? {} : { recomputedWhole: whole }),
    buffers: most('buffers'),
  };
};
