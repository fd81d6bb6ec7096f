import { F1, I0, type Row, W1 } from './vBlocks.ts';
import { endOf, type Ends, readyAt, type VTimes } from './vTimes.ts';

/** Slots that may be kept and visited. Longer orders stay as they are. */
const most = 2e7;

/**
 * Lets input gradients of the cool-down go before weight gradients. Every W is taken out. F and I that start after the last
 * microbatch has entered move into earlier free slots. Each W returns to the first slot that is then free. A move that makes the
 * device hold more than `limit` chunks is left out. `unit` are the times of the block, one slot for each operation.
 */
export function cooledDown(
  rows: readonly Row[],
  microbatches: number,
  limit: number,
  unit: VTimes,
  ends: Ends,
): readonly Row[] {
  const devices = rows.length;
  const span = endOf(rows, microbatches, unit, ends);
  if (devices * span > most) return rows;
  const boards = rows.map((row, device) => {
    const board = new Int32Array(span).fill(-1);
    for (const operation of row) {
      const kind = Math.trunc(operation / microbatches);
      if (kind < W1) board[ends[(kind * (devices - 1) + device) * microbatches + operation] - 1] = operation;
    }
    return board;
  });
  let visited = 0;
  /** The first slot before `now` that may take the operation, or `now`. */
  const earliest = (board: Int32Array, from: number, now: number): number => {
    const operation = board[now];
    board[now] = -1;
    for (let slot = from; slot < now && visited <= most; slot += 1) {
      if (board[slot] >= 0) continue;
      board[slot] = operation;
      visited += span;
      if (heldMost(board, microbatches) <= limit) return slot;
      board[slot] = -1;
    }
    board[now] = operation;
    return now;
  };
  for (let now = ends[microbatches - 1]; now < span; now += 1) {
    for (const [device, board] of boards.entries()) {
      const operation = board[now];
      if (operation < 0) continue;
      const kind = Math.trunc(operation / microbatches);
      const microbatch = operation - kind * microbatches;
      const index = (kind * devices + device) * microbatches + microbatch;
      const ready = readyAt(kind, device, microbatch, devices, microbatches, unit.transfer, ends);
      ends[index] = earliest(board, microbatch > 0 ? Math.max(ready, ends[index - 1]) : ready, now) + 1;
    }
  }
  return boards.map((board, device) => withWeights(board, microbatches, rows[device].length));
}

/** Most chunks that a device holds if each W takes the first slot that is free after its I. */
function heldMost(board: Int32Array, microbatches: number): number {
  let held = 0;
  let highest = 0;
  let waiting = 0;
  for (const operation of board) {
    if (operation < 0) {
      if (waiting === 0) continue;
      waiting -= 1;
      held -= 1;
    } else if (operation < (F1 + 1) * microbatches) {
      held += 1;
      if (held > highest) highest = held;
    } else waiting += 1;
  }
  return highest;
}

/** The operations of a device in order, each W in the first slot that is free after its I. */
function withWeights(board: Int32Array, microbatches: number, length: number): Row {
  const row = new Int32Array(length);
  const waiting = new Int32Array(length);
  let [first, last, at] = [0, 0, 0];
  for (const operation of board) {
    if (operation >= 0) {
      row[at++] = operation;
      if (operation >= (F1 + 1) * microbatches && operation < (I0 + 1) * microbatches)
        waiting[last++] = operation + (W1 - F1 - 1) * microbatches;
    } else if (first < last) row[at++] = waiting[first++];
  }
  while (first < last) row[at++] = waiting[first++];
  return row;
}
