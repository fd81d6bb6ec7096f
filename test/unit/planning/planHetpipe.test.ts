import { describe, expect, test } from 'vitest';
import type { Analysis } from '../../../engine/flow/check.ts';
import { refactorings } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { analyse } from '../../support/analyse.ts';
import { errorsOf, withoutCut } from './plannedCut.ts';

interface Setting {
  readonly schedule?: string;
  readonly memory?: readonly [string, string, string];
  readonly microbatches?: number;
  readonly layers?: string;
  readonly more?: string;
  readonly cluster?: string;
  readonly stages?: string;
}

const measured = `layer l[2] { forward = 4ms  backward = 8ms  weights = 40MB  activation = 30MB  output = 8MB }
  layer m { forward = 1ms  backward = 3ms  weights = 90MB  activation = 10MB  output = 2MB }
  layer n { forward = 9ms  backward = 20ms  weights = 5MB  activation = 60MB  output = 1MB }`;
const derived = `layer embed = embedding(vocab = 4000, hidden = 512)
  layer l[2] = transformer(hidden = 512, heads = 8)
  layer head = lm_head(vocab = 4000, hidden = 512)`;
const namesOf = ({ layers }: Setting) =>
  layers === derived ? ['embed', 'l[0]', 'l[1]', 'head'] : ['l[0]', 'l[1]', 'm', 'n'];

/** Two nodes: fast and slow devices in one, a middle one in the other. */
const pipe = ({
  schedule = 'pipedream(in_flight = 4)',
  memory: [fast, slow, middle] = ['16GiB', '16GiB', '16GiB'],
  microbatches = 1,
  layers = measured,
  more = '',
  cluster = 'node[1] { gpu[1] = fast  gpu[1] = slow  link = 10GB/s + 10us }  node[1] { gpu[1] = middle }  link = 2GB/s + 20us',
  stages = 'stages = plan(hetpipe)',
}: Setting): string => `model m {
  sequence = 512
  ${layers}
}
device fast { memory = ${fast}  speed = 2  compute = 100TFLOPS  bandwidth = 1TB/s }
device slow { memory = ${slow}  compute = 40TFLOPS  bandwidth = 1TB/s }
device middle { memory = ${middle}  speed = 1.5  compute = 60TFLOPS  bandwidth = 1TB/s }
cluster c { ${cluster} }
pipeline train {
  model = m  devices = c  microbatches = ${microbatches}  schedule = ${schedule}  ${more}
  ${stages}
}
`;

const planOf = (analysis: Analysis) => analysis.pipelines[0].run?.report.plan;

const permutations = (items: readonly number[]): readonly (readonly number[])[] =>
  items.length <= 1
    ? [items]
    : items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));

/** Every order of the three devices, and every cut of the four layers. */
const plans = permutations([0, 1, 2]).flatMap((devices) =>
  [
    [1, 2],
    [1, 3],
    [2, 3],
  ].map((ends) => ({ devices, ends: [...ends, 4] })),
);

/** The slowest stage and the peak of each device, as the simulation has them, for stages that the file says. */
function figuresOf(setting: Setting, { devices, ends }: (typeof plans)[number]) {
  const blocks = ends.map((to, stage) => {
    const layers = namesOf(setting)
      .slice(stage === 0 ? 0 : ends[stage - 1], to)
      .join(', ');
    return `stage s${stage} { layers = ${layers}  on = gpu[${devices[stage]}] }`;
  });
  const { plan, run } = analyse(pipe({ ...setting, stages: blocks.join('\n  ') })).pipelines[0];
  if (run === undefined) throw new Error('a plan does not run');
  const received = new Float64Array(devices.length);
  for (const { from, to, bytes, back = bytes } of plan.edges) {
    const route = (a: number, b: number) =>
      plan.routes.find((one) => one.from === plan.placement[a] && one.to === plan.placement[b]);
    const [there, here] = [route(from, to), route(to, from)];
    if (there === undefined || here === undefined) throw new Error('a route is missing');
    received[to] += there.latency + bytes / there.bandwidth;
    received[from] += here.latency + back / here.bandwidth;
  }
  const times = plan.stages.map(
    ({ forward, backwardInput, backwardWeight, recompute }, stage) =>
      forward + backwardInput + backwardWeight + recompute + received[stage],
  );
  const peaks = new Float64Array(devices.length);
  for (const [rank, { peak }] of run.report.devices.entries()) peaks[devices[plan.placement.indexOf(rank)]] = peak;
  return { value: Math.max(...times) * plan.microbatches, peaks: [...peaks] };
}

