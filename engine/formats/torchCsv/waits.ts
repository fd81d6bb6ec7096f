import type { ComputeAction } from './table.ts';

/**
 * Results as numbers, for tables of one chain of stages: the output of F, the gradient of the input (of B or of I), the gradient
 * of the weights (of W). Between 0 and 3 · stages · microbatches.
 */
export function resultKey(action: ComputeAction, stages: number, microbatches: number): number {
  const kind = action.type === 'F' ? 0 : action.type === 'W' ? 2 : 1;
  return (kind * stages + action.stage) * microbatches + action.microbatch;
}

/** Result of a neighbouring stage that an action needs; −1 for none. What it needs of its stage is before it in its row. */
export function neededKey(action: ComputeAction, stages: number, microbatches: number): number {
  const { stage, type, microbatch } = action;
  if (type === 'F' && stage > 0) return (stage - 1) * microbatches + microbatch;
  if ((type === 'B' || type === 'I') && stage < stages - 1) return (stages + stage + 1) * microbatches + microbatch;
  return -1;
}
