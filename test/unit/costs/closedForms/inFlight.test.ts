import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { layer, near, run } from './run.ts';

/** Dimensions of the layers, tokens and ranks; coefficient of sbh of a layer with and without recomputation of each kind. */
const [h, a] = [48, 4];
type Mode = 'none' | 'selective' | 'full';
interface Case {
  readonly p: number;
  readonly m: number;
  readonly v: number;
  readonly n: number;
  readonly s: number;
  readonly t: number;
  readonly mode: Mode;
}
const cases = fc
  .record({
    p: fc.integer({ min: 2, max: 5 }),
    rounds: fc.integer({ min: 1, max: 4 }),
    odd: fc.nat(3),
    v: fc.integer({ min: 2, max: 3 }),
    n: fc.integer({ min: 1, max: 3 }),
    s: fc.constantFrom(8, 24),
    t: fc.constantFrom(1, 2),
    mode: fc.constantFrom<Mode>('none', 'selective', 'full'),
  })
  .map(({ rounds, odd, ...one }) => ({ ...one, m: one.p * rounds, odd }));

/** Bytes of one microbatch that a layer keeps, and makes again (tensor ranks with sequence parallelism). */
function layerBytes({ s, t, mode }: Case): { readonly kept: number; readonly again: number } {
  const sbh = s * h;
  const scores = (5 * a * s * s) / t;
  const all = (34 * sbh) / t + scores;
  const again = mode === 'none' ? 0 : mode === 'selective' ? scores : all - (2 * sbh) / t;
  return { kept: all - again, again };
}

/** Devices of a run with n layers in each stage. */
const devicesOf = (one: Case, schedule: string, chunks = 1) =>
  run({
    model: { sequence: one.s },
    layers: [layer(`block[${one.n * one.p * chunks}]`, 'transformer', { hidden: h, heads: a })],
    devices: one.p * one.t,
    stages: Array.from(
      { length: one.p * chunks },
      (_, stage) => `block[${stage * one.n}..${stage * one.n + one.n - 1}]`,
    ),
    pipeline: {
      ...{ microbatches: one.m, schedule, tensor: one.t, recompute: one.mode },
      ...(one.t > 1 ? { sequence_parallel: true } : {}),
    },
  }).report.devices;

/** Row: name, schedule, chunks, microbatches (chunks) that device i holds at its peak. */
const rows: readonly (readonly [
  string,
  (one: Case) => string,
  (one: Case) => number,
  (i: number, one: Case) => number,
])[] = [
  ['GPipe: m', () => 'gpipe', () => 1, (_, { m }) => m],
  ['1F1B: min(m, p − i)', () => '1f1b', () => 1, (i, { m, p }) => Math.min(m, p - i)],
  [
    'interleaved: min(mv, 2(p − i − 1) + (v − 1)p + 1) chunks of L/(pv) layers',
    ({ v }) => `interleaved_1f1b(chunks = ${v})`,
    ({ v }) => v,
    (i, { m, p, v }) => Math.min(m * v, 2 * (p - i - 1) + (v - 1) * p + 1),
  ],
  ['eager 1F1B: min(m, 2(p − i) − 1)', () => 'eager_1f1b', () => 1, (i, { m, p }) => Math.min(m, 2 * (p - i) - 1)],
];

describe('activations at the peak are those of a layer × layers × microbatches in flight', () => {
  test.each(rows)('%s', (_name, schedule, chunks, inFlight) => {
    fc.assert(
      fc.property(cases, (made) => {
        // Interleaved stages need whole rounds; the others take any number.
        const one = chunks(made) > 1 ? made : { ...made, m: made.m + made.odd };
        const { kept, again } = layerBytes(one);
        for (const [i, device] of devicesOf(one, schedule(one), chunks(one)).entries()) {
          const expected = inFlight(i, one) * one.n * kept + again;
          expect(device.in_flight).toBe(inFlight(i, one));
          expect(device.memory.activations).toSatisfy((found: number) => near(found, expected));
          const { weights, gradients, optimizer, buffers } = device.memory;
          const scores = (2 * a * one.s ** 2) / one.t;
          expect(device.peak).toSatisfy((found: number) =>
            near(found, weights + gradients + optimizer + buffers + expected + scores),
          );
        }
      }),
      { numRuns: 20 },
    );
  });

  test('1F1B: the first stage holds L layers whatever p is; interleaved L(1 + (p − 1)/(pv))', () => {
    const L = 24;
    const base = { s: 8, t: 1, mode: 'none' } as const;
    for (const p of [2, 3, 4, 6, 12]) {
      const one = { ...base, p, m: 2 * p, v: 2, n: L / p };
      const { kept } = layerBytes(one);
      expect(devicesOf(one, '1f1b')[0].memory.activations).toBeCloseTo(L * kept, 3);
      const found = devicesOf({ ...one, n: L / p / 2 }, 'interleaved_1f1b(chunks = 2)', 2)[0].memory.activations;
      expect(found).toBeCloseTo(L * (1 + (p - 1) / (2 * p)) * kept, 3);
    }
  });

  // Device i has `ahead` microbatches between F and I, each of M_B, and `behind` between I and W, each of M_W.
  test.each([
    ['ZB-H1', 'zb_h1', (p: number) => p, (p: number, i: number) => [p - i, i]],
    ['ZB-H2', 'zb_h2', (p: number) => 2 * p - 1, (p: number, i: number) => [2 * (p - i) - 1, 2 * i]],
  ] as const)(
    '%s: M_B until I and M_W = 32sbh until W; the first stage holds the most',
    (_name, policy, most, split) => {
      fc.assert(
        fc.property(cases, (made) => {
          const one = { ...made, mode: 'none', m: most(made.p) + made.m + made.odd, t: 1 } as const;
          const { kept } = layerBytes(one);
          const devices = devicesOf(one, policy);
          for (const [i, device] of devices.entries()) {
            const [ahead, behind] = split(one.p, i);
            const expected = one.n * (ahead * kept + behind * 32 * one.s * h);
            expect(device.in_flight).toBe(most(one.p));
            expect(device.memory.activations).toSatisfy((found: number) => near(found, expected));
          }
          expect(devices[0].memory.activations).toBeCloseTo(most(one.p) * one.n * kept, 3);
        }),
        { numRuns: 30 },
      );
    },
  );
});
