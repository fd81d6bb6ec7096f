import { describe, expect, test } from 'vitest';
import { refactorings } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { analyse } from '../../support/analyse.ts';
import { errorsOf, withoutCut } from './plannedCut.ts';

interface Setting {
  readonly schedule?: string;
  readonly memory?: string;
  readonly microbatches?: number;
  readonly layers?: string;
  readonly more?: string;
  readonly cluster?: string;
  readonly microBatch?: number;
  readonly stages?: string;
}

const derived = `layer embed = embedding(vocab = 4000, hidden = 512)
  layer block = transformer(hidden = 512, heads = 8)
  layer head = lm_head(vocab = 4000, hidden = 512)`;
/** The head uses the matrix of the embedding, which is there once if one stage has both. */
const tied = derived.replace(/(lm_head.*)\)/, '$1, tied = true)');
const names = ['embed', 'block', 'head'];

/** Two nodes of two devices. */
const pipe = ({
  schedule = '1f1b',
  memory = '80GiB',
  microbatches = 4,
  layers = derived,
  more = 'optimizer = megatron_bf16',
  cluster = 'node[2] { gpu[2] = a  link = 100GB/s }  link = 5GB/s',
  microBatch = 4,
  stages = 'stages = plan(alpa)',
}: Setting): string => `model m {
  sequence = 512  micro_batch = ${microBatch}
  ${layers}
}
device a { memory = ${memory}  compute = 100TFLOPS  bandwidth = 1TB/s }
device b { memory = 40GiB  compute = 100TFLOPS }
cluster c { ${cluster} }
pipeline train {
  model = m  devices = c  microbatches = ${microbatches}  schedule = ${schedule}  ${more}
  ${stages}
}
`;

interface Stage {
  readonly from: number;
  readonly to: number;
  readonly tensor: number;
  readonly data: number;
}

/** Every way to fill four devices with stages on 1, 2 or 4 of them. */
function plansOf(count: number, from = 0, left = 4): readonly (readonly Stage[])[] {
  if (from === count) return left === 0 ? [[]] : [];
  const ranks = [1, 2, 4].flatMap((size) =>
    [1, 2, 4].flatMap((tensor) => (size % tensor === 0 ? [{ tensor, data: size / tensor }] : [])),
  );
  return Array.from({ length: count - from }, (_, more) => from + 1 + more).flatMap((to) =>
    ranks.flatMap((each) =>
      plansOf(count, to, left - each.tensor * each.data).map((rest) => [{ from, to, ...each }, ...rest]),
    ),
  );
}

/** The stages as blocks, the largest on the first devices. */
function blocks(plan: readonly Stage[]): string {
  const firsts = new Map<Stage, number>();
  let next = 0;
  for (const size of [4, 2, 1])
    for (const stage of plan) {
      if (stage.tensor * stage.data !== size) continue;
      firsts.set(stage, next);
      next += size;
    }
  return plan
    .map((stage, index) => {
      const first = firsts.get(stage) ?? 0;
      const size = stage.tensor * stage.data;
      const layers = names.slice(stage.from, stage.to).join(', ');
      return `stage s${index} { layers = ${layers}  on = gpu[${first}..${first + size - 1}]  tensor = ${stage.tensor}  data = ${stage.data} }`;
    })
    .join('\n  ');
}

/** Σ tᵢ + (B − 1) · max tᵢ of stages that the file says, with their costs as the simulation has them, and its largest peak. */
function figuresOf(setting: Setting, plan: readonly Stage[]): { readonly value: number; readonly peak: number } {
  const { plan: planned, run } = analyse(pipe({ ...setting, stages: blocks(plan) })).pipelines[0];
  if (run === undefined) throw new Error('a plan does not run');
  const times = planned.stages.map(
    ({ forward, backwardInput, backwardWeight, recompute }, stage) =>
      forward +
      backwardInput +
      backwardWeight +
      recompute +
      planned.step[planned.placement[stage]].sync / planned.microbatches,
  );
  const value = times.reduce((sum, time) => sum + time, 0) + (planned.microbatches - 1) * Math.max(...times);
  return { value, peak: Math.max(...run.report.devices.map((device) => device.peak)) };
}

