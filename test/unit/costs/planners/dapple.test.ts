import * as fc from '../../../support/property.ts';
import { expect, test } from 'vitest';
import { dappleExact, planDapple } from '../../../../engine/planning/cut/planners/dapple.ts';
import { type LayerFigures, type Split, plannerLayers, plansOf, sumOf } from './plans.ts';

interface Setting {
  readonly layers: readonly LayerFigures[];
  readonly machines: number;
  readonly microbatches: number;
  readonly data: number;
  readonly link: { readonly bandwidth: number; readonly latency: number; readonly alone: boolean };
}

/** L of Fan et al., "DAPPLE" (2021), section 4, written out over the list of stages and transfers. */
function latency({ layers, microbatches: M, data, link }: Setting, plan: readonly Split[]): number {
  const steps = plan.flatMap(({ from, to, replicas }, stage) => {
    const own = layers.slice(from, to);
    const n = replicas * data;
    const bytes = sumOf(own.map((one) => one.gradients));
    const step = {
      F: sumOf(own.map((one) => one.forward)) / replicas,
      B: sumOf(own.map((one) => one.backward)) / replicas,
      AR: 2 * (n - 1) * link.latency + (((2 * (n - 1)) / n) * bytes) / link.bandwidth,
    };
    if (stage === 0) return [step];
    const lanes = link.alone ? Math.min(replicas, plan[stage - 1].replicas) : 1;
    const sent = link.latency + layers[from - 1].output / (lanes * link.bandwidth);
    return [{ F: sent, B: sent, AR: 0 }, step];
  });
  const both = (from: number, to: number) => sumOf(steps.slice(from, to).map((one) => one.F + one.B));
  const backward = (from: number, to: number) => sumOf(steps.slice(from, to).map((one) => one.B));
  let Q = steps.length - 1;
  for (let s = Q - 1; s >= 0; s -= 1) if ((M - 1) * both(s, s + 1) > (M - 1) * both(Q, Q + 1) + both(s + 1, Q)) Q = s;
  const ending = steps.map(({ AR }, s) => AR + (s <= Q ? backward(s, Q + 1) : -backward(Q, s)));
  return sumOf(steps.slice(0, Q + 1).map((one) => one.F)) + (M - 1) * both(Q, Q + 1) + Math.max(...ending);
}

const numbers = fc.integer({ min: 0, max: 16 });
const layer = fc.record({ forward: numbers, backward: numbers, gradients: numbers, output: numbers });
const setting = (layers: number, machines: number): fc.Arbitrary<Setting> =>
  fc.record({
    layers: fc.array(layer, { minLength: 1, maxLength: layers }),
    machines: fc.integer({ min: 1, max: machines }),
    microbatches: fc.integer({ min: 1, max: 9 }),
    data: fc.constantFrom(1, 2),
    link: fc.record({
      bandwidth: fc.constantFrom(1, 2, 8),
      latency: fc.constantFrom(0, 1),
      alone: fc.boolean(),
    }),
  });

test('no cut and no replicas have a shorter latency than the plan', () => {
  fc.assert(
    fc.property(setting(7, 4), (one) => {
      const layers = plannerLayers(one.layers);
      expect(dappleExact({ layers, machines: one.machines })).toBe(true);
      const planned = planDapple({ ...one, layers });
      const least = Math.min(...plansOf(one.layers.length, one.machines).map((plan) => latency(one, plan)));
      expect(planned.seconds).toBeCloseTo(least, 9);
      expect(latency(one, planned.stages)).toBeCloseTo(least, 9);
    }),
    { numRuns: 200 },
  );
});

test('all plans are looked at as long as they are 50,000 at most', () => {
  for (let count = 1; count <= 7; count += 1)
    for (let machines = 1; machines <= 6; machines += 1) {
      const layers = plannerLayers(
        Array.from({ length: count }, () => ({ forward: 1, backward: 1, gradients: 1, output: 1 })),
      );
      expect(dappleExact({ layers, machines })).toBe(plansOf(count, machines).length <= 50_000);
    }
  const many = plannerLayers(Array.from({ length: 48 }, () => ({ forward: 1, backward: 1, gradients: 1, output: 1 })));
  expect(dappleExact({ layers: many, machines: 16 })).toBe(false);
});

test('a bounded search gives a latency that its plan has, not above data parallel or one stage a device', () => {
  fc.assert(
    fc.property(fc.array(layer, { minLength: 30, maxLength: 40 }), fc.integer({ min: 2, max: 12 }), (layers, M) => {
      const link = { bandwidth: 2, latency: 0, alone: true };
      const one = { layers, machines: 8, microbatches: M, data: 1, link };
      const planned = planDapple({ ...one, layers: plannerLayers(layers) });
      expect(latency(one, planned.stages)).toBeCloseTo(planned.seconds, 6);
      expect(planned.stages[0].from).toBe(0);
      expect(planned.stages.at(-1)?.to).toBe(layers.length);
      for (let replicas = 1; replicas <= 8; replicas += 1)
        expect(planned.seconds).toBeLessThanOrEqual(latency(one, [{ from: 0, to: layers.length, replicas }]) + 1e-9);
    }),
    { numRuns: 5 },
  );
});
