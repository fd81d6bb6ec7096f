import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import {
  amount,
  bytes,
  bytesApart,
  bytesChange,
  count,
  excludesSome,
  list,
  share,
  shareAtMost,
  time,
  timeAtLeast,
  tokens,
} from '../../../engine/basics/quantities.ts';

describe('quantities', () => {
  it.each([
    [time(0), '0 ms'],
    [time(0.812), '812 ms'],
    [time(4.2), '4.2 s'],
    [time(3.1e-6), '3.1 µs'],
    [time(2.5e-9), '2.5 ns'],
    [time(0.6e-9), '0.6 ns'],
    [time(6.94e-17), '0 ms'],
    [time(-0.4e-9), '0 ms'],
    [time(12345.6), '12346 s'],
    [time(0.2642, 4), '264.2 ms'],
    // What rounds up to the next unit is shown in it.
    [time(0.000_999_999_99), '1 ms'],
    [time(999.6e-9), '1 µs'],
    [time(0.9996), '1 s'],
    [time(0.9994), '999 ms'],
    [time(0.999_94, 4), '999.9 ms'],
    [time(0.999_96, 4), '1 s'],
    [time(-0.999_96e-3, 4), '−1 ms'],
    [time(4e300), '4e+300 s'],
    [time(4.5e300), '4.5e+300 s'],
    [bytes(2 ** 60 * 1e20), '1.024e+23 PiB'],
    [bytes(0), '0 B'],
    [bytes(21.4 * 2 ** 30), '21.4 GiB'],
    [bytes(512 * 2 ** 20), '512 MiB'],
    [bytes(1023), '1023 B'],
    [bytesChange(-1022 * 2 ** 20), '−0.998 GiB'],
    [bytesChange(512 * 2 ** 20), '+512 MiB'],
    [bytesChange(-1023 * 2 ** 30), '−0.999 TiB'],
    [bytesChange(0), '± 0'],
    [bytesApart(1022 * 2 ** 10), '0.998 MiB'],
    [bytesApart(999 * 2 ** 20), '999 MiB'],
    [share(0.27272), '27.3 %'],
    [share(0.09, true), '+9 %'],
    [share(0.2726), '27.3 %'],
    [share(0.27249), '27.2 %'],
    [share(-0.0904, true), '−9 %'],
    [share(-0.1236), '−12.4 %'],
    // Under half of the last digit that is shown there is nothing; from there on it is rounded up.
    [share(0.0004999), '0 %'],
    [share(0.0005), '0.1 %'],
    [share(0.0014), '0.1 %'],
    [share(0.9994), '99.9 %'],
    [share(0.9996), '100 %'],
    [share(1.2345), '123 %'],
    [share(1.236), '124 %'],
    [shareAtMost(0.0011), '0.2 %'],
    [shareAtMost(0.002), '0.2 %'],
    [share(1), '100 %'],
    [excludesSome(0.0004999), false],
    [excludesSome(0.0005), true],
    [amount(22.1e9), '22.1 G'],
    [tokens(100e9), '100 B tokens'],
    [tokens(15e12), '15 T tokens'],
    [tokens(512), '512 tokens'],
    [count(1, 'microbatch', 'microbatches'), '1 microbatch'],
    [count(100_000, 'operation', 'operations'), '100,000 operations'],
    [list(['a', 'b', 'c']), 'a, b and c'],
  ])('%s', (shown, expected) => expect(shown).toBe(expected));

  it('is what is shown, to three digits', () => {
    const read = (text: string) => {
      const [figure, unit] = text.split(' ');
      const scale = {
        s: 1,
        ms: 1e-3,
        µs: 1e-6,
        ns: 1e-9,
        B: 1,
        KiB: 2 ** 10,
        MiB: 2 ** 20,
        GiB: 2 ** 30,
        TiB: 2 ** 40,
        PiB: 2 ** 50,
      };
      return Number(figure) * (scale[unit as keyof typeof scale] ?? NaN);
    };
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e300, noNaN: true }), (value) => {
        expect(read(time(value)) / value).toBeCloseTo(1, 2);
        if (value >= 1) expect(read(bytes(value)) / value).toBeCloseTo(1, 2);
      }),
      { numRuns: 2000 },
    );
  });

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

it.each([
  [3.195, '3.19 s'],
  [3.2, '3.2 s'],
  [0.999_9, '999 ms'],
  [1.279, '1.27 s'],
  [0.402, '402 ms'],
  [0.070_84, '70.8 ms'],
  [5e-6, '5 µs'],
  [126.7, '126 s'],
  [0, '0 ms'],
])('a time that something is at least is never rounded up: %d s', (seconds, text) => {
  expect(timeAtLeast(seconds)).toBe(text);
});
