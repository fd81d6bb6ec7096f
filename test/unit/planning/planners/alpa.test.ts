import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import type { SummedCost } from '../../../../engine/costs/stage.ts';
import { alpaSteps } from '../../../../engine/planning/cut/planners/alpa.ts';
import type { AlpaMesh, AlpaProblem } from '../../../../engine/planning/cut/planners/alpaProblem.ts';
import { endOf, slicesOf, sumOf } from './plans.ts';

interface Layer {
  /** Seconds by mesh. */
  readonly seconds: readonly number[];
  readonly weights: number;
  readonly activation: number;
  readonly output: number;
}

interface Setting {
  readonly layers: readonly Layer[];
  readonly meshes: readonly Pick<AlpaMesh, 'devices' | 'tensor' | 'data' | 'latency' | 'perParameter'>[];
  readonly devices: number;
  readonly microbatches: number;
  readonly memory: number;
  /** Microbatches that a stage with s stages left holds: s − 1 is the place. */
  readonly held: readonly number[];
}

const costOf = (seconds: number, weights: number, activation: number): SummedCost => ({
  parameters: weights,
  localParameters: weights,
  expertParameters: 0,
  forwardFlops: 0,
  forward: seconds / 3,
  backwardInput: seconds / 3,
  backwardWeight: seconds / 3,
  recompute: 0,
  splitKnown: true,
  weights,
  activation,
  activationForWeight: 0,
  recomputed: 0,
  workspace: 0,
});

/** A chain of layers; weights and activations are divided among the devices of a mesh. */
const problemOf = ({ layers, meshes, devices, microbatches, memory, held }: Setting): AlpaProblem => ({
  planner: 'alpa',
  layers: {
    mode: 'none',
    blocks: new Uint8Array(layers.length),
    needs: layers.map((_, at) => (at === 0 ? [] : [at - 1])),
    element: 4,
    sites: meshes.map(({ devices: size, data }, mesh) => ({
      ranks: 1,
      expertRanks: 1,
      costs: layers.map(({ seconds, weights, activation }) => costOf(seconds[mesh], weights / size, activation / size)),
      costOf: Int32Array.from(layers.keys()),
      fullOf: Int32Array.from(layers.keys()),
      outputs: Float64Array.from(layers, ({ output }) => output / data),
    })),
  },
  order: Int32Array.from(layers.keys()),
  chain: true,
  microbatches,
  devices,
  meshes: meshes.map((mesh) => ({
    ...mesh,
    capacity: memory,
    alone: memory,
    exchanged: Float64Array.from(layers, ({ weights }) => (mesh.data > 1 ? weights / mesh.tensor : 0)),
  })),
  held: Int32Array.from({ length: Math.min(layers.length, devices) }, (_, at) => held[at]),
});

interface Choice {
  readonly from: number;
  readonly to: number;
  readonly mesh: number;
}

/** Every plan: contiguous stages on meshes whose devices add up. */
function plansOf(setting: Setting, from = 0, left = setting.devices): readonly (readonly Choice[])[] {
  const { layers, meshes } = setting;
  if (from === layers.length) return left === 0 ? [[]] : [];
  return Array.from({ length: layers.length - from }, (_, more) => from + 1 + more).flatMap((to) =>
    meshes.flatMap(({ devices }, mesh) =>
      devices > left ? [] : plansOf(setting, to, left - devices).map((rest) => [{ from, to, mesh }, ...rest]),
    ),
  );
}

/** Written out from section 5.2: what a stage takes, and whether s stages from it on leave it enough memory. */
function stageOf({ layers, meshes, microbatches, memory, held }: Setting, { from, to, mesh }: Choice, left: number) {
  const inside = layers.slice(from, to);
  const { devices, tensor, data, latency, perParameter } = meshes[mesh];
  const weights = sumOf(inside.map((layer) => layer.weights));
  const exchanged = data > 1 ? weights / tensor : 0;
  const exchange = exchanged > 0 ? latency + exchanged * perParameter : 0;
  const entering = from === 0 ? 0 : layers[from - 1].output;
  const leaving = to === layers.length ? 0 : layers[to - 1].output;
  const bytes =
    (2 * weights) / devices +
    (entering + leaving) / data +
    (held[left - 1] * sumOf(inside.map((layer) => layer.activation))) / devices;
  return {
    seconds: sumOf(inside.map((layer) => layer.seconds[mesh])) + exchange / microbatches,
    fits: bytes <= memory * (1 + 1e-12),
  };
}