describe('against every plan, written as stages and simulated', () => {
  test.each([
    { schedule: '1f1b', microbatches: 4 },
    { schedule: 'eager_1f1b', microbatches: 16 },
    { schedule: 'gpipe', microbatches: 2 },
    {
      schedule: 'dapple(policy = a, in_flight = 2)',
      microbatches: 8,
      more: 'optimizer = megatron_bf16  recompute = full',
    },
    { schedule: '1f1b', microbatches: 8, more: 'optimizer = megatron_bf16(shard = zero1)  sequence_parallel = true' },
    { schedule: '1f1b', microbatches: 4, more: '' },
  ])('$schedule, $microbatches microbatches, $more', (setting) => {
    const plans = plansOf(names.length).map((plan) => figuresOf(setting, plan));
    const peaks = [...new Set(plans.map(({ peak }) => peak))].sort((one, other) => one - other);
    const kinds = new Set<string>();
    // Memory that a plan just fits in, and a byte less than any needs.
    for (const memory of [Math.floor(peaks[0]) - 1, ...peaks.map((peak) => Math.ceil(peak))]) {
      const values = plans.flatMap(({ value, peak }) => (peak <= memory ? [value] : []));
      const analysis = analyse(pipe({ ...setting, memory: `${memory}B` }));
      if (values.length === 0) {
        expect(errorsOf(analysis)).toEqual([expect.stringContaining('every plan needs more memory')]);
        continue;
      }
      expect(errorsOf(analysis)).toEqual([]);
      const made = analysis.pipelines[0].run?.report.plan;
      expect(made?.exact).toBe(true);
      expect((made?.value ?? 0) / Math.min(...values)).toBeCloseTo(1, 9);
      kinds.add(JSON.stringify(made?.stages));
    }
    // Less memory leads to other plans.
    expect(kinds.size).toBeGreaterThan(1);
  });
});

test('the ranks of a stage are in the report and in the hint, and every device is in one stage', () => {
  const analysis = analyse(pipe({ layers: derived.replace('block =', 'block[6] =') }));
  const made = analysis.pipelines[0].run?.report.plan;
  expect(made?.planner).toBe('alpa');
  const stages = made?.stages ?? [];
  for (const { tensor = 0, data = 0, devices } of stages) expect(devices).toHaveLength(tensor * data);
  expect(new Set(stages.flatMap((stage) => stage.devices)).size).toBe(4);
  const hint = analysis.resolution.derived.find((derivedValue) => derivedValue.planned !== undefined);
  expect(hint?.text).toContain(stages.length === 1 ? '1 stage: ' : `${stages.length} stages: `);
  expect(hint?.tooltip).toContain('by it no plan takes less');
  for (const { layers, tensor, data } of stages)
    expect(hint?.tooltip).toContain(`${layers.length} on tensor ${tensor} × data ${data}`);
});

test('a stage with the embedding and a tied head has their matrix once', () => {
  const one = { layers: tied, cluster: 'gpu[1] = a' };
  const peak = analyse(pipe(one)).pipelines[0].run?.report.devices[0].peak ?? 0;
  const fitting = analyse(pipe({ ...one, memory: `${Math.ceil(peak)}B` }));
  expect(errorsOf(fitting)).toEqual([]);
  expect(fitting.pipelines[0].run?.report.devices[0].peak).toBe(peak);
  const larger = analyse(pipe({ ...one, memory: `${Math.ceil(peak) - 1}B` }));
  expect(errorsOf(larger)).toEqual([expect.stringContaining('every plan needs more memory')]);
});

test('measured layers have data ranks alone', () => {
  const layers = 'layer l[3] { forward = 4ms  backward = 8ms  weights = 1MB  activation = 1MiB  output = 1KB }';
  const analysis = analyse(pipe({ layers, microbatches: 1, more: '' }));
  const made = analysis.pipelines[0].run?.report.plan;
  // 36 ms of computing on four devices, and 2 · 3/4 · 3 MB over the ring.
  expect(made?.stages.map(({ tensor, data }) => [tensor, data])).toEqual([[1, 4]]);
  expect(analysis.pipelines[0].run?.report.iteration).toBeCloseTo(made?.value ?? 0, 9);
});