describe('against every partition and every order of the devices, written as stages and simulated', () => {
  test.each([
    { schedule: 'pipedream(in_flight = 4)' },
    { schedule: 'pipedream' },
    { schedule: 'pipedream(in_flight = 7, weights = latest)' },
    { schedule: 'pipedream(in_flight = 5)', microbatches: 2 },
    { schedule: 'pipedream(in_flight = 4)', more: 'optimizer = megatron_bf16' },
    { schedule: 'pipedream(in_flight = 3)', more: 'recompute = full' },
    { schedule: 'pipedream(in_flight = 4)', more: 'iterations = 3' },
    { schedule: 'pipedream(in_flight = 4)', more: 'optimizer = adam_mixed', layers: derived },
  ] satisfies readonly Setting[])('%j', (setting: Setting) => {
    const all = plans.map((plan) => figuresOf(setting, plan));
    const kinds = new Set<string>();
    // Each plan just fits once, and once no plan does.
    for (const { peaks } of [...all, { peaks: [1e6, 1e6, 1e6] }]) {
      const memory = peaks.map((peak) => Math.ceil(peak));
      const values = all.flatMap((one) => (one.peaks.every((peak, at) => peak <= memory[at]) ? [one.value] : []));
      const [fast, slow, middle] = memory.map((bytes) => `${bytes}B`);
      const analysis = analyse(pipe({ ...setting, memory: [fast, slow, middle] }));
      if (values.length === 0) {
        expect(errorsOf(analysis)).toEqual([expect.stringContaining('no partition of the layers fits the memory')]);
        continue;
      }
      expect(errorsOf(analysis)).toEqual([]);
      expect(planOf(analysis)?.exact).toBe(true);
      expect((planOf(analysis)?.value ?? 0) / Math.min(...values)).toBeCloseTo(1, 9);
      kinds.add(JSON.stringify(planOf(analysis)?.stages));
    }
    expect(kinds.size).toBeGreaterThan(3);
  });
});

test('a stage with the embedding and a tied head has their matrix once', () => {
  const tied = derived.replace(/(lm_head.*)\)/, '$1, tied = true)');
  const cluster = 'gpu[1] = fast';
  const one = { layers: tied, cluster, schedule: 'pipedream', more: 'optimizer = adam_mixed' };
  const peak = analyse(pipe(one)).pipelines[0].run?.report.devices[0].peak ?? 0;
  const fitting = analyse(pipe({ ...one, memory: [`${Math.ceil(peak)}B`, '1GiB', '1GiB'] }));
  expect(errorsOf(fitting)).toEqual([]);
  const larger = analyse(pipe({ ...one, memory: [`${Math.ceil(peak) - 1}B`, '1GiB', '1GiB'] }));
  expect(errorsOf(larger)).toEqual([expect.stringContaining('no partition of the layers fits the memory')]);
});

const four = `node[1] { gpu[4] = middle  link = 12GB/s }  node[1] { gpu[4] = fast  link = 12GB/s }
  node[1] { gpu[4] = slow  link = 12GB/s }  node[1] { gpu[4] = middle  link = 12GB/s }  link = 7GB/s`;
const many = 'layer l[12] { forward = 4ms  backward = 8ms  weights = 40MB  activation = 30MB  output = 8MB }';

/** Devices of a virtual worker, by name. */
const workerOf = (allocation: string, worker: number, cluster = four) => {
  const stages = `stages = plan(hetpipe, allocation = ${allocation}, worker = ${worker})`;
  const analysis = analyse(pipe({ cluster, layers: many, stages }));
  expect(errorsOf(analysis)).toEqual([]);
  const plan = planOf(analysis);
  expect([plan?.allocation, plan?.worker]).toEqual([allocation, worker]);
  return plan?.stages.flatMap(({ devices }) => devices).toSorted();
};
const named = (...devices: readonly (readonly [number, number])[]) =>
  devices.map(([node, gpu]) => `node[${node}].gpu[${gpu}]`);

describe('allocations of four nodes', () => {
  test('node: the devices of each', () => {
    expect(workerOf('node', 2)).toEqual(named([2, 0], [2, 1], [2, 2], [2, 3]));
  });
  test('equal: one device of each', () => {
    expect(workerOf('equal', 1)).toEqual(named([0, 1], [1, 1], [2, 1], [3, 1]));
  });
  test('hybrid: half of the fastest and of the slowest, half of the two others', () => {
    expect(workerOf('hybrid', 0)).toEqual(named([1, 0], [1, 1], [2, 0], [2, 1]));
    expect(workerOf('hybrid', 1)).toEqual(named([1, 2], [1, 3], [2, 2], [2, 3]));
    expect(workerOf('hybrid', 2)).toEqual(named([0, 0], [0, 1], [3, 0], [3, 1]));
    expect(workerOf('hybrid', 3)).toEqual(named([0, 2], [0, 3], [3, 2], [3, 3]));
  });
  test.each(['node', 'equal', 'hybrid'])('%s: every device is in one virtual worker', (allocation) => {
    const devices = [0, 1, 2, 3].flatMap((worker) => workerOf(allocation, worker) ?? []);
    expect(new Set(devices).size).toBe(16);
    expect(devices).toHaveLength(16);
  });
});

