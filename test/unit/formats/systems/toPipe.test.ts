import * as fc from '../../../support/property.ts';
import { expect, it, test } from 'vitest';
import { importText } from '../../../../engine/formats/importText.ts';
import { isKnownSystem, readSystem } from '../../../../engine/formats/system.ts';
import type { SystemNetwork } from '../../../../engine/formats/system/model.ts';
import { format, parse } from '../../../../grammar/index.ts';
import { resolveText } from '../../../support/resolve.ts';
import { a100, gb300, h200 } from './files.ts';

const pipeOf = (text: string): string => {
  const found = importText(text);
  if (found === undefined || 'faults' in found) throw new Error(JSON.stringify(found?.faults));
  return found.pipe;
};
const networksOf = (text: string): readonly SystemNetwork[] => {
  const found = readSystem(text);
  return 'faults' in found ? [] : found.networks;
};

const calculon = JSON.stringify(a100);
/** Two devices in different networks, from the innermost that joins them outwards, as stages of a pipeline. */
const pipeline = (first: number, second: number) => `
model m { layer block[2] { forward = 1ms  backward = 2ms  output = 1GB } }
pipeline train {
  model = m
  devices = machines
  microbatches = 2
  stage a { layers = block[0]  on = gpu[${first}] }
  stage b { layers = block[1]  on = gpu[${second}] }
  schedule = 1f1b
}
`;

it.each([
  ['Calculon', calculon, [1, 8]],
  ['aiconfigurator', h200, [7, 8]],
  ['aiconfigurator with racks', gb300, [1, 4, 72]],
])('a system of %s becomes a file without findings, whose links are those of its networks', (_, text, partners) => {
  const pipe = pipeOf(text);
  const laidOut = format(parse(pipe, { size: pipe.length + 1 }));
  expect(laidOut.ok && laidOut.text).toBe(pipe);
  for (const [index, { bandwidth, latency }] of networksOf(text).entries()) {
    const { plan, findings } = resolveText(pipe + pipeline(0, partners[index]));
    // Two devices of a whole system are in use.
    expect(findings.filter(({ code }) => code !== 'device/idle')).toEqual([]);
    const [route] = plan.pipelines[0].routes;
    expect(route.bandwidth / bandwidth).toBeCloseTo(1, 12);
    expect(route.latency).toBeCloseTo(latency, 12);
  }
});

test('the number of nodes is a slider up to what the file allows', () => {
  const { plan } = resolveText(pipeOf(calculon) + pipeline(0, 8));
  expect(plan.params).toMatchObject([{ name: 'nodes', value: 2, min: 1, max: 8192 }]);
  const single = { ...a100, networks: [a100.networks[0]] };
  expect(pipeOf(JSON.stringify(single))).toContain('param gpus = 8 in 1..8');
  const alone = h200.replace('inter_node_bw: 50000000000', 'inter_node_bw: 0');
  expect(pipeOf(alone)).toContain('gpu[8] = accelerator');
  expect(pipeOf(alone)).not.toContain('param');
});

test('figures are written as the file has them', () => {
  expect(pipeOf(calculon).replace(/ +=/g, ' =')).toMatch(
    /memory = 80GiB\n[^]*compute\(fp16\) = 312TFLOPS\n[^]*bandwidth = 2048GB\/s\n[^]*195GB\/s \+ 10us[^]*22.5GB\/s \+ 20us/,
  );
  expect(pipeOf(h200).replace(/ +(?==|\/\/)/g, ' ')).toMatch(
    /memory = 141GiB\n {2}reserved = 3976MiB \/\/ nccl_mem of 8 ranks[^]*bandwidth = 4800GB\/s\n {2}memory_efficiency = 80% \/\/ mem_bw_empirical/,
  );
});

test('formats are told apart by content', () => {
  expect([calculon, h200, gb300].map(isKnownSystem)).toEqual([true, true, true]);
  expect(['', '{}', '{"model_type": "llama"}', 'a -- b', 'gpu: 1'].map(isKnownSystem)).toEqual(Array(5).fill(false));
  expect(readSystem('{')).toHaveProperty('faults');
  expect(readSystem('')).toHaveProperty('faults');
});

test('whatever the figures are, the file written says them', () => {
  const figure = fc.oneof(
    fc.double({ min: 1e-12, max: 1e24, noNaN: true }),
    fc.integer({ min: 0, max: 1e9 }),
    fc.constantFrom(0.1, 1e-7, 1 / 3, 2 ** 53),
  );
  for (const text of [JSON.stringify(a100), h200, gb300]) {
    const numbers = [...text.matchAll(/(?<=[\s:[,])\d[\d.e-]*(?=[\s,\]}])/g)];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(numbers.length - 1), figure), { maxLength: 3 }), (changes) => {
        let changed = text;
        for (const [at, value] of changes.toSorted(([a], [b]) => b - a)) {
          const { index, 0: old } = numbers[at];
          changed = changed.slice(0, index) + String(value) + changed.slice(index + old.length);
        }
        const read = readSystem(changed);
        if ('faults' in read) return;
        const pipe = pipeOf(changed);
        const few = pipe.replace(/^param (\w+) = \d+ in 1\.\.\d+$/m, 'param $1 = 1 in 1..1');
        const devices = read.networks.reduce(
          (product, { joins }) => product * (typeof joins === 'number' ? joins : 1),
          1,
        );
        if (devices > 1000) return;
        const { plan, findings } = resolveText(`${few}${pipeline(0, 0)}`);
        expect(findings.filter((finding) => /^(syntax|type|value|key|name|limit)/.test(finding.code))).toEqual([]);
        const [device] = plan.pipelines.flatMap((pipelinePlan) => pipelinePlan.devices);
        if (device === undefined) return;
        expect(device.memory / read.device.memory).toBeCloseTo(1, 12);
        expect(device.reserved - read.device.reserved).toBeLessThanOrEqual(1e-9 * device.memory);
      }),
      { numRuns: 80 },
    );
  }
});
