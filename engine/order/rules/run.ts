/** A rule while it runs: the moment, what has begun and ended, and what is to come. */
import { type Heap, heapOf, push } from '../heap.ts';
import { ticksAt } from '../wholeTicks.ts';
import { ruleEvictions, type RuleEvictions } from './evictions.ts';
import { layoutOf, type RuleLayout } from './layout.ts';
import { ruleRoom, type RuleRoom } from './room.ts';
import { ruleReleases, type RuleWaits, ruleWaits } from './waits.ts';
import { brings, type RuleWork } from './work.ts';

export interface RuleRun {
  readonly work: RuleWork;
  readonly layout: RuleLayout;
  readonly evictions: RuleEvictions | undefined;
  readonly waits: RuleWaits | undefined;
  readonly releases: ((ended: number) => readonly number[]) | undefined;
  readonly room: RuleRoom;
  readonly order: Int32Array;
  /** By device: the next position of its order. */
  readonly at: Int32Array;
  /** By row: turns that are next, that have begun, and that have ended; ends by row × microbatches + turn. */
  readonly next: Int32Array;
  readonly begun: Int32Array;
  readonly ended: Int32Array;
  readonly end: Float64Array;
  /** By stage. */
  readonly inFlight: Int32Array;
  /** By row: the first need that has not been looked at, when those before it are there, and whether all are. */
  readonly need: Int32Array;
  readonly readyAt: Float64Array;
  readonly ready: Uint8Array;
  /** By device: the row that it runs; −1 for none. */
  readonly running: Int32Array;
  /** By device: when it looks again, and how often it has looked ahead since its last operation. */
  readonly wakeAt: Float64Array;
  readonly looks: Int32Array;
  /** Devices that look for something to start. */
  readonly touched: Int32Array;
  readonly isTouched: Uint8Array;
  touchedCount: number;
  events: Heap;
  now: number;
  /** Now for what conditions read; set ahead to find out when one turns. */
  seen: number;
}

/** What an event says, by ranges of its number. */
export interface EventRanges {
  /** From here on, less this: the device that ends its operation, and the device that looks again. Below: a row that becomes ready. */
  readonly ends: number;
  readonly looks: number;
  /** The end of a copy out of a slot (stage × microbatches + turn), and then of one back. */
  readonly copies: number;
  readonly slots: number;
  /** The arrival of what an operation waits for. */
  readonly waits: number;
}

export function eventRanges({ work, layout }: Pick<RuleRun, 'work' | 'layout'>): EventRanges {
  const slots = layout.stages * layout.microbatches;
  const copies = layout.rows + 2 * work.devices;
  return { ends: layout.rows, looks: layout.rows + work.devices, copies, slots, waits: copies + 2 * slots };
}

export function newRun(work: RuleWork): RuleRun {
  const layout = layoutOf(work);
  const { devices, microbatches, dependencies, declared } = work;
  const { rows, stages, placement, offsets } = layout;
  const deviceOf = (slot: number): number => placement[Math.trunc(slot / microbatches) % stages];
  return {
    ...{ work, layout, order: new Int32Array(offsets[devices]), at: offsets.slice(0, devices) },
    evictions: work.evictions && ruleEvictions(work.evictions, microbatches),
    waits: declared && ruleWaits(declared.waits, rows * microbatches),
    releases:
      declared &&
      ruleReleases(
        declared.waits,
        (slot) => slot >= (brings + 1) * stages * microbatches,
        ({ who, whom }) => deviceOf(who) === deviceOf(whom),
      ),
    room: ruleRoom(layout.senders, microbatches),
    ...{ next: new Int32Array(rows), begun: new Int32Array(rows), ended: new Int32Array(rows) },
    end: new Float64Array(rows * microbatches),
    inFlight: new Int32Array(stages),
    need: dependencies.offsets.slice(0, rows),
    ...{ readyAt: new Float64Array(rows), ready: new Uint8Array(rows), running: new Int32Array(devices).fill(-1) },
    ...{ wakeAt: new Float64Array(devices).fill(Infinity), looks: new Int32Array(devices) },
    ...{ touched: new Int32Array(devices), isTouched: new Uint8Array(devices), touchedCount: 0 },
    ...{ events: heapOf(2 * (rows + devices)), now: 0, seen: 0 },
  };
}

/** Ticks of the n-th operation of a row. */
export const lengthOf = ({ work, layout }: RuleRun, row: number, turn: number): number =>
  ticksAt(work.ticks, layout.microbatches, row, layout.microbatchAt(row, turn));

export function schedule(run: RuleRun, time: number, event: number): void {
  if (run.events.size === run.events.keys.length) run.events = larger(run.events);
  push(run.events, time, event);
}

export function touch(run: RuleRun, device: number): void {
  if (run.isTouched[device] === 1) return;
  run.isTouched[device] = 1;
  run.touched[run.touchedCount] = device;
  run.touchedCount += 1;
}

function larger(heap: Heap): Heap {
  const grown = heapOf(2 * heap.keys.length + 16);
  grown.keys.set(heap.keys);
  grown.values.set(heap.values);
  grown.size = heap.size;
  return grown;
}
