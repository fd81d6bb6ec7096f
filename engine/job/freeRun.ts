import type { Worker } from './worker.ts';
import { resultRows, type Program, U } from '../values/program.ts';
import { transfersNeverQueue } from '../simulate/channels.ts';
import { runInOrder } from '../simulate/inOrder.ts';
import type { Timing } from '../values/timeline.ts';
import { minibatchOf, wavesOf } from './wave.ts';
import type { WorkerEvents, WorkerRun } from './workerRun.ts';

/** Ends by slot of a worker that nobody holds back; `undefined` where only a run in order of time tells. */
export function freeEnds(program: Program, timing: Timing): Float64Array | undefined {
  if (program.fused !== undefined || timing.flows !== undefined || timing.transfer !== undefined) return undefined;
  const updates = U * program.stages;
  // Of operations that take no time, `turnsOf` knows updates only.
  for (const word of program.order) {
    const row = word >> program.shift;
    if (timing.duration[row] === 0 && (row < updates || row >= updates + program.stages)) return undefined;
  }
  return transfersNeverQueue(program, timing) ? runInOrder(program, timing)?.end : undefined;
}

/**
 * A worker whose times are known as long as each minibatch is admitted by the time at which it enters. It reports the same at the
 * same times as `workerRun`. `heldBack` is called for the first minibatch that is held back: from there on the worker is idle and
 * its times mean nothing.
 */
export function freeRun(
  worker: Worker,
  ends: Float64Array,
  wave: number,
  events: Pick<WorkerEvents, 'entered' | 'waveEnded'> & { heldBack(): void },
): WorkerRun {
  const minibatch = minibatchOf(worker.program);
  const results = resultRows(worker.program);
  const turns = turnsOf(worker, ends, results);
  const waves = waveEnds(worker, ends, wave, turns, results);
  const entries = entriesOf(worker, ends, turns, results);
  let ended = 0;
  let entered = 0;
  let allowed = 0;
  let atRest = false;
  let moment = -1;
  let turn = 0;
  return {
    ends,
    next() {
      if (atRest) return Infinity;
      const end = ended < waves.at.length ? waves.at[ended] : Infinity;
      const start = entered < entries.at.length ? entries.at[entered] : Infinity;
      return end < start ? end : start;
    },
    end(now) {
      turn = now === moment ? turn + 1 : 0;
      moment = now;
      while (ended < waves.at.length && waves.at[ended] <= now && waves.turn[ended] <= turn) {
        events.waveEnded(waves.number[ended], now);
        ended += 1;
      }
    },
    start(now) {
      while (!atRest && entered < entries.at.length && entries.at[entered] <= now && entries.turn[entered] <= turn) {
        const microbatch = entries.microbatch[entered];
        if (microbatch >= allowed) {
          atRest = true;
          events.heldBack();
        } else if (microbatch % minibatch === 0) events.entered(microbatch / minibatch);
        entered += 1;
      }
    },
    open(number) {
      allowed = Math.max(allowed, number * minibatch);
    },
    stop() {
      // All its ends are written down already.
    },
  };
}

/**
 * Turn of the end of each operation among the ends of its moment. Operations that take time end first. Each update that takes no
 * time then comes one turn after the operation before it. Other workers have their turns meanwhile, so the turn decides who is
 * first at a server.
 */
function turnsOf({ program, timing }: Worker, ends: Float64Array, results: Int32Array): Uint16Array {
  const { devices, order, offsets, shift, microbatches } = program;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const turns = new Uint16Array(order.length);
  for (let device = 0; device < devices; device += 1) {
    let before = -1;
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      const row = order[at] >> shift;
      const end = ends[results[row] * microbatches + (order[at] & mask)];
      if (timing.duration[row] === 0) turns[at] = end === before ? turns[at - 1] + 1 : 1;
      before = end;
    }
  }
  return turns;
}

/** When and in which turn all operations of each wave have ended, in that order, and which wave that is. */
function waveEnds({ program }: Worker, ends: Float64Array, wave: number, turns: Uint16Array, results: Int32Array) {
  const { order, shift, microbatches } = program;
  const mask = (1 << shift) - 1;
  const { waveOf, left } = wavesOf(program, wave);
  const last = new Float64Array(left.length);
  const turn = new Uint16Array(left.length);
  for (let at = 0; at < order.length; at += 1) {
    const microbatch = order[at] & mask;
    const waveNumber = waveOf[microbatch];
    const end = ends[results[order[at] >> shift] * microbatches + microbatch];
    if (end < last[waveNumber] || (end === last[waveNumber] && turns[at] <= turn[waveNumber])) continue;
    last[waveNumber] = end;
    turn[waveNumber] = turns[at];
  }
  const number = Int32Array.from(last.keys()).sort((a, b) => last[a] - last[b] || turn[a] - turn[b] || a - b);
  return {
    at: Float64Array.from(number, (index) => last[index]),
    turn: Uint16Array.from(number, (index) => turn[index]),
    number,
  };
}

/**
 * Start, turn and microbatch of each entry, in that order. Entries need no results of others: they start when the operation
 * before them ends.
 */
function entriesOf({ program, entries }: Worker, ends: Float64Array, turns: Uint16Array, results: Int32Array) {
  const { devices, order, offsets, shift, microbatches } = program;
  const mask = (1 << shift) - 1;
  const at: number[] = [];
  const turn: number[] = [];
  const microbatch: number[] = [];
  for (let device = 0; device < devices; device += 1) {
    for (let position = offsets[device]; position < offsets[device + 1]; position += 1) {
      if (entries[order[position] >> shift] === 0) continue;
      const first = position === offsets[device];
      const before = first ? 0 : order[position - 1];
      at.push(first ? 0 : ends[results[before >> shift] * microbatches + (before & mask)]);
      turn.push(first ? 0 : turns[position - 1]);
      microbatch.push(order[position] & mask);
    }
  }
  const by = Int32Array.from(at.keys()).sort((a, b) => at[a] - at[b] || turn[a] - turn[b] || a - b);
  return {
    at: Float64Array.from(by, (index) => at[index]),
    turn: Uint16Array.from(by, (index) => turn[index]),
    microbatch: Int32Array.from(by, (index) => microbatch[index]),
  };
}
