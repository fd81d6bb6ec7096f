/** Activations that a rule sends away (E) and brings back (L): which microbatch is next, and when its copy has ended. */
import { type Heap, heapOf, pop, push } from '../heap.ts';

/** A copy of the activations of one microbatch: copies of one line follow each other. Ticks. */
export interface CopyTicks {
  /** −1 for a copy that takes no time. */
  readonly line: number;
  readonly occupancy: number;
  readonly latency: number;
}

export interface EvictionCosts {
  /** By stage of the program. */
  readonly out: readonly CopyTicks[];
  readonly back: readonly CopyTicks[];
  readonly lines: number;
}

export interface RuleEvictions {
  /**
   * The newest turn of a stage that E may send: its forward has ended, its backward has not begun, and no L has brought back a
   * later one. −1 for none.
   */
  toSend(stage: number, nextBackward: number): number;
  /** The oldest turn of a stage that is away; −1 for none, or while it is leaving. */
  toLoad(stage: number): number;
  /** Whether a turn has never left, or is back. */
  isHere(stage: number, turn: number): boolean;
  /** The same, or leaving; −1 for none. */
  oldest(stage: number): number;
  /** Microbatches of a stage that have left and do not come back yet. */
  away(stage: number): number;
  /** Microbatches of a stage that are back or come back, and whose backward has not begun. */
  loaded(stage: number): number;
  forwardEnds(stage: number, turn: number): void;
  backwardBegins(stage: number, turn: number): void;
  /** Begins a copy. When it has ended. */
  send(stage: number, turn: number, now: number): number;
  load(stage: number, turn: number, now: number): number;
  /** A copy has ended. */
  leaves(slot: number): void;
  returns(slot: number): void;
  /** When the oldest turn that has left is away; infinite if none has left. */
  awayAt(stage: number): number;
}

const leaving = 1;
const away = 2;
const coming = 3;
const returned = 4;

/** Slots are stage × microbatches + turn. O(log m) for each copy. */
export function ruleEvictions({ out, back, lines }: EvictionCosts, microbatches: number): RuleEvictions {
  const stages = out.length;
  const state = new Uint8Array(stages * microbatches);
  const ends = new Float64Array(stages * microbatches);
  /** Turns that have not left, by stage, the newest last. */
  const here = new Int32Array(stages * microbatches);
  const count = new Int32Array(stages);
  const loaded = new Int32Array(stages);
  /** The turn after the last one that was brought back. */
  const since = new Int32Array(stages);
  const left: readonly Heap[] = out.map(() => heapOf(microbatches));
  const free = new Float64Array(lines);
  const copy = ({ line, occupancy, latency }: CopyTicks, now: number): number => {
    if (line < 0) return now;
    const begins = Math.max(now, free[line]);
    free[line] = begins + occupancy;
    return begins + occupancy + latency;
  };
  const oldest = (stage: number): number => (left[stage].size === 0 ? -1 : left[stage].values[0]);
  return {
    toSend(stage, nextBackward) {
      const newest = count[stage] === 0 ? -1 : here[stage * microbatches + count[stage] - 1];
      if (newest >= nextBackward && newest >= since[stage]) return newest;
      // Neither may what is older.
      count[stage] = 0;
      return -1;
    },
    toLoad(stage) {
      const turn = oldest(stage);
      return turn >= 0 && state[stage * microbatches + turn] === away ? turn : -1;
    },
    isHere: (stage, turn) =>
      state[stage * microbatches + turn] === 0 || state[stage * microbatches + turn] === returned,
    oldest,
    away: (stage) => left[stage].size,
    loaded: (stage) => loaded[stage],
    backwardBegins(stage, turn) {
      if (state[stage * microbatches + turn] === returned) loaded[stage] -= 1;
    },
    forwardEnds(stage, turn) {
      here[stage * microbatches + count[stage]] = turn;
      count[stage] += 1;
    },
    send(stage, turn, now) {
      const slot = stage * microbatches + turn;
      count[stage] -= 1;
      state[slot] = leaving;
      push(left[stage], turn, turn);
      ends[slot] = copy(out[stage], now);
      return ends[slot];
    },
    load(stage, turn, now) {
      pop(left[stage]);
      loaded[stage] += 1;
      since[stage] = turn + 1;
      state[stage * microbatches + turn] = coming;
      return copy(back[stage], now);
    },
    leaves(slot) {
      state[slot] = away;
    },
    returns(slot) {
      state[slot] = returned;
    },
    awayAt(stage) {
      const turn = oldest(stage);
      return turn < 0 ? Infinity : ends[stage * microbatches + turn];
    },
  };
}
