import { describe, expect, test } from 'vitest';
import { clusters } from '../../../engine/std/clusters.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { format } from '../../../grammar/printer.ts';
import { parse } from '../../../grammar/parse.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { analyse } from '../../support/analyse.ts';
import { resolveText } from '../../support/resolve.ts';

const file = parse(clusters, { size: 1e6, faults: 10 });
const blocks = file.declarations.flatMap((declaration) => (declaration.kind === 'block' ? [declaration] : []));
const names = blocks.map((block) => block.name?.text ?? '');

const planOn = (cluster: string, stages: number, nodes?: number): PipelinePlan => {
  const text = `import { ${cluster}, nodes } from "std:clusters"
model m { layer l[${stages}] { forward = 1ms  backward = 2ms  output = 24MB } }
pipeline p { model = m  devices = ${cluster}  microbatches = 8  stages = balance(${stages})  schedule = 1f1b }`;
  const { plan, findings } = resolveText(text, nodes === undefined ? {} : { overrides: { nodes } });
  expect(findings.map((finding) => `${finding.code} ${finding.message}`)).toEqual([]);
  return plan.pipelines[0];
};

/** GB/s of the route between two devices. */
const rate = (plan: PipelinePlan, from: number, to: number): number =>
  (plan.routes.find((route) => route.from === from && route.to === to)?.bandwidth ?? 0) / 1e9;

test('std:clusters is documented clusters with sources, formatted', () => {
  expect(file.errors).toEqual([]);
  for (const { doc } of blocks) {
    expect(doc).toMatch(/Sources: \S/);
    expect(doc).toMatch(/Confidence: (high|medium|low)\./);
  }
  expect(format(file)).toMatchObject({ text: clusters });
});

describe.each(names)('%s', (name) => {
  const doc = blocks.find((block) => block.name?.text === name)?.doc ?? '';
  const gpus = Number(/\b(\d+) GPUs/.exec(doc)?.[1]);
  test('says how many GPUs it has, reaches every device from every other, and runs', () => {
    // A stage for each: more do not fit, and with fewer some GPUs are idle, which is a finding.
    const plan = planOn(name, gpus);
    expect(plan.devices).toHaveLength(gpus);
    expect(plan.routes).toHaveLength(2 * (gpus - 1));
    // Eight microbatches of 3 ms, and what transfers add.
    expect(evaluate(plan, defaultOptions).run?.report.iteration).toBeGreaterThan((gpus + 7) * 0.003);
  });
});

describe('figures', () => {
  test.each([
    ['dgx_a100', 235, 23.5],
    ['dgx_h100', 370, 48.5],
    ['dgx_b200', 720, 48.5],
    ['p4d', 235, 24],
    ['p5', 370, 48],
    ['pcie_a100', 24, 10],
  ])('%s: %f GB/s inside, %f GB/s between nodes', (name, inside, between) => {
    const plan = planOn(name, 16);
    expect(rate(plan, 0, 1)).toBe(inside);
    expect(rate(plan, 7, 8)).toBe(between);
  });
  test('a rack of 72 is a node', () => {
    for (const [name, between] of [
      ['gb200_nvl72', 48.5],
      ['gb300_nvl72', 97],
    ] as const) {
      const plan = planOn(name, 144);
      expect([rate(plan, 0, 1), rate(plan, 70, 71), rate(plan, 71, 72)]).toEqual([720, 720, between]);
    }
  });
  test('nodes as many as asked for', () => {
    expect(planOn('dgx_h100', 32, 4).devices.at(-1)?.name).toBe('node[3].gpu[7]');
  });
  test('each V100 of a cube mesh has six NVLinks of 20 GB/s', () => {
    const links = new Map<number, number>();
    for (let from = 0; from < 8; from += 1) {
      for (let to = 0; to < 8; to += 1) {
        if (from === to) continue;
        const text = `import "std:clusters"
model m { layer l[2] { forward = 1ms  backward = 2ms  output = 24MB } }
pipeline p { model = m  devices = dgx1_v100  microbatches = 1  schedule = 1f1b
  stage a { layers = l[0]  on = gpu[${from}] }
  stage b { layers = l[1]  on = gpu[${to}] } }`;
        const [route] = resolveText(text).plan.pipelines[0].routes;
        expect([20e9, 40e9]).toContain(route.bandwidth);
        if (route.hops === undefined) links.set(from, (links.get(from) ?? 0) + route.bandwidth / 20e9);
      }
    }
    expect([...links.values()]).toEqual([6, 6, 6, 6, 6, 6, 6, 6]);
  });
});

