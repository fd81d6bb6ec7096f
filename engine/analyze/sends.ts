/** Stages whose layers pass nothing on. */
import type { PipelinePlan } from '../values/plan.ts';

/** Stages that send 0 bytes to a stage of another device, and to whom; measured layers say no more than what the file writes. */
export const silentEdges = ({
  edges,
  placement,
  stages,
  unitTimes,
}: PipelinePlan): readonly { readonly from: string; readonly to: string }[] =>
  unitTimes === true
    ? []
    : edges
        .filter(({ from, to, bytes }) => bytes === 0 && placement[from] !== placement[to])
        .map(({ from, to }) => ({ from: stages[from].name, to: stages[to].name }));
