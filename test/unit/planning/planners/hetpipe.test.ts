import * as fc from '../../../support/property.ts';
import { expect, test } from 'vitest';
import { hetpipeSteps } from '../../../../engine/planning/cut/planners/hetpipe.ts';
import type { HetpipeProblem } from '../../../../engine/planning/cut/planners/hetpipeProblem.ts';
import { endOf, slicesOf, sumOf } from './plans.ts';

interface Layer {
  readonly seconds: number;
  readonly weights: number;
  readonly activation: number;
  readonly output: number;
}

interface Setting {
  readonly layers: readonly Layer[];
  /** By layer and kind: how much longer a layer takes there. */
  readonly slower: readonly (readonly number[])[];
  /** Kind and node of each device, and memory of each kind. */
  readonly devices: readonly { readonly kind: number; readonly node: number }[];
  readonly memory: readonly number[];
  readonly inside: number;
  readonly between: number;
  readonly latency: number;
  readonly microbatches: number;
}

const classKey = ({ kind, node }: Setting['devices'][number]): string => `${kind} ${node}`;

function problemOf(setting: Setting): HetpipeProblem {
  const { layers, slower, devices, memory, inside, between, latency, microbatches } = setting;
  const keys = [...new Set(devices.map(classKey))];
  const classes = keys.map((key) => {
    const members = devices.flatMap((device, index) => (classKey(device) === key ? [index] : []));
    const { kind } = devices[members[0]];
    return { site: kind, devices: members, capacity: memory[kind] };
  });
  const nodes = keys.map((key) => key.split(' ')[1]);
  return {
    planner: 'hetpipe',
    layers: {
      mode: 'none',
      blocks: new Uint8Array(layers.length),
      needs: layers.map((_, at) => (at === 0 ? [] : [at - 1])),
      element: 4,
      sites: memory.map((_, kind) => ({
        ranks: 1,
        expertRanks: 1,
        costs: layers.map(({ seconds, weights, activation }, at) => ({
          parameters: weights,
          localParameters: weights,
          expertParameters: 0,
          forwardFlops: 0,
          forward: (seconds * slower[at][kind]) / 3,
          backwardInput: (seconds * slower[at][kind]) / 3,
          backwardWeight: (seconds * slower[at][kind]) / 3,
          recompute: 0,
          splitKnown: true,
          weights,
          activation,
          activationForWeight: 0,
          recomputed: 0,
          workspace: 0,
        })),
        costOf: Int32Array.from(layers.keys()),
        fullOf: Int32Array.from(layers.keys()),
        outputs: Float64Array.from(layers, ({ output }) => output),
      })),
    },
    weights: memory.map(() => Float64Array.from(layers, ({ weights }) => weights)),
    order: Int32Array.from(layers.keys()),
    chain: true,
    microbatches,
    classes,
    links: nodes.flatMap((from) => nodes.map((to) => ({ bandwidth: from === to ? inside : between, latency }))),
    held: devices.map((_, stage) => [
      { microbatches: devices.length - stage, versions: devices.length - stage - 1, backward: true },
    ]),
  };
}

const permutations = (items: readonly number[]): readonly (readonly number[])[] =>
  items.length <= 1
    ? [items]
    : items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));

/** Ends of the stages: every cut into `parts` stages. */
const cutsOf = (count: number, parts: number, from = 0): readonly (readonly number[])[] =>
  parts === 1
    ? [[count]]
    : Array.from({ length: count - from - parts + 1 }, (_, more) => from + 1 + more).flatMap((to) =>
        cutsOf(count, parts - 1, to).map((rest) => [to, ...rest]),
      );

/** The slowest stage of layers cut at `ends` on devices in this order; `undefined`: a stage does not fit. */
function slowestOf(setting: Setting, sequence: readonly number[], ends: readonly number[]): number | undefined {
  const { layers, slower, devices, memory, inside, between, latency } = setting;
  const times = ends.map((to, stage) => {
    const from = stage === 0 ? 0 : ends[stage - 1];
    const { kind, node } = devices[sequence[stage]];
    const linked = (other: number | undefined, bytes: number): number => {
      if (other === undefined || bytes === 0) return 0;
      return latency + bytes / (devices[other].node === node ? inside : between);
    };
    const own = layers.slice(from, to);
    const entering = from === 0 ? 0 : layers[from - 1].output;
    const leaving = to === layers.length ? 0 : layers[to - 1].output;
    const weights = sumOf(own.map((layer) => layer.weights));
    const left = devices.length - stage;
    const bytes = (left + 1) * weights + entering + leaving + left * sumOf(own.map((layer) => layer.activation));
    if (bytes > memory[kind] * (1 + 1e-12)) return undefined;
    const computing = sumOf(own.map(({ seconds }, at) => seconds * slower[from + at][kind]));
    return computing + linked(sequence[stage - 1], entering) + linked(sequence[stage + 1], leaving);
  });
  return times.every((time) => time !== undefined) ? Math.max(...times) : undefined;
}