const latencyOf = (setting: Setting, plan: readonly Choice[]): number => {
  const times = plan.map((choice, index) => stageOf(setting, choice, plan.length - index).seconds);
  return sumOf(times) + (setting.microbatches - 1) * Math.max(...times);
};
const fitsIn = (setting: Setting, plan: readonly Choice[]): boolean =>
  plan.every((choice, index) => stageOf(setting, choice, plan.length - index).fits);

const shapes = [
  { devices: 1, tensor: 1, data: 1 },
  { devices: 2, tensor: 1, data: 2 },
  { devices: 2, tensor: 2, data: 1 },
  { devices: 4, tensor: 2, data: 2 },
  { devices: 4, tensor: 4, data: 1 },
];

const setting: fc.Arbitrary<Setting> = fc
  .record({
    layers: fc.array(
      fc.record({
        seconds: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: shapes.length, maxLength: shapes.length }),
        weights: fc.integer({ min: 0, max: 8 }),
        activation: fc.integer({ min: 0, max: 8 }),
        output: fc.integer({ min: 0, max: 4 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    rates: fc.record({ latency: fc.integer({ min: 0, max: 5 }), perParameter: fc.integer({ min: 0, max: 3 }) }),
    devices: fc.constantFrom(1, 2, 3, 4, 5),
    microbatches: fc.constantFrom(1, 2, 4, 16, 200),
    memory: fc.constantFrom(12, 20, 30, 45, 1000),
    eager: fc.boolean(),
    // Times that differ little: plans that are nearly as good.
    close: fc.boolean(),
  })
  .map(({ rates, eager, close, layers, ...rest }) => ({
    ...rest,
    layers: layers.map((layer) => ({
      ...layer,
      seconds: close ? layer.seconds.map((time, mesh) => (400 + time) / shapes[mesh].devices ** 0.95) : layer.seconds,
    })),
    meshes: shapes.filter(({ devices }) => devices <= rest.devices).map((shape) => ({ ...shape, ...rates })),
    held: [1, 2, 3, 4, 5, 6].map((left) => Math.min(rest.microbatches, eager ? 2 * left - 1 : left)),
  }));

describe('Σ tᵢ + (B − 1) · max tᵢ', () => {
  test('no stages, submeshes or ranks that fit are better than the plan', () => {
    fc.assert(
      fc.property(setting, (one) => {
        const plans = plansOf(one);
        const fitting = plans.filter((plan) => fitsIn(one, plan));
        const found = endOf(alpaSteps(problemOf(one)));
        if (fitting.length === 0) {
          expect(found).toEqual({ none: plans.length === 0 ? 'ranks' : 'memory' });
          return;
        }
        const least = Math.min(...fitting.map((plan) => latencyOf(one, plan)));
        if ('none' in found) throw new Error(`there is a plan of ${least}`);
        expect(found.exact).toBe(true);
        expect(found.seconds / least).toBeCloseTo(1, 9);
        expect(found.least / least).toBeCloseTo(1, 9);
        const chosen = found.stages.map(({ from, to, ranks }) => ({
          from,
          to,
          mesh: one.meshes.findIndex(({ tensor, data }) => tensor === ranks?.tensor && data === ranks.data),
        }));
        expect(fitsIn(one, chosen)).toBe(true);
        expect(latencyOf(one, chosen) / least).toBeCloseTo(1, 9);
        const machines = found.stages.flatMap((stage) => stage.machines ?? []).sort((a, b) => a - b);
        expect(machines).toEqual(Array.from({ length: one.devices }, (_, device) => device));
      }),
      { numRuns: 400 },
    );
  });

  test('if the budget ends, the plan fits, and no plan is below the time that it gives', () => {
    const ends = new Set<string>();
    fc.assert(
      fc.property(setting, fc.constantFrom(0, 30, 300), (one, budget) => {
        const fitting = plansOf(one).filter((plan) => fitsIn(one, plan));
        const found = endOf(alpaSteps(problemOf(one), budget));
        if ('none' in found) {
          ends.add(found.none);
          // Nothing is said of other plans unless all were compared.
          if (found.none !== 'budget') expect(fitting).toEqual([]);
          return;
        }
        ends.add(String(found.exact));
        const least = Math.min(...fitting.map((plan) => latencyOf(one, plan)));
        expect(found.least).toBeLessThanOrEqual(least * (1 + 1e-9));
        expect(found.seconds).toBeGreaterThanOrEqual(least * (1 - 1e-9));
        if (found.exact) expect(found.seconds / least).toBeCloseTo(1, 9);
      }),
      { numRuns: 300 },
    );
    expect(ends).toEqual(new Set(['true', 'false', 'ranks', 'memory', 'budget']));
  });

  test('a submesh of a node never spans two nodes', () => {
    fc.assert(
      fc.property(setting, (one) => {
        const found = endOf(alpaSteps(problemOf(one)));
        if ('none' in found) return;
        for (const { machines = [] } of found.stages)
          if (machines.length <= 2) expect(Math.floor(machines[0] / 2)).toBe(Math.floor((machines.at(-1) ?? 0) / 2));
      }),
      { numRuns: 200 },
    );
  });

  test('a search that pauses gives the same plan as one that does not', () => {
    const one: Setting = {
      layers: Array.from({ length: 60 }, (_, at) => ({
        seconds: shapes.map(({ devices }) => (100 + ((at * 37) % 41)) / devices ** 0.9),
        weights: 4,
        activation: 3,
        output: 1,
      })),
      meshes: shapes.map((shape) => ({ ...shape, latency: 1, perParameter: 0.01 })),
      devices: 32,
      microbatches: 64,
      memory: 40,
      held: Array.from({ length: 32 }, (_, at) => at + 1),
    };
    const { answer, slices } = slicesOf(alpaSteps(problemOf(one)));
    expect(slices).toBeGreaterThan(10);
    expect(answer).toEqual(endOf(alpaSteps(problemOf(one))));
  });
});

interface Reference {
  readonly cases: readonly (Pick<Setting, 'devices' | 'microbatches' | 'memory'> & {
    readonly layers: readonly Omit<Layer, 'output'>[];
    readonly meshes: readonly Pick<AlpaMesh, 'devices' | 'tensor' | 'data'>[];
    /** `null`: the program finds no plan. */
    readonly seconds: number | null;
  })[];
}
const reference = JSON.parse(readFileSync(path.join(import.meta.dirname, 'alpaReference.json'), 'utf8')) as Reference;

/** What `training_dp` of alpa-projects/alpa (stage_construction.py) makes of the same tables of times and numbers of stages. */
describe('as Alpa’s own program plans it', () => {
  test.each(reference.cases)('table %$', (one) => {
    const layers = one.layers.map((layer) => ({ ...layer, output: 0 }));
    const found = endOf(
      alpaSteps(
        problemOf({
          layers,
          meshes: one.meshes.map((mesh) => ({ ...mesh, latency: 0, perParameter: 0 })),
          devices: one.devices,
          microbatches: one.microbatches,
          memory: one.memory,
          held: Array.from({ length: one.layers.length }, (_, at) => at + 1),
        }),
      ),
    );
    if (one.seconds === null) {
      expect(found).toEqual({ none: 'memory' });
      return;
    }
    if ('none' in found) throw new Error('there is a plan');
    // The program computes in 32 bits.
    expect(found.seconds / one.seconds).toBeCloseTo(1, 5);
  });
});
