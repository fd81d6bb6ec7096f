/** The operations that an order of a beam may run next. */
import { type Children, pushChild } from './beamChildren.ts';
import type { BeamRoom } from './beamRoom.ts';
import type { BeamScore } from './beamScore.ts';
import { isWaiting, mostStages, runNext, type Slots } from './beamSlots.ts';
import type { Layout } from './layout.ts';
import { randomOf } from './random.ts';

/** Adds all orders that an order may become. */
export type Expand = (now: Slots, slot: number, children: Children) => void;

export function beamExpand(layout: Layout, { isBinding, fits, isSafe }: BeamRoom, scoreOf: BeamScore): Expand {
  const { problem, stages, codes, ticks, device: deviceOf, feeds, delay, local, first } = layout;
  const { devices, microbatches } = problem;
  const forwardsOf = new Int32Array(devices);
  for (let stage = 0; stage < Math.min(stages, mostStages); stage += 1) forwardsOf[deviceOf[stage]] |= 1 << stage;
  // Sums of counts with these weights tell sets of operations apart.
  const random = randomOf(1);
  const factors = Float64Array.from({ length: codes }, () => random.share() + random.share() / 2 ** 20);
  const starts = new Float64Array(codes);

  const add = (now: Slots, slot: number, code: number, waits: number, children: Children): void => {
    const device = deviceOf[code];
    const count = slot * codes + code;
    const own = slot * devices + device;
    const [free, level] = [now.free[own], now.level[own]];
    runNext(layout, now, slot, code, starts[code]);
    const left = waits & ~forwardsOf[device];
    const score = scoreOf(now, slot, left);
    if (score < Infinity) {
      let key = 0;
      for (let other = 0; other < codes; other += 1) key += factors[other] * now.counts[slot * codes + other];
      pushChild(children, { slot, code, start: starts[code], score, key, waits: left });
    }
    now.counts[count] -= 1;
    now.free[own] = free;
    now.level[own] = level;
  };

  /** When the next operation of each code can start; Infinity where it cannot. */
  const findStarts = (now: Slots, slot: number): void => {
    const counts = slot * codes;
    const ends = slot * codes * microbatches;
    for (let on = 0; on < devices; on += 1)
      for (let place = first[on]; place < first[on + 1]; place += 1) {
        const code = local[place];
        const count = now.counts[counts + code];
        const from = feeds[code];
        let start = now.free[slot * devices + on];
        if (count === microbatches || (from >= 0 && now.counts[counts + from] <= count) || !fits(now, slot, code))
          start = Infinity;
        else if (code < stages && isBinding[on] === 1 && !isSafe(now, slot, code)) start = Infinity;
        else if (from >= 0) start = Math.max(start, now.end[ends + from * microbatches + count] + delay[code]);
        starts[code] = start;
      }
  };

  /** The device that can end something first, −1 for none, and by when an operation must start to come next. */
  const chooseDevice = (waits: number): { readonly device: number; readonly until: number } => {
    let device = -1;
    let least = Infinity;
    let other = Infinity;
    for (let on = 0; on < devices; on += 1) {
      let any = Infinity;
      let gives = Infinity;
      for (let place = first[on]; place < first[on + 1]; place += 1) {
        const code = local[place];
        if (isWaiting(layout, code, waits)) continue;
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
    return { device, until: other < Infinity ? other : least };
  };

  /** Microbatches from which on a forward may wait for what gives bytes back without it: for W, or for I of an older microbatch. */
  const givenOn = (now: Slots, slot: number, device: number): number => {
    const counts = slot * codes;
    let given = Infinity;
    for (let place = first[device]; place < first[device + 1]; place += 1) {
      const code = local[place];
      if (code >= 2 * stages && now.counts[counts + code] < now.counts[counts + code - stages]) given = -1;
      else if (code >= stages && code < 2 * stages) given = Math.min(given, now.counts[counts + code]);
    }
    return given;
  };

  return (now, slot, children) => {
    findStarts(now, slot);
    let waits = now.waits[slot];
    for (;;) {
      const { device, until } = chooseDevice(waits);
      if (device < 0) return;
      const given = givenOn(now, slot, device);
      let held = 0;
      for (let place = first[device]; place < first[device + 1]; place += 1) {
        const code = local[place];
        if (isWaiting(layout, code, waits)) continue;
        if (starts[code] < until || starts[code] + ticks[code] === until) {
          add(now, slot, code, waits, children);
          if (code < stages && now.counts[slot * codes + code] > given) held |= 1 << code;
        }
      }
      // Where bytes are short, a device may also wait for what gives bytes back.
      if (held === 0 || isBinding[device] === 0 || stages > mostStages) return;
      waits |= held;
    }
  };
}