test('the plan can be written as stage blocks that mean the same', () => {
  for (const setting of [
    {},
    { memory: '120MB' },
    { microbatches: 64, layers: derived.replace('block =', 'block[5] =') },
  ]) {
    const before = analyse(pipe(setting));
    const [fix] = refactorings(before, before.syntax.text.indexOf('plan('), analyse);
    expect(fix.title).toBe('Write the planned stages into the file');
    const after = analyse(apply(before.syntax.text, fix.edits));
    expect(after.syntax.text).toContain('tensor = ');
    expect(withoutCut(after)).toEqual(withoutCut(before));
  }
});

test('layers with several orders are planned in one, and a bound for all is reported', () => {
  const layers = `layer a { forward = 4ms  backward = 8ms  weights = 1MB  activation = 1MiB  output = 1KB }
  layer b { forward = 2ms  backward = 4ms  weights = 1MB  activation = 1MiB  output = 1KB  after = a }
  layer c { forward = 6ms  backward = 12ms  weights = 1MB  activation = 1MiB  output = 1KB  after = a }
  layer d { forward = 1ms  backward = 2ms  weights = 1MB  activation = 1MiB  output = 1KB  after = [b, c] }`;
  const analysis = analyse(pipe({ layers, microbatches: 8, more: '' }));
  expect(errorsOf(analysis)).toEqual([]);
  const made = analysis.pipelines[0].run?.report.plan;
  expect(made?.exact).toBe(false);
  expect(made?.least).toBeLessThan(made?.value ?? 0);
  // 39 ms of each microbatch on four devices, and the first one through all layers on one device or four.
  expect(made?.least).toBeGreaterThan(7 * (39e-3 / 4));
});

test.each([
  [{ more: 'tensor = 2' }, 'leave out `tensor = 2`'],
  [{ more: 'data = 2' }, 'leave out `data = 2`'],
  [{ more: 'context = 2' }, 'leave out `context = 2`'],
  [{ schedule: 'zb_h1' }, 'not for "zb_h1"'],
  [{ schedule: '1f1b(warmup = hide_latency)' }, 'not for "1f1b" with `warmup`'],
  [{ schedule: 'pipedream' }, 'not for "pipedream"'],
  [{ more: 'optimizer = megatron_bf16(shard = zero3)' }, 'what ranks gather under `shard = zero3`'],
  [{ cluster: 'gpu[3] = a  link = 5GB/s' }, 'a node of "c" has 3'],
  [{ cluster: 'gpu[2] = a  gpu[2] = b  link = 5GB/s' }, 'needs devices of one kind'],
  [{ cluster: 'gpu[4] = a' }, 'device/unknown-route'],
  [
    { cluster: 'node[1] { gpu[2] = a  link = 9GB/s } node[1] { gpu[4] = a  link = 9GB/s } link = 5GB/s' },
    'needs equal nodes',
  ],
  [{ cluster: 'node[2] { node[2] { gpu[2] = a  link = 90GB/s } link = 9GB/s } link = 5GB/s' }, 'one level of them'],
  [
    {
      layers: `layer x { forward = 1ms  backward = 2ms  weights = 1MB }\n${derived}`,
      more: 'sequence_parallel = true',
    },
    'measured layers send to ranks',
  ],
  [{ memory: '1MiB' }, 'every plan needs more memory'],
  [{ layers: 'layer one = transformer(hidden = 3, heads = 1)', microBatch: 1 }, 'no stages fill all 4 devices of "c"'],
  [{ stages: 'stages = plan(alpa, objective = released)' }, 'key/not-applicable'],
  [
    {
      cluster: 'node[80] { gpu[64] = a  link = 90GB/s } link = 9GB/s',
      layers: derived.replace('block =', 'block[300] ='),
    },
    'too many plans',
  ],
] satisfies readonly (readonly [Setting, string])[])('%j: %s', (setting, words) => {
  const analysis = analyse(pipe(setting));
  const found = analysis.findings
    .filter(({ severity }) => severity === 'error' || severity === 'warning')
    .map(({ code, message }) => `${code}: ${message}`);
  expect(found.filter((text) => text.includes(words))).toHaveLength(1);
});
