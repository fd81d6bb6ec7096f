import * as fc from '../../../support/property.ts';
import { expect, test } from 'vitest';
import type { SomeLayers } from '../../../../engine/costs/recompute.ts';
import { dappleSteps } from '../../../../engine/planning/cut/planners/dapple.ts';
import { searchSuffixes } from '../../../../engine/planning/cut/planners/dappleSearch.ts';
import {
  againIn,
  endOf,
  someLayers,
  type LayerFigures,
  plannerLayers,
  plansOf,
  slicesOf,
  type Split,
  sumOf,
} from './plans.ts';

interface Setting {
  readonly layers: readonly LayerFigures[];
  readonly some?: SomeLayers;
  readonly machines: number;
  readonly microbatches: number;
  readonly data: number;
  readonly link: { readonly bandwidth: number; readonly latency: number; readonly alone: boolean };
}

/** L of Fan et al., "DAPPLE" (2021), section 4, written out over the list of stages and transfers. */
function latency({ layers, some, microbatches: M, data, link }: Setting, plan: readonly Split[]): number {
  const steps = plan.flatMap(({ from, to, replicas }, stage) => {
    const own = layers.slice(from, to);
    const n = replicas * data;
    const bytes = sumOf(own.map((layerFigures) => layerFigures.gradients));
    const step = {
      F: sumOf(own.map((layerFigures) => layerFigures.forward)) / replicas,
      B: (sumOf(own.map((layerFigures) => layerFigures.backward)) + againIn(own, some)) / replicas,
      AR: 2 * (n - 1) * (link.latency + bytes / n / link.bandwidth),
    };
    if (stage === 0) return [step];
    const lanes = link.alone ? Math.min(replicas, plan[stage - 1].replicas) : 1;
    const sent = link.latency + layers[from - 1].output / (lanes * link.bandwidth);
    return [{ F: sent, B: sent, AR: 0 }, step];
  });
  const both = (from: number, to: number) => sumOf(steps.slice(from, to).map((step) => step.F + step.B));
  const backward = (from: number, to: number) => sumOf(steps.slice(from, to).map((step) => step.B));
  let Q = steps.length - 1;
  for (let s = Q - 1; s >= 0; s -= 1) if ((M - 1) * both(s, s + 1) > (M - 1) * both(Q, Q + 1) + both(s + 1, Q)) Q = s;
  const ending = steps.map(({ AR }, s) => AR + (s <= Q ? backward(s, Q + 1) : -backward(Q, s)));
  return sumOf(steps.slice(0, Q + 1).map((step) => step.F)) + (M - 1) * both(Q, Q + 1) + Math.max(...ending);
}

/** Divisible by all replicas, data ranks and bandwidths below, so that no sum is rounded: a pivot of equal figures is a pivot everywhere. */
const unit = 840 * 8;
const numbersTo = (max: number) => fc.integer({ min: 0, max }).map((number) => number * unit);
const numbers = numbersTo(16);
const layer = fc.record({ forward: numbers, backward: numbers, gradients: numbers, output: numbers });
const setting = (layers: number, machines: number): fc.Arbitrary<Setting> =>
  fc.record({
    layers: fc.array(layer, { minLength: 1, maxLength: layers }),
    machines: fc.integer({ min: 1, max: machines }),
    microbatches: fc.integer({ min: 1, max: 9 }),
    data: fc.constantFrom(1, 2),
    link: fc.record({
      bandwidth: fc.constantFrom(1, 2, 8),
      latency: fc.constantFrom(0, unit),
      alone: fc.boolean(),
    }),
  });

const searched = ({ layers, some, ...rest }: Setting) =>
  endOf(dappleSteps({ planner: 'dapple', ...rest, layers: plannerLayers(layers, some) }));

