import { describe, expect, test } from 'vitest';
import * as fc from '../../support/property.ts';
import { accuracyNote, fitWords, kindWords, spreadWords } from '../../../engine/analyze/accuracyWords.ts';
import { publishedErrors } from '../../../engine/analyze/publishedErrors.ts';
import { accuracyOf, halfInterval, unknownMargin, usualMargin } from '../../../engine/analyze/spread.ts';
import type { RunKind } from '../../../engine/values/accuracy.ts';
import { analyse } from '../../support/analyse.ts';

const device = { peak: 100, capacity: 100 };

describe('half of the interval', () => {
  test('is the largest of five errors, the eighth of nine, and the 16th of 19', () => {
    expect(halfInterval([-0.3, 0.1, 0, 0.2, -0.1])).toBe(0.3);
    expect(halfInterval([1, 2, 3, 4, 5, 6, 7, 8, 9])).toBe(8);
    expect(halfInterval(Array.from({ length: 19 }, (_, at) => at + 1))).toBe(16);
  });

  test('has one more of exchangeable runs with a probability of 4 in 5 at least', () => {
    const errors = fc.uniqueArray(fc.double({ min: -1, max: 1, noNaN: true }), {
      ...{ minLength: 6, maxLength: 40, selector: Math.abs },
    });
    fc.assert(
      fc.property(errors, (runs) => {
        // Each run in turn is the further one.
        const within = runs.filter((run, at) => Math.abs(run) <= halfInterval(runs.filter((_, other) => other !== at)));
        expect(within.length / runs.length).toBeGreaterThanOrEqual(0.8);
      }),
    );
  });
});

describe('published runs of a kind', () => {
  const errorsFor = (figure: 'time' | 'memory', of: Partial<RunKind>): readonly number[] =>
    publishedErrors
      .filter(
        (each) =>
          each.figure === figure && Object.entries(of).every(([key, value]) => each[key as keyof RunKind] === value),
      )
      .flatMap(({ errors }) => errors);
  const kinds = fc.record({
    device: fc.constantFrom<RunKind['device']>('ampere', 'hopper', 'blackwell', undefined),
    format: fc.constantFrom<RunKind['format']>('16bit', 'fp8', 'fp4', 'other'),
    experts: fc.boolean(),
    nodes: fc.constantFrom<RunKind['nodes']>('one', 'several'),
  });

  test('are at least five, and all runs with what they have in common', () => {
    fc.assert(
      fc.property(kinds, ({ device: family, ...rest }) => {
        const kind = family === undefined ? rest : { device: family, ...rest };
        const found = accuracyOf(kind, [device]);
        expect(found?.time === undefined).toBe(family === undefined);
        for (const figure of ['time', 'memory'] as const) {
          const spread = found?.[figure];
          if (spread === undefined) continue;
          const errors = errorsFor(figure, spread.of);
          expect(spread.runs).toBe(errors.length);
          expect(spread.runs).toBeGreaterThanOrEqual(5);
          expect(spread.share).toBe(halfInterval(errors));
          expect(kind).toMatchObject(spread.of);
        }
        // As much as a peak at the end of the interval leaves: (1 + share) · peak = capacity.
        const share = found?.memory?.share ?? NaN;
        expect((1 + share) * (1 - usualMargin(kind))).toBeCloseTo(1, 12);
      }),
    );
  });

  test('give up nodes, format, device and mixture in this order, and no more than they must', () => {
    const orders: readonly (readonly string[])[] = [
      ['device', 'format', 'experts', 'nodes'],
      ['device', 'format', 'experts'],
      ['device', 'experts'],
      ['experts'],
      [],
    ];
    fc.assert(
      fc.property(kinds, (kind) => {
        const { of = {} } = accuracyOf(kind, [device])?.memory ?? {};
        const at = orders.findIndex(
          (keys) => keys.join() === ['device', 'format', 'experts', 'nodes'].filter((key) => key in of).join(),
        );
        expect(at).toBeGreaterThanOrEqual(0);
        for (const keys of orders.slice(0, at)) {
          if (keys.includes('device') && kind.device === undefined) continue;
          const narrower = Object.fromEntries(keys.map((key) => [key, kind[key as keyof typeof kind]]));
          expect(errorsFor('memory', narrower).length).toBeLessThan(5);
        }
      }),
    );
  });

  test('fit if their excess does, on every device', () => {
    const kind: RunKind = { device: 'hopper', format: '16bit', experts: false, nodes: 'one' };
    const errors = errorsFor('memory', accuracyOf(kind, [device])?.memory?.of ?? {});
    const fit = (...devices: readonly { peak: number; capacity: number }[]) => accuracyOf(kind, devices)?.memory?.fit;
    expect(fit({ peak: 1, capacity: 1000 })).toBe(errors.length);
    expect(fit({ peak: 1001, capacity: 1 })).toBe(0);
    expect(fit(device)).toBe(errors.filter((error) => error <= 0).length);
    expect(fit({ peak: 1, capacity: 1000 }, device)).toBe(fit(device));
  });

  test('say nothing of measured layers', () => {
    expect(accuracyOf(undefined, [device])).toBeUndefined();
    expect(usualMargin(undefined)).toBe(unknownMargin);
  });
});

