import type { OpenTick } from './openTick.ts';
import { pairAt } from './precedence.ts';

/** Pairs of operations of a device that may still run in either order. */
export interface OpenPairs {
  /** Finds the pairs of forwards and input gradients; those with weight gradients if there are none. False if all are decided. */
  find(): boolean;
  /** How many were found. */
  count(): number;
  /** Decides that number of them as in the guide, those with the least room. */
  decide(count: number): void;
  /** Decides the pair with the least room against the guide. */
  decideOther(): void;
}

/** Two codes of a device, and where the precedence has what is known of them: `at` of the first before the second. */
interface CodePair {
  readonly first: number;
  readonly second: number;
  readonly at: number;
  readonly otherAt: number;
  readonly device: number;
}

/** `guide`: priorities by code · m + microbatch. `bias`: by device, factors on the room of its pairs. */
export function openPairs(tick: OpenTick, guide: Float64Array, bias: Float64Array): OpenPairs {
  const { microbatches: m, codes, precedence, est, lft } = tick;
  const { before } = precedence;
  const { ticks } = codes;
  const all = codePairs(tick);
  const isWeight = (code: number): boolean => codes.weight.includes(code);
  const gradients = all.filter(({ first, second }) => !isWeight(first) && !isWeight(second));
  const rooms = new Float64Array(all.length * m * m);
  let looked: readonly CodePair[] = gradients;
  let [found, least] = [0, 0];
  // What to write where to decide the pair with the least room, and to decide it otherwise.
  let [at, known, otherAt, otherKnown] = [0, 0, 0, 0];

  /** How long both orders of two operations can be delayed, as a geometric mean. */
  const roomOf = ({ first, second, device }: CodePair, i: number, j: number): number => {
    const both = ticks[first] + ticks[second];
    const [one, other] = [first * m + i, second * m + j];
    const here = Math.max(0, lft[other] - est[one] - both);
    const there = Math.max(0, lft[one] - est[other] - both);
    return bias[device] * Math.sqrt((here + 1) * (there + 1));
  };
  const isFirst = ({ first, second }: CodePair, i: number, j: number): boolean =>
    guide[first * m + i] < guide[second * m + j];
  const look = (pairs: readonly CodePair[]): void => {
    looked = pairs;
    [found, least] = [0, Infinity];
    for (const pair of pairs)
      for (let j = 0; j < m; j += 1)
        for (let i = before[pair.at + j]; i < m && before[pair.otherAt + i] <= j; i += 1) {
          const room = roomOf(pair, i, j);
          rooms[found] = room;
          found += 1;
          if (room >= least) continue;
          least = room;
          [at, known, otherAt, otherKnown] = [pair.at + j, i + 1, pair.otherAt + i, j + 1];
          if (!isFirst(pair, i, j)) [at, known, otherAt, otherKnown] = [otherAt, otherKnown, at, known];
        }
  };
  const find = (): boolean => {
    look(gradients);
    if (found === 0) look(all);
    return found > 0;
  };
  const decide = (count: number): void => {
    before[at] = known;
    if (count === 1) return;
    const most = rooms.slice(0, found).sort()[count - 1];
    for (const pair of looked)
      for (let j = 0; j < m; j += 1)
        for (let i = before[pair.at + j]; i < m && before[pair.otherAt + i] <= j; i += 1) {
          if (roomOf(pair, i, j) > most) continue;
          if (isFirst(pair, i, j)) before[pair.at + j] = i + 1;
          else before[pair.otherAt + i] = j + 1;
        }
  };
  return {
    find,
    count: () => found,
    decide,
    decideOther: () => {
      before[otherAt] = otherKnown;
    },
  };
}

const codePairs = ({ microbatches: m, codes, precedence }: OpenTick): readonly CodePair[] =>
  codes.groups.flatMap((group, device) =>
    group.flatMap((first, place) =>
      group.slice(place + 1).map((second) => ({
        ...{ first, second, device },
        at: pairAt(precedence, codes, m, first, second),
        otherAt: pairAt(precedence, codes, m, second, first),
      })),
    ),
  );
