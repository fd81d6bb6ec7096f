/**
 * Beam search over orders that are built from their start. All orders of a step have as many operations; those whose remaining work
 * looks shortest stay. It finds orders that rules of priority miss if devices hold few microbatches. An order that could get stuck
 * is left at once.
 *
 * Sources: Giffler and Thompson (1960) for the operations that a device may run next; Habermann, "Prevention of system deadlocks"
 * (1969), for the test that an order can go on; Ow and Morton, "Filtered beam search in scheduling" (1988).
 */
import { rounding } from './bytes.ts';
import type { Layout, Words } from './layout.ts';
import { randomOf } from './random.ts';

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

/** Orders of one step, by slot. */
interface Slots {
  readonly counts: Int32Array;
  readonly end: Float64Array;
  readonly free: Float64Array;
  readonly level: Float64Array;
  /** Bit s: F of stage s does not start before its device has run something else. */
  readonly waits: Int32Array;
  used: number;
}

/** Stages that fit into the bits of a number. */
const mostStages = 31;
/** Operations looked at between two pauses. */
const slice = 2e5;

export function* beamSteps(
  layout: Layout,
  { width, under, mean, alike: mostAlike }: BeamOptions,
): Generator<void, BeamAnswer> {
  const { problem, stages, codes, ticks, device: deviceOf, feeds, delay, feeding, local, first, offsets } = layout;
  const { devices, microbatches, activation, forWeight, weight, limit, step } = problem;
  const operations = offsets[devices];
  const slots = (): Slots => ({
    counts: new Int32Array(width * codes),
    end: new Float64Array(width * codes * microbatches),
    free: new Float64Array(width * devices),
    level: new Float64Array(width * devices),
    waits: new Int32Array(width),
    used: 0,
  });
  let now = slots();
  let next = slots();
  now.used = 1;
  const tail = tailsOf(layout);
  const isBinding = bindingDevices(layout);
  /** The slot and the code that made each order, by step and slot. */
  const parents = new Int32Array(operations * width);
  const chosen = new Uint8Array(operations * width);

  // Children of the orders of a step.
  let room = 4 * width;
  let childOf = new Int32Array(room);
  let childCode = new Int32Array(room);
  let childStart = new Float64Array(room);
  let childScore = new Float64Array(room);
  let childKey = new Float64Array(room);
  let childWaits = new Int32Array(room);
  let children = 0;
  const forwardsOf = new Int32Array(devices);
  for (let stage = 0; stage < Math.min(stages, mostStages); stage += 1) forwardsOf[deviceOf[stage]] |= 1 << stage;
  // Sums of counts with these weights tell sets of operations apart.
  const random = randomOf(1);
  const factors = Float64Array.from({ length: codes }, () => random.share() + random.share() / 2 ** 20);
  const starts = new Float64Array(codes);
  const earliest = new Float64Array(codes);
  const levels = new Float64Array(devices);
  /** Bytes of a microbatch on all stages of a device. */
  const whole = new Float64Array(devices);
  for (let stage = 0; stage < stages; stage += 1) whole[deviceOf[stage]] += activation[stage];
  /** Whether no I leaves more for W than F took. */
  const freesAll = forWeight.every((bytes, stage) => bytes <= activation[stage]);

  const grow = (): void => {
    room *= 2;
    const [of, code, waits] = [childOf, childCode, childWaits];
    const [start, score, key] = [childStart, childScore, childKey];
    (childOf = new Int32Array(room)).set(of);
    (childCode = new Int32Array(room)).set(code);
    (childWaits = new Int32Array(room)).set(waits);
    (childStart = new Float64Array(room)).set(start);
    (childScore = new Float64Array(room)).set(score);
    (childKey = new Float64Array(room)).set(key);
  };

  /** Bytes that the next operation of a code adds to its device. */
  const added = (code: number): number => {
    if (code < stages) return activation[code];
    if (code < 2 * stages)
      return (weight[code - stages] > 0 ? forWeight[code - stages] : 0) - activation[code - stages];
    return -forWeight[code - 2 * stages];
  };
  const fits = (slot: number, code: number): boolean => {
    const device = deviceOf[code];
    return code >= 2 * stages || now.level[slot * devices + device] + added(code) <= limit[device] * rounding;
  };

  /**
   * Whether every microbatch of an order can end: the oldest goes through all its stages, gives its bytes back, and so on. All W
   * that can run give their bytes back first.
   */
  const canGoOn = (slot: number): boolean => {
    const counts = slot * codes;
    for (let on = 0; on < devices; on += 1) levels[on] = now.level[slot * devices + on];
    let oldest = microbatches;
    for (let stage = 0; stage < stages; stage += 1) {
      const ended = now.counts[counts + stages + stage];
      oldest = Math.min(oldest, ended);
      if (weight[stage] > 0)
        levels[deviceOf[stage]] -= (ended - now.counts[counts + 2 * stages + stage]) * forWeight[stage];
    }
    // With room for a whole microbatch on every device, the oldest can end, and after it the next.
    let hasRoom = freesAll;
    for (let on = 0; on < devices && hasRoom; on += 1) hasRoom = levels[on] + whole[on] <= limit[on] * rounding;
    if (hasRoom) return true;
    for (let microbatch = oldest; microbatch < now.counts[counts]; microbatch += 1) {
      for (let stage = 0; stage < stages; stage += 1) {
        if (now.counts[counts + stage] > microbatch) continue;
        const on = deviceOf[stage];
        levels[on] += activation[stage];
        if (levels[on] > limit[on] * rounding) return false;
      }
      for (let stage = stages - 1; stage >= 0; stage -= 1) {
        if (now.counts[counts + stages + stage] > microbatch) continue;
        const on = deviceOf[stage];
        levels[on] -= activation[stage];
        if (weight[stage] > 0 && levels[on] + forWeight[stage] > limit[on] * rounding) return false;
      }
    }
    return true;
  };

  const isWaiting = (code: number, waits: number): boolean => code < stages && ((waits >> code) & 1) === 1;

  /** Ticks that no end of this order can be under, and a little of the mean over the devices. Infinity: not under `under`. */
  const scoreOf = (slot: number, waits: number): number => {
    const counts = slot * codes;
    const ends = slot * codes * microbatches;
    const look = (code: number): void => {
      const count = now.counts[counts + code];
      const from = feeds[code];
      let start = now.free[slot * devices + deviceOf[code]];
      if (from >= 0) {
        const arrival =
          (now.counts[counts + from] > count
            ? now.end[ends + from * microbatches + count]
            : earliest[from] + ticks[from]) + delay[code];
        if (arrival > start) start = arrival;
      }
      earliest[code] = start;
    };
    for (let code = 0; code < stages; code += 1) look(code);
    for (let code = 2 * stages - 1; code >= stages; code -= 1) look(code);
    for (let code = 2 * stages; code < codes; code += 1) look(code);
    let latest = 0;
    let sum = 0;
    for (let on = 0; on < devices; on += 1) {
      let left = 0;
      let begin = Infinity;
      let gives = Infinity;
      for (let place = first[on]; place < first[on + 1]; place += 1) {
        const code = local[place];
        const count = now.counts[counts + code];
        if (count === microbatches) continue;
        left += (microbatches - count) * ticks[code];
        if (code >= stages) gives = Math.min(gives, earliest[code] + ticks[code]);
      }
      for (let place = first[on]; place < first[on + 1]; place += 1) {
        const code = local[place];
        const count = now.counts[counts + code];
        if (count === microbatches) continue;
        let start = earliest[code];
        if (code < stages && isBinding[on] === 1 && gives > start && (isWaiting(code, waits) || !fits(slot, code)))
          start = gives;
        if (start < begin) begin = start;
        const end = start + (microbatches - 1 - count) * ticks[code] + tail[code];
        if (end > latest) latest = end;
      }
      const end = (left === 0 ? now.free[slot * devices + on] : begin + left) + step[on];
      sum += end;
      if (end > latest) latest = end;
    }
    return latest < under ? latest + (mean * sum) / devices : Infinity;
  };

  const add = (slot: number, code: number, start: number, waits: number): void => {
    const device = deviceOf[code];
    const count = slot * codes + code;
    const own = slot * devices + device;
    const [free, level] = [now.free[own], now.level[own]];
    now.end[count * microbatches + now.counts[count]] = start + ticks[code];
    now.counts[count] += 1;
    now.free[own] = start + ticks[code];
    now.level[own] += added(code);
    const left = waits & ~forwardsOf[device];
    const score = scoreOf(slot, left);
    if (score < Infinity) {
      if (children === room) grow();
      let key = 0;
      for (let other = 0; other < codes; other += 1) key += factors[other] * now.counts[slot * codes + other];
      childOf[children] = slot;
      childCode[children] = code;
      childStart[children] = start;
      childScore[children] = score;
      childKey[children] = key;
      childWaits[children] = left;
      children += 1;
    }
    now.counts[count] -= 1;
    now.free[own] = free;
    now.level[own] = level;
  };

  /** Whether the order can go on after the next F of a stage. */
  const isSafe = (slot: number, stage: number): boolean => {
    const own = slot * devices + deviceOf[stage];
    now.counts[slot * codes + stage] += 1;
    now.level[own] += activation[stage];
    const safe = canGoOn(slot);
    now.counts[slot * codes + stage] -= 1;
    now.level[own] -= activation[stage];
    return safe;
  };

  /** All operations that an order may run next. */
  const expand = (slot: number): void => {
    const counts = slot * codes;
    const ends = slot * codes * microbatches;
    for (let on = 0; on < devices; on += 1)
      for (let place = first[on]; place < first[on + 1]; place += 1) {
        const code = local[place];
        const count = now.counts[counts + code];
        const from = feeds[code];
        let start = now.free[slot * devices + on];
        if (count === microbatches || (from >= 0 && now.counts[counts + from] <= count) || !fits(slot, code))
          start = Infinity;
        else if (code < stages && isBinding[on] === 1 && !isSafe(slot, code)) start = Infinity;
        else if (from >= 0) start = Math.max(start, now.end[ends + from * microbatches + count] + delay[code]);
        starts[code] = start;
      }
    let waits = now.waits[slot];
    for (;;) {
      // The device that can end something first, and what it can end first that is no forward.
      let device = -1;
      let least = Infinity;
      let other = Infinity;
      for (let on = 0; on < devices; on += 1) {
        let any = Infinity;
        let gives = Infinity;
        for (let place = first[on]; place < first[on + 1]; place += 1) {
          const code = local[place];
          if (isWaiting(code, waits)) continue;
          const end = starts[code] + ticks[code];
          if (end < any) any = end;
          if (end < gives && (code >= stages || isBinding[on] === 0)) gives = end;
        }
        if (any < least) {
          device = on;
          least = any;
          other = gives;
        }
      }
      if (device < 0) return;
      const until = other < Infinity ? other : least;
      // A forward may only wait for what gives bytes back without it: for W, or for I of an older microbatch.
      let given = Infinity;
      for (let place = first[device]; place < first[device + 1]; place += 1) {
        const code = local[place];
        if (code >= 2 * stages && now.counts[counts + code] < now.counts[counts + code - stages]) given = -1;
        else if (code >= stages && code < 2 * stages) given = Math.min(given, now.counts[counts + code]);
      }
      let held = 0;
      for (let place = first[device]; place < first[device + 1]; place += 1) {
        const code = local[place];
        if (isWaiting(code, waits)) continue;
        if (starts[code] < until || starts[code] + ticks[code] === until) {
          add(slot, code, starts[code], waits);
          if (code < stages && now.counts[counts + code] > given) held |= 1 << code;
        }
      }
      // Where bytes are short, a device may also wait for what gives bytes back.
      if (held === 0 || isBinding[device] === 0 || stages > mostStages) return;
      waits |= held;
    }
  };

  /** Whether an order of the next step is nowhere earlier than another one with the same operations. */
  const isNoBetter = (than: number, slot: number): boolean => {
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
  };

  let visited = 0;
  let pauseAt = slice;
  for (let done = 0; done < operations; done += 1) {
    children = 0;
    for (let slot = 0; slot < now.used; slot += 1) expand(slot);
    visited += (now.used + children) * codes;
    const order = Array.from({ length: children }, (_, child) => child).toSorted(
      (a, b) => childScore[a] - childScore[b] || a - b,
    );
    const alike = new Map<number, number[]>();
    next.used = 0;
    for (const child of order) {
      if (next.used === width) break;
      const known = alike.get(childKey[child]) ?? [];
      if (known.length === mostAlike) continue;
      const slot = childOf[child];
      const code = childCode[child];
      const to = next.used;
      next.counts.set(now.counts.subarray(slot * codes, (slot + 1) * codes), to * codes);
      next.end.set(
        now.end.subarray(slot * codes * microbatches, (slot + 1) * codes * microbatches),
        to * codes * microbatches,
      );
      next.free.set(now.free.subarray(slot * devices, (slot + 1) * devices), to * devices);
      next.level.set(now.level.subarray(slot * devices, (slot + 1) * devices), to * devices);
      next.end[(to * codes + code) * microbatches + next.counts[to * codes + code]] = childStart[child] + ticks[code];
      next.counts[to * codes + code] += 1;
      next.free[to * devices + deviceOf[code]] = childStart[child] + ticks[code];
      next.level[to * devices + deviceOf[code]] += added(code);
      next.waits[to] = childWaits[child];
      if (known.some((other) => isNoBetter(other, to))) continue;
      alike.set(childKey[child], [...known, to]);
      parents[done * width + to] = slot;
      chosen[done * width + to] = code;
      next.used += 1;
    }
    [now, next] = [next, now];
    if (now.used === 0) return { visited };
    if (visited >= pauseAt) {
      pauseAt = visited + slice;
      yield;
    }
  }
  let best = 0;
  let makespan = Infinity;
  for (let slot = 0; slot < now.used; slot += 1) {
    let end = 0;
    for (let on = 0; on < devices; on += 1) end = Math.max(end, now.free[slot * devices + on] + step[on]);
    if (end < makespan) [best, makespan] = [slot, end];
  }
  return { found: { words: wordsOf(layout, parents, chosen, width, best), makespan }, visited };
}

