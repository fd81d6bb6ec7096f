import * as fc from '../../../support/property.ts';
import type { DeviceDefinition } from '../../../../engine/definitions/device.ts';
import { describe, expect, test } from 'vitest';
import { balancedStarts } from '../../../../engine/planning/cut/balancedStarts.ts';
import { checkOverrides } from '../../../../engine/language/overrides.ts';
import { edited, good } from '../../../support/goodFile.ts';
import { checkFindings } from '../../../support/expected.ts';
import { planOf, resolveText } from '../../../support/resolve.ts';

describe('stages', () => {
  test('costs add up and equal layers are cut evenly', () => {
    const plan = planOf(good);
    expect(plan.stages.map((stage) => stage.layers)).toEqual(
      [0, 2, 4, 6].map((i) => [`block[${i}]`, `block[${i + 1}]`]),
    );
    for (const stage of plan.stages) {
      expect(stage).toMatchObject({
        forward: 0.008,
        backwardInput: 0.008,
        backwardWeight: 0.008,
        splitKnown: false,
        weights: 2 ** 29,
        gradients: 2 ** 29,
        optimizer: 0,
        activation: 2 ** 30,
      });
    }
    expect(plan.edges).toEqual([0, 1, 2].map((from) => ({ from, to: from + 1, bytes: 2 ** 24 })));
  });
  test('skip connections give edges between stages that are no neighbours, one tensor once', () => {
    const plan = planOf(`model m {
  layer a { forward = 1ms  backward = 2ms  output = 3MiB }
  layer b { forward = 1ms  backward = 2ms  output = 5MiB }
  layer c { forward = 1ms  backward = 2ms  output = 7MiB  after = [a, b] }
  layer d { forward = 1ms  backward = 2ms  after = [a, c] }
}
device x { memory = 1GiB }
cluster k { gpu[3] = x  link = 1GB/s }
pipeline p { model = m  devices = k  microbatches = 2  stages = split(1, 1, 2)  schedule = gpipe }`);
    const MiB = 2 ** 20;
    expect(plan.edges).toEqual([
      { from: 0, to: 1, bytes: 3 * MiB },
      { from: 0, to: 2, bytes: 3 * MiB },
      { from: 1, to: 2, bytes: 5 * MiB },
    ]);
  });
  test('recomputation keeps the input of a measured layer', () => {
    const plan = planOf(edited('schedule = 1f1b', 'schedule = 1f1b\n  recompute = full'));
    // The first layer reads the data, which nothing says the size of; the second keeps 16 MiB.
    expect(plan.stages[0]).toMatchObject({ recompute: 0.008, activation: 2 ** 24, recomputed: 2 ** 29 });
    expect(plan.stages[1]).toMatchObject({ activation: 2 ** 25 });
  });
  test('an optimizer makes bytes of parameters; its step and the reduction follow the backward', () => {
    const plan = planOf(
      edited(
        'schedule = 1f1b',
        'schedule = 1f1b\n  data = 2\n  optimizer = adam_mixed(shard = zero1, step = 3ms)',
      ).replace('gpu[4]', 'gpu[8]'),
    );
    const parameters = 2 ** 28;
    expect(plan.stages[0]).toMatchObject({
      parameters,
      weights: 2 * parameters,
      gradients: 2 * parameters,
      optimizer: 6 * parameters,
    });
    // Ring over two ranks: 2(n − 1)·α + 2(n − 1)/n·S/B.
    expect(plan.step[0].sync).toBeCloseTo(2 * 5e-6 + (2 * parameters) / 25e9, 12);
    expect(plan.step[0].optimizer).toBe(0.003);
    expect(plan.devices.map((device) => device.name)).toEqual(['gpu[0]', 'gpu[2]', 'gpu[4]', 'gpu[6]']);
  });
  test('shapes: parameters of a GPT layer are 12h² + 13h, whatever the tensor ranks', () => {
    for (const tensor of [1, 2]) {
      const plan = planOf(`model m { sequence = 128  layer b[4] = transformer(hidden = 256, heads = 4) }
device x { memory = 1GiB  compute = 100TFLOPS }
cluster k { gpu[8] = x  link = 100GB/s }
pipeline p { model = m  devices = k  microbatches = 2  stages = balance(2)  schedule = 1f1b  tensor = ${tensor} }`);
      expect(plan.stages[0].parameters).toBe(2 * (12 * 256 ** 2 + 13 * 256));
    }
  });
  test('shapes need a compute rate and heads that divide', () => {
    const text = (
      device: string,
      tensor: string,
    ) => `model m { sequence = 128  layer b[4] = transformer(hidden = 256, heads = 4) }
device ${device}
cluster k { gpu[8] = x  link = 100GB/s }
pipeline p { model = m  devices = k  microbatches = 2  stages = balance(2)  schedule = 1f1b  tensor = ${tensor} }`;
    checkFindings(text('⟦key/missing:x⟧ { memory = 1GiB }', '1'), ['needs "compute"']);
    checkFindings(text('x { memory = 1GiB  compute = 1TFLOPS }', '⟦value/range:3⟧'), ['3 tensor ranks']);
    checkFindings('model m { layer b = transformer(⟦key/unknown:hiden⟧ = 256, hidden = 256, heads = 4) }', [
      'Did you mean "hidden"?',
    ]);
    checkFindings('model m { layer b = ⟦key/missing:transformer⟧(hidden = 256) }', ['needs "heads"']);
  });
});

