import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { layersOfProfile } from '../../../../engine/formats/pipedream/layers.ts';
import { readProfileGraph } from '../../../../engine/formats/pipedream/read.ts';
import { pipedreamSteps } from '../../../../engine/planning/cut/planners/pipedream.ts';
import { endOf, plannerLayers, plansOf, type Split, sumOf } from './plans.ts';
import { pipedreamObjectives } from '../../../../engine/language/schema/words.ts';

describe('VGG-16 on four machines of 1e9 bytes/s, as the released code plans it', () => {
  const folder = join(process.env['PIPEWRIGHT_DATA'] ?? resolve(import.meta.dirname, '../../../data'), 'pipedream');
  const graph = readProfileGraph(readFileSync(join(folder, 'vgg16.graph.txt'), 'utf8'));
  if ('faults' in graph) throw new Error('vgg16 is damaged');
  const profile = layersOfProfile(graph);
  const layers = plannerLayers(
    profile.map(({ forward, backward = 0, weights }) => ({ forward, backward, gradients: weights, output: 0 })),
  );
  const request = {
    planner: 'pipedream',
    layers,
    microbatches: 1,
    replicates: true,
    bandwidth: 1e9,
    objective: 'released',
  } as const;

  test('three machines for the first sixteen layers, one for the rest: 0.175732624 s', () => {
    const { stages, seconds } = endOf(pipedreamSteps({ ...request, machines: 4 }));
    expect(seconds).toBeCloseTo(0.175732624, 9);
    // The input is the first layer here and none of its states: (0,15) and (15,40) there.
    expect(stages).toEqual([
      { from: 0, to: 16, replicas: 3 },
      { from: 16, to: 41, replicas: 1 },
    ]);
  });

  test('data parallel takes 0.583206382 s', () => {
    const whole = { forward: sumOf(layers.forward), backward: sumOf(layers.backward) };
    const one = plannerLayers([{ ...whole, gradients: sumOf(layers.gradients), output: 0 }]);
    const { stages, seconds } = endOf(pipedreamSteps({ ...request, layers: one, machines: 4 }));
    expect(stages).toEqual([{ from: 0, to: 1, replicas: 4 }]);
    expect(seconds).toBeCloseTo(0.583206382, 9);
  });
});

const numbers = fc.integer({ min: 0, max: 20 });
const layer = fc.record({ forward: numbers, backward: numbers, gradients: numbers, output: numbers });
const setting = fc.record({
  layers: fc.array(layer, { minLength: 1, maxLength: 7 }),
  machines: fc.integer({ min: 1, max: 4 }),
  microbatches: fc.constantFrom(1, 2, 3, 4),
  bandwidth: fc.constantFrom(0.5, 1, 4, Infinity),
  turns: fc.boolean(),
});

// Narayanan et al., "PipeDream" (2019), section 3.1, and its released code; all cuts and all numbers of replicas.
test.each(pipedreamObjectives)('%s: no cut and no replicas are better than the plan', (objective) => {
  fc.assert(
    fc.property(setting, ({ layers, machines, microbatches, bandwidth, turns }) => {
      const allows = (n: number) => n === 1 || (turns && (microbatches === 1 || microbatches % n === 0));
      const time = (plan: readonly Split[]): number =>
        Math.max(
          ...plan.map(({ from, to, replicas: m }) => {
            const own = layers.slice(from, to);
            const compute = microbatches * sumOf(own.map((one) => one.forward + one.backward));
            const weights = sumOf(own.map((one) => one.gradients));
            const sent = from === 0 ? 0 : (2 * microbatches * layers[from - 1].output) / bandwidth;
            return objective === 'paper'
              ? Math.max(Math.max(compute, (2 * (m - 1) * weights) / bandwidth) / m, sent)
              : (compute + (4 * (m - 1) * weights) / (m * bandwidth)) / m;
          }),
        );
      const plans = plansOf(layers.length, machines).filter((plan) => plan.every((one) => allows(one.replicas)));
      const least = Math.min(...plans.map(time));
      const planned = endOf(
        pipedreamSteps({
          planner: 'pipedream',
          layers: plannerLayers(layers),
          ...{ machines, microbatches, bandwidth, objective, replicates: turns },
        }),
      );
      expect(planned.seconds).toBeCloseTo(least, 9);
      expect(time(planned.stages)).toBeCloseTo(least, 9);
      expect(planned.stages.every((one) => allows(one.replicas))).toBe(true);
      const used = sumOf(planned.stages.map((one) => one.replicas));
      const fewest = Math.min(
        ...plans.flatMap((plan) => (time(plan) <= least * (1 + 1e-9) ? [sumOf(plan.map((one) => one.replicas))] : [])),
      );
      expect(used).toBe(fewest);
    }),
    { numRuns: 200 },
  );
});