/** With layers of which each stage recomputes some. */
const recomputing = (layers: number, machines: number): fc.Arbitrary<Setting> =>
  fc
    .record({
      one: setting(layers, machines),
      again: fc.array(fc.option(numbers, { nil: undefined }), { minLength: layers, maxLength: layers }),
      some: fc.constantFrom(...someLayers),
    })
    .map(({ one, again, some }) => ({
      ...one,
      some,
      layers: one.layers.map((figures, at) => (again[at] === undefined ? figures : { ...figures, again: again[at] })),
    }));

test.each([
  ['plain layers', setting(7, 4)],
  ['stages that recompute some layers', recomputing(6, 3)],
])('no cut and no replicas have a shorter latency than the plan: %s', (_name, settings) => {
  fc.assert(
    fc.property(settings, (one) => {
      const planned = searched(one);
      const least = Math.min(...plansOf(one.layers.length, one.machines).map((plan) => latency(one, plan)));
      expect(planned.exact).toBe(true);
      expect(planned.seconds).toBeCloseTo(least, 9);
      expect(planned.least).toBe(planned.seconds);
      expect(latency(one, planned.stages)).toBeCloseTo(least, 9);
    }),
    { numRuns: 120 },
  );
});

/** forward, backward, gradients, output */
const figures = (rows: readonly (readonly [number, number, number, number])[]): LayerFigures[] =>
  rows.map((row) => {
    const [forward, backward, gradients, output] = row.map((number) => number * unit);
    return { forward, backward, gradients, output };
  });

test.each([
  { more: [], machines: 3 },
  { more: [[1, 0, 400, 0] as const], machines: 4 },
  { more: [[1, 0, 400, 0] as const, [1, 0, 400, 0] as const], machines: 5 },
])('a stage that starts earlier may be faster, as it recomputes another layer: %j', ({ more, machines }) => {
  // The second layer alone recomputes for 20; with the first one in front of it, for nothing.
  const [before, first, second, ...behind] = figures([[1, 0, 400, 0], [1, 0, 0, 0], [1, 0, 0, 0], ...more]);
  const layers = [before, { ...first, again: 0 }, { ...second, again: 20 * unit }, ...behind];
  const link = { bandwidth: 1, latency: 0, alone: false };
  const some: SomeLayers = { method: 'block', layers: 1 };
  const one: Setting = { layers, some, machines, microbatches: 90, data: 1, link };
  const planned = searched(one);
  expect(planned.exact).toBe(true);
  expect(planned.seconds).toBeCloseTo(
    Math.min(...plansOf(layers.length, machines).map((plan) => latency(one, plan))),
    9,
  );
  expect(planned.stages).toContainEqual({ from: 1, to: 3, replicas: 2 });
});

/** Each needs one of the conditions under which a suffix dominates another, or a bound as low as it is. */
const inner: [LayerFigures[], number, number, boolean][] = [
  [
    figures([
      [1, 0, 0, 4],
      [0, 6, 0, 1],
      [2, 0, 12, 18],
      [2, 2, 7, 14],
      [0, 1, 31, 0],
    ]),
    5,
    2,
    true,
  ],
  [
    figures([
      [0, 0, 1, 0],
      [3, 0, 0, 0],
      [2, 0, 7, 8],
      [0, 0, 0, 1],
      [1, 2, 5, 10],
      [0, 5, 11, 0],
    ]),
    6,
    2,
    false,
  ],
  [
    figures([
      [0, 5, 0, 1],
      [0, 0, 3, 0],
      [0, 3, 8, 0],
      [0, 0, 0, 0],
      [2, 6, 8, 0],
    ]),
    6,
    1,
    false,
  ],
];

