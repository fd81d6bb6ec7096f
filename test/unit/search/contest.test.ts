import { describe, expect, it } from 'vitest';
import * as fc from '../../support/property.ts';
import { contestFor } from '../../../engine/search/contest.ts';
import type { Strand } from '../../../engine/search/contestTables.ts';

interface Operation {
  readonly device: number;
  readonly ticks: number;
  readonly gap: number;
  readonly start: number;
  readonly slack: number;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  device: fc.integer({ min: 0, max: 2 }),
  ticks: fc.integer({ min: 0, max: 4 }),
  gap: fc.integer({ min: 0, max: 2 }),
  start: fc.integer({ min: 0, max: 12 }),
  slack: fc.integer({ min: 6, max: 40 }),
});

/** Pairs of operations of two chains whose order is given: chain and place, chain and place. */
type Known = readonly [number, number, number, number];

const shape = fc.record({
  chains: fc.integer({ min: 2, max: 4 }).chain((count) =>
    fc.array(fc.array(operation, { minLength: 1, maxLength: count < 4 ? 5 : 3 }), {
      minLength: count,
      maxLength: count,
    }),
  ),
  known: fc.array(fc.tuple(fc.nat(3), fc.nat(4), fc.nat(3), fc.nat(4)), { maxLength: 3 }),
});

function strandsOf(chains: readonly (readonly Operation[])[], known: readonly Known[]): Strand[] {
  return chains.map((operations, chain) => {
    const { length } = operations;
    const needs = chains.map(() => new Int32Array(length));
    for (const [before, first, after, second] of known) {
      if (after !== chain) continue;
      for (let place = second; place < length; place += 1)
        needs[before][place] = Math.max(needs[before][place], first + 1);
    }
    return {
      length,
      device: Int32Array.from(operations, ({ device }) => device),
      ticks: Float64Array.from(operations, ({ ticks }) => ticks),
      gap: Float64Array.from(operations, ({ gap }) => gap),
      start: Float64Array.from(operations, ({ start }) => start),
      end: Float64Array.from(operations, ({ start, slack }) => start + slack),
      needs,
      earliest: new Float64Array(length),
    };
  });
}

/**
 * Earliest starts over all orders: every interleaving of the chains is a sequence in which each operation starts as soon as its
 * device is free, its chain has come to it and what it needs has ended. Undefined if none keeps the windows.
 */
function allOrders(strands: readonly Strand[]): number[][] | undefined {
  const least = strands.map(({ length }) => Array.from({ length }, () => Infinity));
  const at = strands.map(() => 0);
  const starts = strands.map(({ length }) => Array.from({ length }, () => 0));
  let isOpen = false;
  const place = (free: readonly number[], ended: readonly number[]): void => {
    if (at.every((count, chain) => count === strands[chain].length)) {
      isOpen = true;
      starts.forEach((row, chain) =>
        row.forEach((start, index) => {
          least[chain][index] = Math.min(least[chain][index], start);
        }),
      );
      return;
    }
    strands.forEach(({ length, device, ticks, gap, start, end, needs }, chain) => {
      const index = at[chain];
      if (index === length || strands.some((_, other) => other !== chain && needs[other][index] > at[other])) return;
      const begin = Math.max(free[device[index]], ended[chain] + (index > 0 ? gap[index] : 0), start[index]);
      const ends = begin + ticks[index];
      if (ends > end[index]) return;
      starts[chain][index] = begin;
      at[chain] += 1;
      place(
        free.map((time, on) => (on === device[index] ? ends : time)),
        ended.map((time, own) => (own === chain ? ends : time)),
      );
      at[chain] -= 1;
    });
  };
  place(
    [0, 0, 0],
    strands.map(() => 0),
  );
  return isOpen ? least : undefined;
}

/** The pairs whose operations are there and share a device, so that the one that is second starts after the end of the first. */
const onOneDevice = (chains: readonly (readonly Operation[])[], known: readonly Known[]): readonly Known[] =>
  known.filter(
    ([before, first, after, second]) =>
      before !== after &&
      chains[before]?.[first] !== undefined &&
      chains[before]?.[first]?.device === chains[after]?.[second]?.device,
  );

describe('a contest of chains for devices', () => {
  it('finds out whether all can keep their windows, and no start that an order could be under', () => {
    let [open, refuted, exact, starts] = [0, 0, 0, 0];
    const contest = contestFor(4, 5, 5000);
    fc.assert(
      fc.property(shape, ({ chains, known }) => {
        const strands = strandsOf(chains, onOneDevice(chains, known));
        const least = allOrders(strands);
        expect(contest.run(strands)).toBe(least !== undefined);
        if (least === undefined) {
          refuted += 1;
          return;
        }
        open += 1;
        strands.forEach(({ earliest }, chain) =>
          earliest.forEach((start, place) => {
            expect(start).toBeLessThanOrEqual(least[chain][place]);
            starts += 1;
            if (start === least[chain][place]) exact += 1;
          }),
        );
      }),
      { numRuns: 250 },
    );
    expect(Math.min(open, refuted)).toBeGreaterThan(30);
    expect(exact / starts).toBeGreaterThan(0.995);
  });

  it('lets a chain wait for the end of an operation that a third one had to wait for', () => {
    const plain = { gap: 0, start: 0, slack: 100 };
    const strands = strandsOf(
      [
        [{ ...plain, device: 0, ticks: 4, slack: 4 }],
        [{ ...plain, device: 0, ticks: 1, start: 1 }],
        [
          { ...plain, device: 1, ticks: 3 },
          { ...plain, device: 0, ticks: 1 },
        ],
      ],
      [],
    );
    expect(contestFor(3, 2, 100).run(strands)).toBe(true);
    expect(strands.map(({ earliest }) => [...earliest])).toEqual([[0], [4], [0, 4]]);
  });

  it('says nothing if there are more states than it may keep', () => {
    const busy = Array.from({ length: 4 }, () =>
      Array.from({ length: 5 }, (_, at) => ({ device: at % 3, ticks: at + 1, gap: 0, start: 0, slack: 100 })),
    );
    const strands = strandsOf(busy, []);
    expect(contestFor(4, 5, 5000).run(strands)).toBe(true);
    expect(contestFor(4, 5, 20).run(strands)).toBeUndefined();
  });
});
