/** Updates of copies of a stage: each exchanges its gradients with the others when the last microbatch of an iteration has ended there. */
import {
  B,
  I,
  kindOfRow,
  microbatchOf,
  type Program,
  rowOf,
  runsMicrobatch,
  U,
  W,
  weightsStage,
} from '../values/program.ts';

/** The last microbatch of an iteration that a stage or copy runs; −1 if it runs none. */
export function lastOfIteration(program: Program, stage: number, iteration: number): number {
  const { minibatch = 1, microbatches, copies } = program;
  const every = copies?.every[stage] ?? 1;
  const end = Math.min(microbatches, (iteration + 1) * minibatch);
  for (let last = end - 1; last >= Math.max(iteration * minibatch, end - every); last -= 1)
    if (runsMicrobatch(program, stage, last)) return last;
  return -1;
}

/**
 * Positions of updates of copies that come too early. Their microbatch is not the last one of the iteration there, or its backward is
 * not the last one before the update. The other copies would wait for gradients that are not complete. Linear in the operations.
 */
export function earlyUpdates(program: Program): readonly number[] {
  const { copies, weights, minibatch = 1, microbatches, stages, order } = program;
  if (copies === undefined || weights === undefined || weights === 'flush') return [];
  const iterations = Math.ceil(microbatches / minibatch);
  // Microbatch of the last input gradient, and of the last weight gradient, by stage and iteration; then the update's position.
  const inputs = new Int32Array(stages * iterations).fill(-1);
  const weightGradients = new Int32Array(stages * iterations).fill(-1);
  const updates = new Int32Array(stages * iterations).fill(-1);
  const early = new Set<number>();
  for (const [position, word] of order.entries()) {
    const row = rowOf(program, word);
    const kind = kindOfRow(stages, row);
    const microbatch = microbatchOf(program, word);
    const at = weightsStage(program, row % stages) * iterations + Math.trunc(microbatch / minibatch);
    if (kind === U) updates[at] = position;
    else if (kind === B || kind === I || kind === W) {
      (kind === W ? weightGradients : inputs)[at] = microbatch;
      if (updates[at] >= 0) early.add(updates[at]);
    }
  }
  for (const [at, position] of updates.entries()) {
    if (position < 0) continue;
    const last = lastOfIteration(program, Math.trunc(at / iterations), at % iterations);
    const ends = weightGradients[at] < 0 || weightGradients[at] === last;
    if (microbatchOf(program, order[position]) !== last || inputs[at] !== last || !ends) early.add(position);
  }
  return [...early].sort((a, b) => a - b);
}
