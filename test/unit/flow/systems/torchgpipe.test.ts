import { describe, expect, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';

const [MiB, ms] = [2 ** 20, 1e-3];
// Equal stages of one layer: forward, backward, which is also the time of a recomputation; bytes of a whole stage; skip tensor.
const [K, F, B, R, whole, skip] = [4, 8 * ms, 16 * ms, 8 * ms, 96 * MiB, 32 * MiB];
/** Bytes of the outputs that go from each stage to the next. */
const between = [32 * MiB, 16 * MiB, 16 * MiB];

describe.each([1, 2, 8, 20])('torchgpipe with %i microbatches', (M) => {
  const [portals, relays, kept] = analyseExample('systems/torchgpipe.pipe', { microbatches: M }).pipelines.map(
    (pipeline) => pipeline.run?.report,
  );
  const bytesOf = (report: typeof portals, from: number, to: number) =>
    report?.links.find((link) => link.from === `gpu[${from}]` && link.to === `gpu[${to}]`)?.bytes ?? 0;

  test('ends after (M + K − 1)(F + B) and the recomputation of all microbatches but the last', () => {
    const hops = (bytes: readonly number[]) => bytes.reduce((sum, value) => sum + (2 * value) / 1000e9, 0);
    expect(kept?.iteration).toBeCloseTo((M + K - 1) * (F + B) + hops(between), 9);
    expect(portals?.iteration).toBeCloseTo((M + K - 1) * (F + B) + (M - 1) * R + hops(between), 9);
    const relayed = hops(between.map((value) => value + skip));
    expect(relays?.iteration).toBeCloseTo((M + K - 1) * (F + B) + (M - 1) * R + relayed, 9);
  });

  test('keeps the inputs of a stage and one whole microbatch', () => {
    const held = (report: typeof portals) => report?.devices.map((device) => device.memory.activations);
    // What enters: nothing but data, the output of the layer above, and for the last one the skip tensor too.
    const inputs = [0, 32 * MiB, 16 * MiB, (16 + 32) * MiB];
    expect(held(kept)).toEqual(inputs.map(() => M * whole));
    expect(held(portals)).toEqual(inputs.map((input) => (M - 1) * input + whole));
    // Stages between hold the skip tensor of every microbatch too.
    expect(held(relays)).toEqual(
      inputs.map((input, k) => (M - 1) * input + whole + (k === 1 || k === 2 ? M * skip : 0)),
    );
  });

  test('sends the skip tensor straight to its stage, or over every hop', () => {
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 3],
    ] as const) {
      for (const [a, b] of [
        [from, to],
        [to, from],
      ] as const) {
        expect(bytesOf(portals, a, b)).toBe(M * between[from]);
        expect(bytesOf(relays, a, b)).toBe(M * (between[from] + skip));
      }
    }
    expect([bytesOf(portals, 0, 3), bytesOf(portals, 3, 0)]).toEqual([M * skip, M * skip]);
    expect(relays?.links.some((link) => link.from === 'gpu[0]' && link.to === 'gpu[3]')).toBe(false);
  });
});
