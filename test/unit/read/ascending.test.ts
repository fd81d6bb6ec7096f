import { expect, it } from 'vitest';
import { ascending } from '../../../engine/read/ascending.ts';
import * as fc from '../../support/property.ts';

/** Sizes and ranges for each of the methods: few numbers, numbers that are close together, numbers with several digits. */
const lists = fc.oneof(
  fc.array(fc.nat(2 ** 31 - 1)),
  fc.array(fc.nat(40), { maxLength: 60 }),
  fc
    .tuple(fc.integer({ min: 1024, max: 1200 }), fc.constantFrom(100_000, 2 ** 31 - 1), fc.nat(1e9))
    .map(([length, most, seed]) => Array.from({ length }, (_, at) => ((at + seed) * 2_654_435_761) % most)),
);

it('gives positions of ascending numbers, of equal ones the first first', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const expected = list.map((_, at) => at).sort((a, b) => list[a] - list[b] || a - b);
      expect(Array.from(ascending(Int32Array.from(list)))).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});