describe('a pipeline', () => {
  const file = (more: string, kind = 'h100', layer = 'transformer(hidden = 2048, heads = 16)'): string => `
import { h100, mi300x } from "std:hardware"
device mine { from = h100  ${more} }
cluster box { node[2] { gpu[2] = ${kind}  link = 300GB/s }  link = 50GB/s }
model m { sequence = 1024  layer block[8] = ${layer} }
pipeline train { model = m  devices = box  stages = balance(4)  microbatches = 8  schedule = 1f1b }
`;
  const kindOf = (text: string): RunKind | undefined => analyse(text).pipelines[0].plan.runKind;

  test('is of the family of its device, which a device from it keeps unless it has an efficiency', () => {
    const kind = { device: 'hopper', format: '16bit', experts: false, nodes: 'several' };
    expect(kindOf(file(''))).toEqual(kind);
    expect(kindOf(file('memory = 90GiB', 'mine'))).toEqual(kind);
    const { device: _, ...rest } = kind;
    expect(kindOf(file('efficiency = 50%', 'mine'))).toEqual(rest);
    expect(kindOf(file('', 'mi300x'))).toEqual(rest);
  });

  test('with experts, in another format or on one node is of another kind', () => {
    const experts = 'transformer(hidden = 2048, heads = 16, experts = 8, experts_per_token = 2, expert_ffn = 1024)';
    expect(kindOf(file('', 'h100', experts))).toMatchObject({ experts: true });
    expect(kindOf(file('').replace('sequence', 'precision = fp8  sequence'))).toMatchObject({ format: 'fp8' });
    expect(kindOf(file('').replace('sequence', 'precision = tf32  sequence'))).toMatchObject({ format: 'other' });
    expect(kindOf(file('').replace(/node.*? link = 50GB\/s/, 'gpu[4] = h100  link = 300GB/s'))).toMatchObject({
      nodes: 'one',
    });
  });

  test('with a measured layer is of none', () => {
    const text = file('').replace('layer block', 'layer first { forward = 1ms  backward = 2ms }  layer block');
    expect(kindOf(text)).toBeUndefined();
    expect(analyse(text).pipelines[0].run?.report.accuracy).toBeUndefined();
  });
});

test('in words, the interval is rounded up', () => {
  expect(spreadWords({ share: 0.0701 })).toBe('± 8 %');
  expect(spreadWords({ share: 0.07 })).toBe('± 7 %');
  expect(fitWords({ fit: 1, runs: 20 })).toBe('fits in 1 of 20 such runs');
  expect(kindWords({})).toBe('any model and device');
  expect(kindWords({ device: 'hopper', format: 'fp8', experts: true, nodes: 'several' })).toBe(
    'H100 and H200, fp8, mixtures, several nodes',
  );
  const spread = { share: 0.1, mean: 0, runs: 12, of: { experts: false } };
  const kind: RunKind = { format: '16bit', experts: false, nodes: 'one' };
  expect(accuracyNote({ kind, time: spread, memory: { ...spread, runs: 7, fit: 3 } })).toBe(
    '±: 4 of 5 published runs of the kind. Time: 12 runs (dense); memory: 7 runs (dense)',
  );
});

test('runs that train all weights say nothing of runs that train a part of them', () => {
  const kind: RunKind = { device: 'hopper', format: '16bit', experts: false, nodes: 'one', part: true };
  expect(accuracyOf(kind, [device])).toEqual({ kind });
  expect(usualMargin(kind)).toBe(unknownMargin);
  expect(accuracyNote({ kind })).toContain('No published run');
});