test('virtual workers of one cluster run as a job', () => {
  const text = pipe({ cluster: four, layers: many, stages: 'stages = plan(hetpipe, allocation = equal)' });
  const worker = text.slice(text.indexOf('pipeline train'));
  const others = [1, 2, 3].map((number) =>
    worker.replace('train', `train${number}`).replace('= equal', `= equal, worker = ${number}`),
  );
  const job = 'job together { workers = [train, train1, train2, train3]  sync = wsp(distance = 1) }';
  const analysis = analyse([text, ...others, job].join('\n'));
  expect(errorsOf(analysis)).toEqual([]);
  expect(analysis.jobs).toHaveLength(1);
});

test('the plan can be written as stage blocks that mean the same', () => {
  const before = analyse(pipe({ cluster: four, layers: many, stages: 'stages = plan(hetpipe, allocation = hybrid)' }));
  const [fix] = refactorings(before, before.syntax.text.indexOf('plan('), analyse);
  expect(fix.title).toBe('Write the planned stages into the file');
  const after = analyse(apply(before.syntax.text, fix.edits));
  expect(after.syntax.text).not.toContain('plan(');
  expect(withoutCut(after)).toEqual(withoutCut(before));
});

test('the hint names layers and device of each stage', () => {
  const analysis = analyse(pipe({}));
  const hint = analysis.resolution.derived.find((derivedValue) => derivedValue.planned !== undefined);
  expect(hint?.text).toMatch(/^ 3 stages: \d layers?, \d layers?, \d layers?$/);
  expect(hint?.tooltip).toMatch(/with layers and device of each stage: \d on \w+, \d on \w+, \d on \w+\./);
  expect(hint?.tooltip).toContain('by it no partition and no order of the devices is faster');
});

test.each([
  [{ schedule: '1f1b' }, 'virtual workers run `pipedream(in_flight = …)`, not "1f1b"'],
  [{ schedule: 'pipedream(weights = vertical_sync)' }, 'not under `vertical_sync`'],
  [{ schedule: 'pipedream(in_flight = 2)' }, 'write at least 3, one minibatch for each device'],
  [{ more: 'data = 3' }, 'leave out `data = 3`'],
  [{ layers: 'layer l[2] { forward = 1ms  backward = 1ms  weights = 1MB }' }, '2 layers on 3 devices have too few'],
  [
    { stages: 'stages = plan(hetpipe, allocation = node, worker = 2)' },
    '"c" has 2 virtual workers under `allocation = node`, 0 to 1, and no number 2',
  ],
  [{ stages: 'stages = plan(hetpipe, allocation = equal)' }, 'nodes of "c" have 2 and 1'],
  [{ cluster: 'gpu[3] = fast  link = 9GB/s', stages: 'stages = plan(hetpipe, allocation = node)' }, '"c" has no nodes'],
  [
    { cluster: 'node[3] { gpu[1] = fast }  link = 9GB/s', stages: 'stages = plan(hetpipe, allocation = hybrid)' },
    '"c" has 3 nodes of 1 device',
  ],
  [
    {
      cluster: 'node[2] { gpu[1] = fast }  gpu[1] = slow  link = 9GB/s',
      stages: 'stages = plan(hetpipe, allocation = equal)',
    },
    'devices of "c" are outside its nodes',
  ],
  [{ cluster: 'gpu[3] = fast' }, 'device/unknown-route'],
  [{ stages: 'stages = plan(hetpipe, worker = 1)' }, 'key/not-applicable'],
  [{ stages: 'stages = plan(hetpipe, objective = released)' }, 'key/not-applicable'],
  [{ stages: 'stages = plan(hetpipe, allocation = even)' }, 'name/unknown'],
  [
    { stages: 'stages = plan(pipedream, allocation = node)', cluster: 'gpu[3] = fast  link = 9GB/s' },
    'key/not-applicable',
  ],
  [{ cluster: 'gpu[40] = fast  link = 9GB/s', layers: many.replace('12', '60') }, 'too many plans'],
] satisfies readonly (readonly [Setting, string])[])('%j: %s', (setting, words) => {
  const found = analyse(pipe(setting)).findings.map(({ code, message }) => `${code}: ${message}`);
  expect(found.filter((text) => text.includes(words))).toHaveLength(1);
});
