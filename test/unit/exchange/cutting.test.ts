/** Items that are cut, against a clock that ticks, and what no order can beat, against all orders. */
import { describe, expect, test } from 'vitest';
import { leastFinish } from '../../../engine/simulate/exchange/bound.ts';
import { send } from '../../../engine/simulate/exchange/send.ts';
import { sendCutting } from '../../../engine/simulate/exchange/sendCutting.ts';
import { type Items, momentOf, ranksBy } from '../../../engine/simulate/exchange/items.ts';
import { endsOf } from '../../../engine/simulate/exchange/sent.ts';
import * as fc from '../../support/property.ts';

const small = (max: number) => fc.integer({ min: 0, max });
const aJob = fc.record({ ready: small(12), bytes: fc.integer({ min: 1, max: 6 }), tail: small(12) });
const jobs = fc.array(aJob, { minLength: 1, maxLength: 5 });
type Job = { readonly ready: number; readonly bytes: number; readonly tail: number };

function itemsOf(given: readonly Job[], fixed: number): Items & { readonly tail: Float64Array } {
  const list = given.toSorted((a, b) => a.ready - b.ready);
  const tail = Float64Array.from(list, (job) => job.tail);
  return {
    ready: Float64Array.from(list, (job) => job.ready),
    bytes: Float64Array.from(list, (job) => job.bytes),
    rank: ranksBy(tail.map((each) => -each)),
    call: new Int32Array(list.length),
    costs: [{ kind: 'linear', fixed, perByte: 1 }],
    tail,
  };
}

const worst = (ends: ArrayLike<number>, tail: Float64Array): number =>
  tail.reduce((most, each, at) => Math.max(most, ends[at] + each), -Infinity);

/** Second by second: the most urgent that is ready runs, and an item that starts again pays for the call again. */
function byTheSecond({ ready, bytes, rank }: Items, fixed: number): number[] {
  const left = [...bytes];
  const call = left.map(() => fixed);
  const ends: number[] = [];
  let running = -1;
  for (let now = 0; ends.filter((end) => end > 0).length < left.length; now += 1) {
    const waiting = left.flatMap((each, item) => (each > 0 && ready[item] <= now ? [item] : []));
    if (waiting.length === 0) continue;
    const first = waiting.reduce((best, item) => (rank[item] < rank[best] ? item : best));
    if (first !== running) call[first] = fixed;
    running = first;
    if (call[first] > 0) call[first] -= 1;
    else left[first] -= 1;
    if (left[first] === 0) ends[first] = now + 1;
  }
  return ends;
}

const permutations = (items: readonly number[]): number[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => permutations(items.filter((each) => each !== item)).map((rest) => [item, ...rest]));

/** Of all orders without interruptions, the least max(end + tail). */
const bestOrder = (given: readonly Job[]): number =>
  Math.min(
    ...permutations(given.map((_, at) => at)).map((order) => {
      let now = 0;
      return Math.max(
        ...order.map((at) => {
          now = Math.max(now, given[at].ready) + given[at].bytes;
          return now + given[at].tail;
        }),
      );
    }),
  );

/** The greatest (least ready + sum + least tail) of any set. */
function bestSet(given: readonly Job[]): number {
  let most = -Infinity;
  for (let set = 1; set < 1 << given.length; set += 1) {
    const chosen = given.filter((_, at) => (set >> at) % 2 === 1);
    const least = (figure: 'ready' | 'tail') => Math.min(...chosen.map((job) => job[figure]));
    most = Math.max(most, least('ready') + chosen.reduce((sum, { bytes }) => sum + bytes, 0) + least('tail'));
  }
  return most;
}

describe('a lane that is cut for what is more urgent', () => {
  test('sends what a clock that ticks sends', () => {
    fc.assert(
      fc.property(jobs, small(3), (given, fixed) => {
        const items = itemsOf(given, fixed);
        expect([...endsOf(sendCutting(items, momentOf(items)), given.length)]).toEqual(byTheSecond(items, fixed));
      }),
    );
  });

  test('reaches the bound where calls cost nothing', () => {
    fc.assert(
      fc.property(jobs, (given) => {
        const items = itemsOf(given, 0);
        const ends = endsOf(sendCutting(items, 0), given.length);
        expect(worst(ends, items.tail)).toBe(leastFinish({ ...items, seconds: items.bytes }));
      }),
    );
  });
});

describe('the bound of a lane', () => {
  test('is the greatest sum of any set, and no order is below it', () => {
    fc.assert(
      fc.property(jobs, (given) => {
        const items = itemsOf(given, 0);
        const bound = leastFinish({ ...items, seconds: items.bytes });
        expect(bound).toBe(bestSet(given));
        expect(bestOrder(given)).toBeGreaterThanOrEqual(bound);
      }),
    );
  });

  test('is reached within a piece and the credit', () => {
    fc.assert(
      fc.property(jobs, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 16 }), (given, parts, credit) => {
        const items = itemsOf(given, 0);
        const [piece, bytes] = [1 / parts, credit / 8];
        const sent = send(items, { piece, credit: bytes, strict: false, ack: 0 }, momentOf(items));
        const bound = leastFinish({ ...items, seconds: items.bytes });
        const finish = worst(endsOf(sent, given.length), items.tail);
        expect(finish).toBeGreaterThanOrEqual(bound - 1e-9);
        expect(finish).toBeLessThan(bound + bytes + piece + 1e-9);
      }),
    );
  });
});