test('the same where transfers take far longer than stages, few microbatches run, and the pivot is an inner step', () => {
  const one = fc.record({
    forward: numbersTo(3),
    backward: numbersTo(6),
    gradients: numbersTo(40),
    output: numbersTo(40),
  });
  fc.assert(
    fc.property(
      fc.array(one, { minLength: 4, maxLength: 6 }),
      fc.integer({ min: 2, max: 6 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      (layers, machines, microbatches, alone) => {
        const given = { layers, machines, microbatches, data: 1, link: { bandwidth: 4, latency: 0, alone } };
        const least = Math.min(...plansOf(layers.length, machines).map((plan) => latency(given, plan)));
        expect(searched(given).seconds).toBeCloseTo(least, 9);
      },
    ),
    { numRuns: 120, examples: inner },
  );
});

const tied: Setting = {
  layers: figures([
    [6, 14, 16, 0],
    [5, 3, 5, 13],
    [2, 4, 16, 7],
    [9, 14, 16, 0],
    [2, 1, 0, 0],
  ]),
  machines: 4,
  microbatches: 1,
  data: 2,
  link: { bandwidth: 1, latency: unit, alone: true },
};

test('of equally short plans one that takes the fewest machines', () => {
  fc.assert(
    fc.property(setting(5, 4), (one) => {
      const planned = searched(one);
      const used = (plan: readonly Split[]) => sumOf(plan.map(({ replicas }) => replicas));
      const equal = plansOf(one.layers.length, one.machines).filter((plan) => latency(one, plan) === planned.seconds);
      expect(used(planned.stages)).toBeLessThanOrEqual(Math.min(...equal.map(used)));
    }),
    { numRuns: 100, examples: [[tied]] },
  );
});

/** Layers whose times and sizes differ, from a generator of its own: the same on every run. */
function unevenLayers(count: number): readonly LayerFigures[] {
  let state = 7;
  const share = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  return Array.from({ length: count }, () => {
    const forward = 0.2e-3 + 2e-3 * share();
    return { forward, backward: 2 * forward, gradients: 1e8 * share(), output: 1e7 * share() };
  });
}

test('60 layers on 16 machines: the least of all plans, in a counted number of slices', () => {
  const layers = unevenLayers(60);
  const link = { bandwidth: 50e9, latency: 1e-5, alone: true };
  const given = { layers, machines: 16, microbatches: 32, data: 1, link };
  const { answer, slices } = slicesOf(dappleSteps({ planner: 'dapple', ...given, layers: plannerLayers(layers) }));
  expect(answer.exact).toBe(true);
  expect(latency(given, answer.stages)).toBeCloseTo(answer.seconds, 12);
  // A slice is 100,000 transitions; with all suffixes there would be more than 60² · 16³ / 12 of them.
  expect(slices).toBeLessThan(20);
});

test('a search that ends early gives a bound that no plan is below', () => {
  fc.assert(
    fc.property(setting(6, 4), fc.integer({ min: 0, max: 40 }), (one, budget) => {
      const problem = { planner: 'dapple', ...one, layers: plannerLayers(one.layers) } as const;
      const shortest = Math.min(...plansOf(one.layers.length, one.machines).map((plan) => latency(one, plan)));
      for (const kept of [1, Infinity]) {
        const search = endOf(searchSuffixes(problem));
        const { exact, least } = endOf(search.run(kept, budget));
        const { stages, seconds } = search.best();
        expect(least).toBeLessThanOrEqual(shortest * (1 + 1e-9));
        expect(latency(one, stages)).toBeCloseTo(seconds, 9);
        if (exact) expect(seconds).toBeCloseTo(shortest, 9);
      }
    }),
    { numRuns: 300 },
  );
});

test('more plans than the budget allows: the best of those that were met, after a counted number of slices', () => {
  const layers = unevenLayers(60);
  const given = {
    layers,
    machines: 16,
    microbatches: 8,
    data: 1,
    link: { bandwidth: 2e9, latency: 1e-5, alone: true },
  };
  const { answer, slices } = slicesOf(dappleSteps({ planner: 'dapple', ...given, layers: plannerLayers(layers) }));
  expect(answer.exact).toBe(false);
  expect(slices).toBeLessThan(300);
  expect(latency(given, answer.stages)).toBeCloseTo(answer.seconds, 9);
  expect(answer.least).toBeLessThan(answer.seconds);
  for (let replicas = 1; replicas <= 16; replicas += 1)
    expect(answer.seconds).toBeLessThanOrEqual(latency(given, [{ from: 0, to: 60, replicas }]));
});
