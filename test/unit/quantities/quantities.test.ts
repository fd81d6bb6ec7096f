import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, bytes, count, list, share, time } from '../../../engine/quantities.ts';

describe('quantities', () => {
  it.each([
    [time(0), '0 ms'],
    [time(0.812), '812 ms'],
    [time(4.2), '4.2 s'],
    [time(3.1e-6), '3.1 µs'],
    [time(2.5e-9), '2.5 ns'],
    [time(12345.6), '12346 s'],
    [time(0.2642, 4), '264.2 ms'],
    [bytes(0), '0 B'],
    [bytes(21.4 * 2 ** 30), '21.4 GiB'],
    [bytes(512 * 2 ** 20), '512 MiB'],
    [bytes(1023), '1023 B'],
    [share(0.27272), '27.3 %'],
    [share(0.09, true), '+9 %'],
    [share(1), '100 %'],
    [amount(22.1e9), '22.1 G'],
    [count(1, 'microbatch', 'microbatches'), '1 microbatch'],
    [count(100_000, 'operation', 'operations'), '100,000 operations'],
    [list(['a', 'b', 'c']), 'a, b and c'],
  ])('%s', (shown, expected) => expect(shown).toBe(expected));

  it('shows any number there is', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        for (const show of [time, bytes, share, amount]) expect(show(value)).toMatch(/\S/);
      }),
      { numRuns: 2000 },
    );
    for (const value of [1e300, -1e300, Number.MAX_VALUE, Number.MIN_VALUE, Infinity, NaN]) {
      for (const show of [time, bytes, share, amount]) expect(show(value)).toMatch(/\S/);
    }
  });
});
