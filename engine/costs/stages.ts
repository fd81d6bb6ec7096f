/** Stages as a file cuts them, where the plan has copies or parts of them. */
import { sumTraffic } from './collectives.ts';
import { addParts } from './layerPart.ts';
import type { PipelinePlan, StagePlan } from '../values/plan.ts';

/** Number in the cut of a stage of the plan: its copies and parts share it. */
export const stageNumber = ({ stages }: Pick<PipelinePlan, 'stages'>, index: number): number =>
  stages[index]?.copy?.stage ?? index;

/** Name in the file of a stage of the plan: copies are numbered behind it (`first[1]`). */
export const stageName = ({ name, copy }: Pick<StagePlan, 'name' | 'copy'>): string =>
  copy === undefined ? name : name.replace(/\[\d+\]$/, '');

/** The stages of the cut in order, each as the first of its copies or parts. */
export function cutStages({
  stages,
}: Pick<PipelinePlan, 'stages'>): readonly { readonly index: number; readonly plan: StagePlan }[] {
  const cut: { readonly index: number; readonly plan: StagePlan }[] = [];
  for (const [index, stage] of stages.entries()) cut[stage.copy?.stage ?? index] ??= { index, plan: stage };
  return cut;
}

/** The stages of the cut: of several copies the first, of segments of the sequence all together. */
export function wholeStages(plan: Pick<PipelinePlan, 'stages'>): ReturnType<typeof cutStages> {
  const cut = [...cutStages(plan)];
  for (const stage of plan.stages) {
    if (stage.copy === undefined || (stage.copy.segment ?? 0) === 0) continue;
    const { index, plan: sum } = cut[stage.copy.stage];
    cut[stage.copy.stage] = { index, plan: mergeSegments(sum, stage) };
  }
  return cut;
}

/** Costs and kept bytes are the sums of two segments. The rest comes from the first segment, which holds the weights. */
const mergeSegments = (first: StagePlan, next: StagePlan): StagePlan => ({
  ...first,
  forward: first.forward + next.forward,
  backwardInput: first.backwardInput + next.backwardInput,
  backwardWeight: first.backwardWeight + next.backwardWeight,
  recompute: first.recompute + next.recompute,
  forwardFlops: first.forwardFlops + next.forwardFlops,
  activation: first.activation + next.activation,
  activationForWeight: first.activationForWeight + next.activationForWeight,
  ...(first.activationParts === undefined || next.activationParts === undefined
    ? {}
    : { activationParts: addParts(first.activationParts, next.activationParts) }),
  ...(first.traffic === undefined || next.traffic === undefined
    ? {}
    : { traffic: sumTraffic([first.traffic, next.traffic]) }),
});
