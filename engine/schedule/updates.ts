import {
  F,
  kindOfRow,
  microbatchOf,
  type Program,
  rowOf,
  stageOf,
  U,
  W,
  type WeightRule,
  weightsStage,
} from '../values/program.ts';

/**
 * An order of forwards and backwards, with an update of each stage after the last backward of every minibatch there. This makes
 * an order of back-to-back iterations asynchronous. Parts of a sequence are updated together. Linear in the operations.
 */
export function withUpdates(program: Program, weights: WeightRule, minibatch: number): Program {
  const { devices, stages, microbatches, shift, order, offsets, items, fused } = program;
  const minibatches = Math.ceil(microbatches / minibatch);
  // Operations of each stage and minibatch that its update waits for: all but the forwards.
  const left = new Int32Array(stages * minibatches);
  const slotOf = (word: number): number => {
    const row = rowOf(program, word);
    const kind = kindOfRow(stages, row);
    return kind === F || kind > W
      ? -1
      : weightsStage(program, row - kind * stages) * minibatches + Math.trunc(microbatchOf(program, word) / minibatch);
  };
  for (const word of order) {
    const slot = slotOf(word);
    if (slot >= 0) left[slot] += 1;
  }
  const updates = left.reduce((sum, value) => sum + Number(value > 0), 0);
  const found = new Int32Array(order.length + updates);
  const foundItems = items === undefined ? undefined : new Int32Array(found.length);
  const foundFused = fused === undefined ? undefined : new Uint8Array(found.length);
  const starts = new Int32Array(devices + 1);
  let at = 0;
  const due: number[] = [];
  const add = (word: number, position: number): void => {
    found[at] = word;
    if (foundItems !== undefined && items !== undefined) foundItems[at] = items[position];
    at += 1;
  };
  for (let device = 0; device < devices; device += 1) {
    for (let position = offsets[device]; position < offsets[device + 1]; position += 1) {
      const word = order[position];
      add(word, position);
      if (foundFused !== undefined && fused !== undefined) foundFused[at - 1] = fused[position];
      const slot = slotOf(word);
      if (slot >= 0) {
        left[slot] -= 1;
        if (left[slot] === 0)
          due.push(
            ((U * stages + weightsStage(program, stageOf(program, word))) << shift) | microbatchOf(program, word),
          );
      }
      // An update runs after both operations of a fused pair.
      if (fused?.[position] === 1) continue;
      for (const update of due) add(update, position);
      due.length = 0;
    }
    starts[device + 1] = at;
  }
  return {
    ...program,
    order: found,
    offsets: starts,
    extended: true,
    weights,
    minibatch,
    ...(foundItems === undefined ? {} : { items: foundItems }),
    ...(foundFused === undefined ? {} : { fused: foundFused }),
  };
}