describe('schedules on shared links', () => {
  const report = (more: string) => {
    const text = `import "std:clusters"
model m { layer l[8] { forward = 1ms  backward = 2ms  output = 24MB  activation = 1GiB } }
pipeline p { model = m  devices = pcie_a100  microbatches = 16  stages = balance(8)  ${more} }`;
    const run = evaluate(resolveText(text).plan.pipelines[0], defaultOptions).run;
    if (run === undefined) throw new Error('does not run');
    return run.report;
  };
  test.each([
    'schedule = bpipe',
    'schedule = 1f1b  transfer = rendezvous(batched = true)',
    'schedule = pipedream',
    'schedule = zb_h1',
  ])('%s', (more) => {
    const { devices, links, iteration } = report(more);
    expect(iteration).toBeGreaterThan(16 * 0.003);
    for (const { peak } of devices) expect(peak).toBeGreaterThanOrEqual(2 ** 30);
    for (const { busy, exposed } of links) expect(busy >= 0 && exposed >= 0).toBe(true);
  });
});

describe('hosts', () => {
  /** A layer whose state waits on the host, and its activations too. */
  const offloaded = (
    name: string,
    keys = 'optimizer = adam_mixed(offload = 100%)  offload = activations(layers = 1)',
  ) =>
    analyse(`import "std:clusters"
model m { sequence = 1024  layer l[4] = transformer(hidden = 1024, heads = 16) }
pipeline p { model = m  devices = ${name}  microbatches = 2  schedule = 1f1b  stages = balance(2)  ${keys} }`);

  // Data sheets of NVIDIA's machines, instance types of AWS; PCIe reaches 12 GB/s in the third version, twice that in each later one.
  test.each([
    ['dgx_a100', 2e12, 24e9, 135e9],
    ['dgx_h100', 2e12, 48e9, 200e9],
    ['dgx_b200', 2e12, 48e9, 240e9],
  ])('%s offloads activations and state', (name, memory, copy, update) => {
    const { findings, pipelines } = offloaded(name);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [{ plan, run }] = pipelines;
    expect(plan.hosts?.map((host) => host.memory)).toEqual([memory]);
    expect(run?.report.hosts?.[0].capacity).toBe(memory);
    const host = plan.step[0].host;
    const buckets = host?.stages.flatMap((stage) => stage.buckets) ?? [];
    const seconds = (of: 'out' | 'step' | 'back') => buckets.reduce((all, bucket) => all + bucket[of], 0);
    const { sent = 0, returned = 0, kept = 0 } = host ?? {};
    expect(sent / (seconds('out') - buckets.length * 5.7e-6)).toBeCloseTo(copy, -3);
    // An update reads gradient and state, and writes state and weight. Both devices are in one node, so each has half of its bandwidth.
    expect((2 * kept - sent + returned) / seconds('step')).toBeCloseTo(update / 2, -3);
  });

  test.each([
    ['dgx1_v100', 512e9],
    ['p3dn', 768 * 2 ** 30],
    ['p4d', 1152 * 2 ** 30],
    ['p5', 2 * 2 ** 40],
  ])('%s offloads activations, and says that nobody knows what an update reaches', (name, memory) => {
    const { findings, pipelines } = offloaded(name, 'offload = activations(layers = 1)');
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(pipelines[0].plan.hosts?.[0].memory).toBe(memory);
    expect(
      offloaded(name)
        .findings.map(({ message }) => message)
        .join(),
    ).toContain('host_bandwidth');
  });
});
