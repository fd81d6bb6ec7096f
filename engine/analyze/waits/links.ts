/** Results that travel: which operation made them, when their links took them, and which transfer a link carried before. */
import {
  I,
  kindOfRow,
  microbatchOf,
  needSlot,
  type Program,
  resultsIn,
  resultSlotOf,
  rowOf,
} from '../../values/program.ts';
import { type Timeline, arrivalAt, occupancyOf } from '../../values/timeline.ts';
import type { Carried } from './chainTypes.ts';

export interface Links {
  /** Position of the operation that makes the result in a slot; −1 where there is none. */
  maker(slot: number): number;
  /**
   * The result of another device that arrives at `time` for one of the operations from `first` to `last`; the first of several.
   * Undefined if none does.
   */
  arriving(first: number, last: number, time: number): Carried | undefined;
  /** The transfer that the link carried until another one could begin, where that one waited for the link. */
  ahead(carried: Carried): Carried | undefined;
}

/** A transfer in the queue of its link: `needs` × microbatches + microbatch, and when the link was free again. */
interface Queue {
  readonly transfer: Int32Array;
  readonly free: Float64Array;
}

export function linksOf(timeline: Timeline, slack: number): Links {
  const { program, timing } = timeline;
  const { microbatches, stages, placement } = program;
  const { needLatency, needOccupancy, needOffsets } = timing;
  const makers = makersOf(program);
  const rowOfNeed = rowsOf(needOffsets, timing.needs.length);
  const queues = new Map<number, Queue>();
  // Copies to and from hosts take no route, but queue for their channel.
  const keyOf = (need: number): number =>
    timing.flows === undefined || timing.needRoute[need] < 0 ? timing.needChannel[need] : -2 - timing.needRoute[need];

  /** B and I of a stage list the same need, and it is sent once: the need of B. */
  const sentNeed = (need: number): number => {
    const row = rowOfNeed[need];
    return kindOfRow(stages, row) === I ? needOffsets[row - stages] + (need - needOffsets[row]) : need;
  };
  const madeAt = (need: number, microbatch: number): number => {
    const slot = needSlot(timing, microbatches, need, microbatch);
    return slot < 0 ? NaN : timeline.end[slot];
  };
  /** Only where transfers may queue; otherwise each begins when its operation ends. */
  const queueOf = (key: number): Queue => {
    const known = queues.get(key);
    if (known !== undefined) return known;
    const all: { readonly transfer: number; readonly free: number }[] = [];
    for (let need = 0; need < timing.needs.length; need += 1) {
      if (keyOf(need) !== key || needOccupancy[need] === 0 || kindOfRow(stages, rowOfNeed[need]) === I) continue;
      for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
        const free = arrivalAt(timeline, need, microbatch) - needLatency[need];
        if (free > 0 && madeAt(need, microbatch) >= 0) all.push({ transfer: need * microbatches + microbatch, free });
      }
    }
    all.sort((a, b) => a.free - b.free);
    const queue = {
      transfer: Int32Array.from(all, (each) => each.transfer),
      free: Float64Array.from(all, (each) => each.free),
    };
    queues.set(key, queue);
    return queue;
  };
  /** The transfer right before another one on its link, where it held the link after the other's result was made. */
  const holderBefore = (need: number, microbatch: number): number => {
    if (timeline.arrival === undefined || keyOf(need) === -1 || needOccupancy[need] === 0) return -1;
    const { transfer, free } = queueOf(keyOf(need));
    const at = transfer.indexOf(need * microbatches + microbatch);
    return at > 0 && free[at - 1] > madeAt(need, microbatch) + slack ? transfer[at - 1] : -1;
  };
  const freeAt = (transfer: number): number =>
    arrivalAt(timeline, Math.trunc(transfer / microbatches), transfer % microbatches) -
    needLatency[Math.trunc(transfer / microbatches)];

  const carriedBy = (need: number, microbatch: number, to: number): Carried => {
    const made = madeAt(need, microbatch);
    const holder = holderBefore(need, microbatch);
    const from = holder < 0 ? made : freeAt(holder);
    const wire = arrivalAt(timeline, need, microbatch) - needLatency[need] - from;
    const slot = needSlot(timing, microbatches, need, microbatch);
    const alone = occupancyOf(timing, microbatches, need, microbatch);
    return {
      position: makers[slot],
      need,
      microbatch,
      sender: placement[timing.needs[need] % stages],
      receiver: placement[rowOfNeed[need] % stages],
      queued: from - made,
      slowed: wire - alone > slack ? wire - alone : 0,
      from,
      to,
    };
  };

  return {
    maker: (slot) => makers[slot],
    arriving(first, last, time) {
      for (let at = first; at <= last; at += 1) {
        const row = rowOf(program, program.order[at]);
        const microbatch = microbatchOf(program, program.order[at]);
        for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
          const arrival = arrivalAt(timeline, need, microbatch);
          if (!(Math.abs(arrival - time) <= slack)) continue;
          const remote = placement[timing.needs[need] % stages] !== placement[row % stages];
          if (remote || arrival - madeAt(need, microbatch) > slack)
            return carriedBy(sentNeed(need), microbatch, arrival);
        }
      }
      return undefined;
    },
    ahead({ need, microbatch, from }) {
      const holder = holderBefore(need, microbatch);
      return holder < 0 ? undefined : carriedBy(Math.trunc(holder / microbatches), holder % microbatches, from);
    },
  };
}

function makersOf(program: Program): Int32Array {
  const makers = new Int32Array(resultsIn(program) * program.stages * program.microbatches).fill(-1);
  for (const [position, word] of program.order.entries()) makers[resultSlotOf(program, word)] = position;
  return makers;
}

function rowsOf(offsets: Int32Array, needs: number): Int32Array {
  const rows = new Int32Array(needs);
  for (let row = 0; row + 1 < offsets.length; row += 1) rows.fill(row, offsets[row], offsets[row + 1]);
  return rows;
}