describe('balance over unequal devices', () => {
  test('is as good as brute force', () => {
    const speeds = [1, 2, 3].map((speed) => ({ name: String(speed), speed }) as unknown as DeviceDefinition);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 9 }),
        fc.array(fc.constantFrom(...speeds), { minLength: 2, maxLength: 3 }),
        (costs, kinds) => {
          const time = (element: number, kind: DeviceDefinition) => costs[element] / kind.speed;
          const slowest = (starts: readonly number[]) =>
            Math.max(
              ...kinds.map((kind, s) =>
                costs.slice(starts[s], starts[s + 1] ?? costs.length).reduce((sum, cost) => sum + cost / kind.speed, 0),
              ),
            );
          let best = Infinity;
          const cuts = (starts: number[]): void => {
            if (starts.length === kinds.length) best = Math.min(best, slowest(starts));
            else for (let at = starts[starts.length - 1] + 1; at < costs.length; at += 1) cuts([...starts, at]);
          };
          cuts([0]);
          const starts = [
            ...balancedStarts(
              Int32Array.from(costs, (_, i) => i),
              kinds,
              time,
            ),
          ];
          expect(new Set(starts).size).toBe(kinds.length);
          expect(slowest(starts)).toBeCloseTo(best, 9);
        },
      ),
    );
  });
});

const routes = (cluster: string, count: number, more = '') =>
  planOf(`model m { layer l[${count}] { forward = 1ms  backward = 1ms  output = 1MB } }
device x { memory = 1GiB }
cluster k { ${cluster} }
pipeline p { model = m  devices = k  microbatches = 2  stages = balance(${count})  schedule = gpipe ${more} }`).routes;

describe('routes', () => {
  test('inside a node and between nodes', () => {
    const found = routes('node[2] { gpu[2] = x  link = 100GB/s + 1us }  link = 10GB/s + 9us', 4);
    const of = (from: number, to: number) => found.find((route) => route.from === from && route.to === to);
    expect(of(0, 1)).toMatchObject({ bandwidth: 100e9, latency: 1e-6 });
    expect(of(1, 2)).toMatchObject({ bandwidth: 10e9, latency: 9e-6 });
    expect(of(2, 3)).toMatchObject({ bandwidth: 100e9, latency: 1e-6 });
    expect(new Set(found.map((route) => route.channel)).size).toBe(6);
  });
  test('half duplex: a channel a pair; shared: one for all, in each node', () => {
    expect(new Set(routes('gpu[3] = x  link = half(10GB/s)', 3).map((route) => route.channel)).size).toBe(2);
    expect(new Set(routes('gpu[3] = x  link = shared(10GB/s)', 3).map((route) => route.channel)).size).toBe(1);
    expect(
      new Set(routes('node[2] { gpu[2] = x  link = shared(10GB/s) }  link = 1GB/s', 4).map((route) => route.channel))
        .size,
    ).toBe(4);
  });
  test('a named link goes first, and the fastest way over named links where there is no other', () => {
    expect(routes('gpu[2] = x  link = 10GB/s  link gpu[0] -- gpu[1] = 90GB/s + 2us', 2)[0]).toMatchObject({
      bandwidth: 90e9,
      latency: 2e-6,
    });
    // 1 MB: 1 ms direct over 1 GB/s is not there; over gpu[2] 10 µs + 5 µs, over gpu[3] 1 ms.
    const found = routes(
      'gpu[4] = x  link gpu[0] -- gpu[2] = 100GB/s + 1us  link gpu[2] -- gpu[1] = 200GB/s + 3us  link gpu[0] -- gpu[3] = 1GB/s  link gpu[3] -- gpu[1] = 1GB/s',
      2,
    );
    expect(found[0]).toMatchObject({ bandwidth: 100e9, latency: 4e-6 });
  });
  test('nodes may be ends, and devices count over all nodes', () => {
    expect(routes('node[2] { gpu[1] = x }  link node[0] -- node[1] = 7GB/s', 2)[0]).toMatchObject({ bandwidth: 7e9 });
    const { plan } = resolveText(
      edited(
        '  stages = balance(4)\n',
        '  stage a { layers = block[0..3] on = gpu[3] }\n  stage b { layers = block[4..7] on = gpu[0] }\n',
      ).replace('peak_memory(stage = 0)', 'peak_memory(stage = a)'),
    );
    expect(plan.pipelines[0].devices.map((device) => device.name)).toEqual(['gpu[3]', 'gpu[0]']);
    expect(plan.pipelines[0].expects[2]).toMatchObject({ figure: 'peak_memory', stage: 0 });
  });
});