/** Ticks from the start of an operation to the end of all that needs it, by code. */
function tailsOf({ problem, stages, codes, ticks, feeding, delay, device }: Layout): Float64Array {
  const tail = new Float64Array(codes);
  const look = (code: number): void => {
    let after = problem.step[device[code]];
    for (let place = 2 * code; place < 2 * code + 2; place += 1)
      if (feeding[place] >= 0) after = Math.max(after, delay[feeding[place]] + tail[feeding[place]]);
    tail[code] = ticks[code] + after;
  };
  for (let code = 2 * stages; code < codes; code += 1) look(code);
  for (let code = stages; code < 2 * stages; code += 1) look(code);
  for (let code = stages - 1; code >= 0; code -= 1) look(code);
  return tail;
}

/** 1 for each device whose limit could matter. */
function bindingDevices({
  problem: { devices, device, activation, forWeight, weight, limit, microbatches },
}: Layout): Uint8Array {
  const most = new Float64Array(devices);
  for (const [stage, on] of device.entries())
    most[on] += microbatches * Math.max(activation[stage], weight[stage] > 0 ? forWeight[stage] : 0);
  return Uint8Array.from(most, (bytes, on) => (bytes > limit[on] ? 1 : 0));
}

function wordsOf(
  { device, indexOf, first, offsets, problem }: Layout,
  parents: Int32Array,
  chosen: Uint8Array,
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
