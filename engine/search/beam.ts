/**
 * Beam search over orders that are built from their start. All orders of a step have as many operations; those whose remaining work
 * looks shortest stay. It finds orders that rules of priority miss if devices hold few microbatches. An order that could get stuck
 * is left at once.
 *
 * Sources: Giffler and Thompson (1960) for the operations that a device may run next; Habermann, "Prevention of system deadlocks"
 * (1969), for the test that an order can go on; Ow and Morton, "Filtered beam search in scheduling" (1988).
 */
import { bestFirst, type Children, emptyChildren } from './beamChildren.ts';
import { beamExpand } from './beamExpand.ts';
import { beamRoom } from './beamRoom.ts';
import { beamScore } from './beamScore.ts';
import { copyOrder, emptySlots, runNext, type Slots } from './beamSlots.ts';
import type { Layout, Words } from './layout.ts';

export interface BeamOptions {
  /** Orders that stay after each step. */
  readonly width: number;
  /** Ticks that an order must be under. */
  readonly under: number;
  /** Weight of the mean over all devices, against the latest end. */
  readonly mean: number;
  /** Orders with equal sets of operations that stay. */
  readonly alike: number;
}

export interface BeamAnswer {
  /** The shortest order of the last step, if there is one, and its ticks to the end of the last step. */
  readonly found?: { readonly words: Words; readonly makespan: number };
  /** Operations looked at. */
  readonly visited: number;
}

/** Operations looked at between two pauses. */
const slice = 2e5;

/** The slot and the code that made each order, by step and slot. */
interface Trail {
  readonly parents: Int32Array;
  readonly chosen: Uint8Array;
}

export function* beamSteps(layout: Layout, options: BeamOptions): Generator<void, BeamAnswer> {
  const { width } = options;
  const { problem, codes, offsets } = layout;
  const operations = offsets[problem.devices];
  let now = emptySlots(layout, width);
  let next = emptySlots(layout, width);
  now.used = 1;
  const room = beamRoom(layout);
  const expand = beamExpand(layout, room, beamScore(layout, room, options));
  const trail: Trail = {
    parents: new Int32Array(operations * width),
    chosen: new Uint8Array(operations * width),
  };
  const children = emptyChildren(4 * width);
  let visited = 0;
  let pauseAt = slice;
  for (let done = 0; done < operations; done += 1) {
    children.count = 0;
    for (let slot = 0; slot < now.used; slot += 1) expand(now, slot, children);
    visited += (now.used + children.count) * codes;
    select(layout, options, children, now, next, trail, done);
    [now, next] = [next, now];
    if (now.used === 0) return { visited };
    if (visited >= pauseAt) {
      pauseAt = visited + slice;
      yield;
    }
  }
  const { slot, makespan } = shortest(layout, now);
  return { found: { words: wordsOf(layout, trail, width, slot), makespan }, visited };
}

/** Makes the best children the orders of the next step. */
function select(
  layout: Layout,
  { width, alike: mostAlike }: BeamOptions,
  children: Children,
  now: Slots,
  next: Slots,
  { parents, chosen }: Trail,
  done: number,
): void {
  const alike = new Map<number, number[]>();
  next.used = 0;
  for (const child of bestFirst(children)) {
    if (next.used === width) break;
    const known = alike.get(children.key[child]) ?? [];
    if (known.length === mostAlike) continue;
    const slot = children.of[child];
    const code = children.code[child];
    const to = next.used;
    copyOrder(layout, now, slot, next, to);
    runNext(layout, next, to, code, children.start[child]);
    next.waits[to] = children.waits[child];
    if (known.some((other) => isNoBetter(layout, next, other, to))) continue;
    alike.set(children.key[child], [...known, to]);
    parents[done * width + to] = slot;
    chosen[done * width + to] = code;
    next.used += 1;
  }
}

/** Whether an order of the next step is nowhere earlier than another one with the same operations. */
function isNoBetter({ problem, codes, feeding }: Layout, next: Slots, than: number, slot: number): boolean {
  const { devices, microbatches } = problem;
  if ((next.waits[than] & ~next.waits[slot]) !== 0) return false;
  for (let on = 0; on < devices; on += 1)
    if (next.free[slot * devices + on] < next.free[than * devices + on]) return false;
  for (let code = 0; code < codes; code += 1) {
    const count = next.counts[slot * codes + code];
    for (let place = 2 * code; place < 2 * code + 2; place += 1) {
      if (feeding[place] < 0) continue;
      for (let microbatch = next.counts[slot * codes + feeding[place]]; microbatch < count; microbatch += 1) {
        const at = code * microbatches + microbatch;
        if (next.end[slot * codes * microbatches + at] < next.end[than * codes * microbatches + at]) return false;
      }
    }
  }
  return true;
}

/** The order that ends first, and its ticks. */
function shortest(
  { problem: { devices, step } }: Layout,
  { used, free }: Slots,
): { readonly slot: number; readonly makespan: number } {
  let best = 0;
  let makespan = Infinity;
  for (let slot = 0; slot < used; slot += 1) {
    let end = 0;
    for (let on = 0; on < devices; on += 1) end = Math.max(end, free[slot * devices + on] + step[on]);
    if (end < makespan) [best, makespan] = [slot, end];
  }
  return { slot: best, makespan };
}

function wordsOf(
  { device, indexOf, first, offsets, problem }: Layout,
  { parents, chosen }: Trail,
  width: number,
  last: number,
): Words {
  const operations = offsets[problem.devices];
  const words: Words = new Uint8Array(operations);
  const cursor = Int32Array.from(first, (_, on) => offsets[Math.min(on + 1, problem.devices)]);
  let slot = last;
  for (let done = operations - 1; done >= 0; done -= 1) {
    const code = chosen[done * width + slot];
    cursor[device[code]] -= 1;
    words[cursor[device[code]]] = indexOf[code];
    slot = parents[done * width + slot];
  }
  return words;
}