describe('expectations', () => {
  test('the figure is brought to the left', () => {
    const { expects } = planOf(good);
    expect(expects.map(({ figure, operator, bound, text }) => [figure, operator, bound, text])).toEqual([
      ['bubble', '<', 0.3, 'bubble < 30%'],
      ['peak_memory', '<', 15 * 2 ** 30, 'peak_memory < 15GiB'],
      ['peak_memory', '<', 15 * 2 ** 30, 'peak_memory(stage = 0) < 15GiB'],
      ['in_flight', '<=', 3, 'in_flight(device = 1) <= 3'],
    ]);
  });
  test('what is no comparison of a figure with a value', () => {
    checkFindings(edited('bubble < 30%', 'bubble < ⟦type/mismatch:iteration⟧'));
    checkFindings(edited('bubble < 30%', '⟦type/mismatch:3⟧ < 4'));
    checkFindings(edited('in_flight(device = 1)', 'in_flight(device = ⟦value/range:4⟧)'));
    checkFindings(edited('bubble <', 'throughput(⟦type/mismatch:stage = 0⟧) <').replace('30%', '30/s'));
  });
});

describe('names for the editor', () => {
  test('every use of a name is found, declarations included', () => {
    const { symbols } = resolveText(good);
    const uses = (id: string) =>
      symbols.references
        .filter((reference) => reference.symbol === id)
        .map((reference) => good.slice(reference.place.start, reference.place.end));
    expect(uses('device:v100')).toEqual(['v100', 'v100']);
    expect(uses('param:m')).toEqual(['m', 'm']);
    expect(uses('pipeline:train')).toEqual(['train', 'train']);
    expect(uses('policy:1f1b')).toEqual(['1f1b']);
    expect(symbols.symbols.get('layer:toy/block')).toMatchObject({
      container: 'model:toy',
      detail: 'forward 4 ms, backward 8 ms, 8 layers',
    });
    expect(symbols.symbols.get('pipeline:train')?.detail).toBe('1f1b, 4 stages, 8 microbatches');
    expect(symbols.symbols.get('model:toy')?.doc).toBe('Eight equal layers.');
  });
  test('what is derived is shown behind it', () => {
    const { derived } = resolveText(good);
    expect(derived.map((derivedValue) => good.slice(0, derivedValue.offset).slice(-11) + derivedValue.text)).toEqual([
      'half = m / 2 = 4'.slice(-15),
      's = balance(4) 4 × 2 layers'.slice(3),
    ]);
  });
  test('paths of the plan have places', () => {
    const { origins } = resolveText(good);
    const text = (path: string) => good.slice(origins.get(path)?.start, origins.get(path)?.end);
    expect(text('train')).toBe('train');
    expect(text('train/key:schedule')).toBe('1f1b');
    expect(text('train/stage:2')).toBe('balance(4)');
    expect(text('train/device:1')).toBe('gpu[4] = v100');
    expect(text('train/route:0-1')).toBe('link = 25GB/s + 5us');
    expect(text('device:v100/memory')).toBe('16GiB');
    expect(text('layer:toy/block[7]')).toBe('block');
    expect(text('expect:train/1')).toBe('15GiB > peak_memory');
    expect(text('param:m')).toBe('m');
  });
});

test('overrides are checked by whoever passes them on', () => {
  const resolution = resolveText(good);
  expect(checkOverrides(resolution, { m: 9 })).toEqual([]);
  expect(checkOverrides(resolution, { m: 65 })).toEqual(['"m" is 65; it must be from 1 to 64.']);
  expect(checkOverrides(resolution, { n: 9 })).toEqual(['Unknown param "n". Did you mean "m"?']);
  expect(checkOverrides(resolution, { microbatches: 9 })).toEqual([
    'Unknown param "microbatches". It is a key of the pipeline: write "param microbatches = 8" above it, and "microbatches = microbatches" in it.',
  ]);
  // With what the file and the call write.
  const written = (inFile: string) => ({ inFile: () => inFile, asked: () => '9' });
  expect(checkOverrides(resolution, { microbatches: 9 }, written('12'))[0]).toContain('"param microbatches = 12"');
  expect(checkOverrides(resolution, { microbatches: 9 }, written('2 * m'))[0]).toContain('"param microbatches = 9"');
  expect(checkOverrides(resolution, { microbatches: 9 }, written('m'))).toEqual([
    'Unknown param "microbatches". It is a key of the pipeline, and its value is the param "m", now 8: --set m=9.',
  ]);
  expect(checkOverrides(resolution, { sequence: 9 })[0]).toContain('"param sequence = 2048"');
  expect(checkOverrides(resolution, { schedule: 9 })).toEqual([
    'Unknown param "schedule". The file has the param m = 8.',
  ]);
});
