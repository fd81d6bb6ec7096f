import type { OrderProblem } from './orderProblem.ts';

/**
 * A code is a kind of operation of one stage. Microbatches are alike, so in some best order the operations of a code run in
 * ascending order, and an operation is a code and a microbatch.
 */
export interface Codes {
  readonly count: number;
  readonly ticks: Float64Array;
  readonly ofDevice: Int32Array;
  /** Codes of each device, and the place of each code there. */
  readonly groups: readonly (readonly number[])[];
  readonly place: Int32Array;
  /** An order in which a microbatch passes its codes: each code after what feeds it. */
  readonly ascending: readonly number[];
  /** The code whose result a code needs, of the same microbatch; −1: none. `delay`: ticks that it takes to arrive. */
  readonly feeds: Int32Array;
  readonly delay: Float64Array;
  readonly feeding: readonly (readonly number[])[];
  /** Codes of a stage; −1 for a stage without weight gradients. */
  readonly forward: Int32Array;
  readonly input: Int32Array;
  readonly weight: Int32Array;
  /** Pairs (a, b) of codes of one device where a microbatch passes a before b. */
  readonly implied: readonly (readonly [number, number])[];
  /** (a, b, c, d): if k operations of a are before the j-th of b, then k of c are before the j-th of d. */
  readonly carried: readonly (readonly [number, number, number, number])[];
}

export function codesOf({ device, devices, forward, input, weight, transfer }: OrderProblem): Codes {
  const stages = device.length;
  const weightCode = new Int32Array(stages).fill(-1);
  let count = 2 * stages;
  for (let stage = 0; stage < stages; stage += 1) {
    if (!(weight[stage] > 0)) continue;
    weightCode[stage] = count;
    count += 1;
  }
  const ticks = new Float64Array(count);
  const ofDevice = new Int32Array(count);
  const place = new Int32Array(count);
  const feeds = new Int32Array(count).fill(-1);
  const delay = new Float64Array(count);
  const groups: number[][] = Array.from({ length: devices }, () => []);
  const ascending: number[] = [];
  const add = (code: number, stage: number, time: number): void => {
    ticks[code] = time;
    ofDevice[code] = device[stage];
    place[code] = groups[device[stage]].length;
    groups[device[stage]].push(code);
    ascending.push(code);
  };
  for (let stage = 0; stage < stages; stage += 1) {
    add(stage, stage, forward[stage]);
    if (stage === 0) continue;
    feeds[stage] = stage - 1;
    delay[stage] = transfer[stage - 1];
  }
  for (let stage = stages - 1; stage >= 0; stage -= 1) {
    const code = stages + stage;
    const last = stage + 1 === stages;
    add(code, stage, input[stage]);
    feeds[code] = last ? stage : code + 1;
    delay[code] = last ? 0 : transfer[stage];
    if (weightCode[stage] < 0) continue;
    add(weightCode[stage], stage, weight[stage]);
    feeds[weightCode[stage]] = code;
  }
  const feeding: number[][] = Array.from({ length: count }, () => []);
  for (let code = 0; code < count; code += 1) if (feeds[code] >= 0) feeding[feeds[code]].push(code);
  const chain = chainPlaces(stages, count, feeds);
  return {
    ...{ count, ticks, ofDevice, groups, place, ascending, feeds, delay, feeding },
    forward: Int32Array.from(device, (_, stage) => stage),
    input: Int32Array.from(device, (_, stage) => stages + stage),
    weight: weightCode,
    implied: groups.flatMap((group) => impliedOn(group, chain, 2 * stages)),
    carried: carriedBy({ groups, ofDevice, feeds, feeding }, chain, 2 * stages),
  };
}

/** Place of each code on the path of a microbatch: F and I at even numbers, a weight gradient right after its I. */
function chainPlaces(stages: number, count: number, feeds: Int32Array): Int32Array {
  const chain = new Int32Array(count);
  for (let code = 0; code < count; code += 1)
    chain[code] = code < stages ? 2 * code : code < 2 * stages ? 2 * (3 * stages - 1 - code) : chain[feeds[code]] + 1;
  return chain;
}

/** A weight gradient is the end of its path; what is before its I, and that I, are before it. */
function impliedOn(group: readonly number[], chain: Int32Array, firstWeight: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (const a of group)
    for (const b of group) if (a < firstWeight && a !== b && chain[a] < chain[b]) pairs.push([a, b]);
  return pairs;
}

/**
 * What is known of two codes of a device holds on a neighbouring device too, for a code before the first and a code after the
 * second. If k operations of F(s + 1) are before the j-th I(s + 1), then k of F(s) are before the j-th I(s).
 */
function carriedBy(
  { groups, ofDevice, feeds, feeding }: Pick<Codes, 'groups' | 'ofDevice' | 'feeds' | 'feeding'>,
  chain: Int32Array,
  firstWeight: number,
): [number, number, number, number][] {
  const carried: [number, number, number, number][] = [];
  /** The nearest code on a device that a code leads to; −1 for none. */
  const after = (code: number, on: number): number => {
    if (code >= firstWeight) return -1;
    const later = groups[on].filter((other) => other < firstWeight && chain[other] > chain[code]);
    return later.reduce((best, other) => (best < 0 || chain[other] < chain[best] ? other : best), -1);
  };
  const before = (code: number, on: number): number => {
    const earlier = groups[on].filter((other) => other < firstWeight && chain[other] < chain[code]);
    return earlier.reduce((best, other) => (best < 0 || chain[other] > chain[best] ? other : best), -1);
  };
  for (const group of groups)
    for (const a of group)
      for (const b of group) {
        if (a === b) continue;
        const first = feeds[a];
        if (first >= 0 && ofDevice[first] !== ofDevice[a]) {
          const last = after(b, ofDevice[first]);
          if (last >= 0 && last !== first) carried.push([a, b, first, last]);
        }
        for (const last of feeding[b]) {
          if (ofDevice[last] === ofDevice[b]) continue;
          const above = before(a, ofDevice[last]);
          if (above >= 0 && above !== last) carried.push([a, b, above, last]);
        }
      }
  return carried;
}

/** The place of each code in a layout, which has weight gradients of all stages. */
export function inLayout({ count, forward, input, weight }: Codes): Int32Array {
  const places = new Int32Array(count);
  for (let stage = 0; stage < forward.length; stage += 1) {
    places[forward[stage]] = stage;
    places[input[stage]] = forward.length + stage;
    if (weight[stage] >= 0) places[weight[stage]] = 2 * forward.length + stage;
  }
  return places;
}
