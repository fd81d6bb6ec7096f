import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { SomeLayers } from '../../../engine/costs/recompute.ts';
import { balanceRuns } from '../../../engine/planning/cut/balanceRuns.ts';
import { againIn, type LayerFigures, someLayers, sumOf } from './planners/plans.ts';

/** Every cut into non-empty parts, by first positions. */
function* cuts(count: number, parts: number, first = 0): Generator<number[]> {
  if (parts === 1) yield [first];
  else
    for (let next = first + 1; next <= count - parts + 1; next += 1)
      for (const rest of cuts(count, parts - 1, next)) yield [first, ...rest];
}

const layer = (forward: number, again?: number): LayerFigures => ({
  ...{ forward, backward: 0, gradients: 0, output: 0 },
  ...(again === undefined ? {} : { again }),
});

/** Seconds of each stage, by the modes of its layers. `slow`: factor of each stage's device. */
const timesOf = (
  layers: readonly LayerFigures[],
  some: SomeLayers,
  starts: readonly number[],
  slow: readonly number[],
) =>
  starts.map((start, stage) => {
    const within = layers.slice(start, starts[stage + 1] ?? layers.length);
    return slow[stage] * (sumOf(within.map(({ forward }) => forward)) + againIn(within, some));
  });

function found(layers: readonly LayerFigures[], some: SomeLayers, slow: readonly number[]): number[] {
  const rows = [...new Set(slow)];
  return [
    ...balanceRuns({
      some,
      blocks: Uint8Array.from(layers, ({ again }) => (again === undefined ? 0 : 1)),
      rows: rows.map((factor) => ({
        times: Float64Array.from(layers, ({ forward }) => factor * forward),
        again: Float64Array.from(layers, ({ again = 0 }) => factor * again),
      })),
      kinds: slow.map((factor) => rows.indexOf(factor)),
    }),
  ];
}

const squares = (times: readonly number[]) => times.reduce((sum, time) => sum + time * time, 0);
const whole = fc.integer({ min: 0, max: 9 });

describe('the balanced cut of stages that recompute some layers', () => {
  it('finds the least slowest stage and among those the least sum of squares, as brute force does', () => {
    const setting = fc.record({
      layers: fc.array(
        fc.tuple(whole, fc.option(whole, { nil: undefined })).map(([forward, again]) => layer(forward, again)),
        { minLength: 1, maxLength: 10 },
      ),
      some: fc.constantFrom(...someLayers),
      stages: fc.integer({ min: 1, max: 4 }),
      equal: fc.boolean(),
      slow: fc.array(fc.constantFrom(1, 2, 4), { minLength: 4, maxLength: 4 }),
    });
    fc.assert(
      fc.property(setting, ({ layers, some, stages, equal, slow }) => {
        const parts = Math.min(stages, layers.length);
        const factors = slow.slice(0, parts).map((factor) => (equal ? 1 : factor));
        const all = [...cuts(layers.length, parts)].map((starts) => timesOf(layers, some, starts, factors));
        const least = Math.min(...all.map((times) => Math.max(...times)));
        const even = Math.min(...all.filter((times) => Math.max(...times) === least).map(squares));
        const starts = found(layers, some, factors);
        expect(starts).toHaveLength(parts);
        const times = timesOf(layers, some, starts, factors);
        expect(Math.max(...times)).toBeCloseTo(least, 9);
        expect(squares(times)).toBeCloseTo(even, 3);
      }),
      { numRuns: 500 },
    );
  });

  it('counts layers from the first one of each stage', () => {
    // A head as slow as two layers: with 2 layers of 1 s recomputed in each stage, 5 + 2 = 7 and 3 + 2 + 2 = 7.
    const layers = [...new Array<LayerFigures>(8).fill(layer(1, 1)), layer(2)];
    expect(found(layers, { method: 'block', layers: 2 }, [1, 1])).toEqual([0, 5]);
    // Without a limit of layers, 5 + 5 and 3 + 3 + 2.
    expect(found(layers, { method: 'block', layers: 8 }, [1, 1])).toEqual([0, 4]);
    expect(found(layers, { method: 'every', layers: 4 }, [1, 1])).toEqual([0, 5]);
  });

  it('finds a cut where one stage of all layers recomputes less than several do', () => {
    const layers = [layer(0), layer(0, 0), layer(1), layer(0, 2)];
    expect(found(layers, { method: 'block', layers: 1 }, [1, 1, 1])).toEqual([0, 1, 3]);
  });

  it('cuts equal layers evenly whatever they cost, the smaller stages first', () => {
    for (const each of [1, 0.004, 1 / 3, 1e-7]) {
      const layers = new Array<LayerFigures>(11).fill(layer(each, each / 3));
      expect(found(layers, { method: 'block', layers: 1 }, [1, 1, 1, 1])).toEqual([0, 2, 5, 8]);
    }
  });

  it('is exact for many layers, where the sum of squares is not looked at', () => {
    const layers = Array.from({ length: 12_000 }, (_, index) => layer(1, index % 2 === 0 ? 1 : undefined));
    const some: SomeLayers = { method: 'every', layers: 2 };
    // Three of four layers' seconds are recomputed or not: 4 layers take 5 s.
    const times = timesOf(layers, some, found(layers, some, [1, 1]), [1, 1]);
    expect(Math.max(...times)).toBe(7500);
  });
});