const small = fc.integer({ min: 0, max: 6 });
const setting: fc.Arbitrary<Setting> = fc
  .record({
    layers: fc.array(
      fc.record({ seconds: fc.integer({ min: 0, max: 20 }), weights: small, activation: small, output: small }),
      { minLength: 1, maxLength: 7 },
    ),
    slower: fc.array(fc.array(fc.constantFrom(1, 1.5, 2, 3, 5), { minLength: 3, maxLength: 3 }), {
      minLength: 7,
      maxLength: 7,
    }),
    devices: fc.array(fc.record({ kind: fc.integer({ min: 0, max: 2 }), node: fc.integer({ min: 0, max: 1 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
    memory: fc.array(fc.constantFrom(20, 40, 70, 1000), { minLength: 3, maxLength: 3 }),
    inside: fc.constantFrom(1, 4, Infinity),
    between: fc.constantFrom(0.3, 1),
    latency: fc.constantFrom(0, 2),
    microbatches: fc.constantFrom(1, 3),
    alike: fc.boolean(),
  })
  .map(({ alike, ...one }): Setting =>
    alike
      ? {
          ...one,
          slower: one.slower.map((row) => row.map(() => 1)),
          devices: one.devices.map(() => ({ kind: 0, node: 0 })),
        }
      : one,
  )
  .filter(({ layers, devices }) => devices.length <= layers.length);

test('no partition and no order of the devices is better than the plan', () => {
  fc.assert(
    fc.property(setting, (one) => {
      const sequences = permutations([...one.devices.keys()]);
      const values = sequences.flatMap((sequence) =>
        cutsOf(one.layers.length, one.devices.length).flatMap((ends) => slowestOf(one, sequence, ends) ?? []),
      );
      const found = endOf(hetpipeSteps(problemOf(one)));
      if (values.length === 0) {
        expect(found).toEqual({ none: 'memory' });
        return;
      }
      if ('none' in found) throw new Error('there is a plan');
      const least = one.microbatches * Math.min(...values);
      expect(found.exact).toBe(true);
      expect(found.seconds).toBeCloseTo(least, 9);
      expect(found.least).toBeCloseTo(least, 9);
      const sequence = found.stages.flatMap((stage) => stage.machines ?? []);
      expect(sequence.toSorted((a, b) => a - b)).toEqual([...one.devices.keys()]);
      const slowest = slowestOf(
        one,
        sequence,
        found.stages.map((stage) => stage.to),
      );
      expect((slowest ?? Infinity) * one.microbatches).toBeCloseTo(least, 9);
    }),
    { numRuns: 400 },
  );
});

test('if the budget ends, the plan fits, and no plan is below the time that it gives', () => {
  const ends = new Set<string>();
  fc.assert(
    fc.property(setting, fc.constantFrom(0, 10, 100), (one, budget) => {
      const found = endOf(hetpipeSteps(problemOf(one), budget));
      const values = permutations([...one.devices.keys()]).flatMap((sequence) =>
        cutsOf(one.layers.length, one.devices.length).flatMap((ends) => slowestOf(one, sequence, ends) ?? []),
      );
      if ('none' in found) {
        ends.add(found.none);
        // Nothing is said of other plans unless all were compared.
        if (found.none === 'memory') expect(values).toEqual([]);
        return;
      }
      ends.add(String(found.exact));
      const least = one.microbatches * Math.min(...values);
      expect(found.least).toBeLessThanOrEqual(least * (1 + 1e-9));
      expect(found.seconds).toBeGreaterThanOrEqual(least * (1 - 1e-9));
      if (found.exact) expect(found.seconds).toBeCloseTo(least, 9);
      const sequence = found.stages.flatMap((stage) => stage.machines ?? []);
      const slowest = slowestOf(
        one,
        sequence,
        found.stages.map((stage) => stage.to),
      );
      expect((slowest ?? Infinity) * one.microbatches).toBeCloseTo(found.seconds, 9);
    }),
    { numRuns: 300 },
  );
  expect(ends).toEqual(new Set(['true', 'false', 'memory', 'budget']));
});

test('a search of many layers and devices pauses', () => {
  const layers = Array.from({ length: 60 }, (_, at) => ({
    seconds: 3 + ((at * 29) % 17),
    weights: 2,
    activation: 1,
    output: 1,
  }));
  const { answer, slices } = slicesOf(
    hetpipeSteps(
      problemOf({
        layers,
        slower: layers.map((_, at) => [1, 1.3 + (at % 4) / 10, 2 + (at % 3) / 10]),
        devices: Array.from({ length: 9 }, (_, at) => ({ kind: at % 3, node: at % 3 })),
        memory: [1000, 1000, 1000],
        ...{ inside: 4, between: 1, latency: 0, microbatches: 1 },
      }),
    ),
  );
  expect('none' in answer).toBe(false);
  expect(slices).toBeGreaterThan(60);
});
