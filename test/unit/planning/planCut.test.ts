import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { type Analysis } from '../../../engine/flow/check.ts';
import { refactorings } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { sumOf } from './planners/plans.ts';
import { analyse, checkedAfter } from '../../support/analyse.ts';

interface Setting {
  readonly layers?: string;
  readonly cluster?: string;
  readonly stages?: string;
  readonly schedule?: string;
  readonly more?: string;
  readonly microbatches?: number;
  readonly device?: string;
}

/** The same in two layers. */
const two = `layer conv { forward = 6ms  backward = 12ms  weights = 24MB  activation = 1MiB  output = 1KB }
  layer top { forward = 2ms  backward = 4ms  weights = 512MB  activation = 1MiB  output = 1KB }`;

/** Six layers of 1 ms and 2 ms with few weights, two with many. */
const pipe = ({
  layers = `layer conv[6] { forward = 1ms  backward = 2ms  weights = 4MB  activation = 1MiB  output = 1KB }
  layer top[2] { forward = 1ms  backward = 2ms  weights = 256MB  activation = 1MiB  output = 1KB }`,
  cluster = 'gpu[4] = a  link = 50GB/s',
  stages = 'plan(pipedream)',
  schedule = 'pipedream',
  more = '',
  microbatches = 1,
  device = '',
}: Setting): string => `model m {
  ${layers}
}
device a { memory = 80GiB }
device b { memory = 40GiB }
${device}
cluster c { ${cluster} }
pipeline train {
  model = m  devices = c  microbatches = ${microbatches}  schedule = ${schedule}  ${more}
  stages = ${stages}
}
`;

const cutOf = (analysis: Analysis) => {
  const [made] = analysis.resolution.derived.flatMap((derivedValue) => derivedValue.planned ?? []);
  return made?.stages.map(({ layers, on, replicate }) => [layers.length, on, replicate]);
};
/** The plan but for what the planner says of it. */
const withoutCut = (analysis: Analysis) => ({ ...analysis.resolution.plan.pipelines[0], cut: undefined });
const errorsOf = (analysis: Analysis) =>
  analysis.findings.flatMap((finding) => (finding.severity === 'error' ? [`${finding.code}: ${finding.message}`] : []));

describe('plan(pipedream)', () => {
  test('gives the stage with few weights the replicas, and shows the plan', () => {
    const analysis = analyse(pipe({}));
    expect(cutOf(analysis)).toEqual([
      [6, 'gpu[0..2]', 'round_robin'],
      [2, 'gpu[3]', undefined],
    ]);
    // 18 ms of three devices, 6 ms of one.
    const hint = analysis.resolution.derived.find((derivedValue) => derivedValue.planned !== undefined);
    expect(hint?.text).toBe(' 2 stages: 6 × 3, 2 × 1');
    expect(hint?.tooltip).toContain('Planned 6 ms, with layers × replicas of each stage: 6 × 3, 2 × 1.');
    expect(hint?.tooltip).toContain('The planner ignores memory.');
    const [plan] = analysis.resolution.plan.pipelines;
    expect(plan.stages.map((stage) => stage.name)).toEqual(['s0[0]', 's0[1]', 's0[2]', 's1']);
    expect(plan.devices).toHaveLength(4);
  });

  test('`objective` says how exchanges count', () => {
    // A third of 18 ms, as by the paper; of 18 ms and (4 · 2/3 · 24 MB) / 50 GB/s by the code.
    const times = ['paper', 'released'].map((objective) => {
      const analysis = analyse(pipe({ layers: two, stages: `plan(pipedream, objective = ${objective})` }));
      const hint = analysis.resolution.derived.find((derivedValue) => derivedValue.planned !== undefined);
      expect(hint?.text).toBe(' 2 stages: 1 × 3, 1 × 1');
      return Number(/^Planned ([\d.]+) ms/.exec(hint?.tooltip ?? '')?.[1]);
    });
    expect(times[0]).toBe(6);
    expect(times[1]).toBeCloseTo((18 + 1.28) / 3, 2);
  });

  test('replicas divide the microbatches of an update', () => {
    const analysis = analyse(pipe({ microbatches: 4 }));
    expect(errorsOf(analysis)).toEqual([]);
    for (const stage of analysis.resolution.plan.pipelines[0].stages) expect(4 % (stage.copy?.every ?? 1)).toBe(0);
  });

  test('one device a stage where the schedule takes no replicas in turn', () => {
    const analysis = analyse(pipe({ schedule: '1f1b', microbatches: 8 }));
    expect(errorsOf(analysis)).toEqual([]);
    expect(cutOf(analysis)).toEqual([
      [2, undefined, undefined],
      [2, undefined, undefined],
      [2, undefined, undefined],
      [2, undefined, undefined],
    ]);
  });

  test('more devices than layers', () => {
    const layers = 'layer l[2] { forward = 1ms  backward = 1ms  weights = 1MB  output = 1KB }';
    const analysis = analyse(pipe({ layers, cluster: 'gpu[8] = a  link = 50GB/s', schedule: '1f1b', microbatches: 4 }));
    expect(errorsOf(analysis)).toEqual([]);
    expect(cutOf(analysis)?.map(([layersOf]) => layersOf)).toEqual([1, 1]);
  });

  test('nodes are planned level by level: 2 · 20 MB over 5 GB/s between nodes', () => {
    const cluster = 'node[2] { gpu[2] = a  link = 100GB/s }  link = 5GB/s';
    const analysis = analyse(pipe({ layers: two.replaceAll('output = 1KB', 'output = 20MB'), cluster }));
    const hint = analysis.resolution.derived.find((derivedValue) => derivedValue.planned !== undefined);
    // A half of 18 ms in the first node; the transfer takes 8 ms, and the second layer 6 ms on one device of the second node.
    expect(hint?.text).toBe(' 2 stages: 1 × 2, 1 × 1');
    expect(hint?.tooltip).toMatch(/^Planned 9 ms, /);
    expect(cutOf(analysis)).toEqual([
      [1, 'gpu[0..1]', 'round_robin'],
      [1, 'gpu[2]', undefined],
    ]);
    expect(analysis.pipelines[0].run?.report.plan).toEqual({
      planner: 'pipedream',
      objective: 'paper',
      value: expect.closeTo(9e-3, 12),
      least: expect.closeTo(9e-3, 12),
      exact: true,
      levels: [
        { machines: 2, bandwidth: 100e9 },
        { machines: 2, bandwidth: 5e9 },
      ],
      stages: [
        { name: 's0', layers: ['conv'], replicas: 2, devices: ['node[0].gpu[0]', 'node[0].gpu[1]'] },
        { name: 's1', layers: ['top'], replicas: 1, devices: ['node[1].gpu[0]'] },
      ],
    });
  });

  test('replicas in several nodes, of stages on some devices of each', () => {
    // Replicas divide four microbatches: two of three devices of each node for the long layer, and both nodes do the same.
    const layers = `layer conv { forward = 8ms  backward = 16ms  weights = 2MB  activation = 1MiB  output = 1KB }
  layer top { forward = 1ms  backward = 2ms  weights = 2MB  activation = 1MiB  output = 400MB }
  layer end { forward = 1ms  backward = 2ms  weights = 2MB  activation = 1MiB  output = 1KB }`;
    const cluster = 'node[2] { gpu[3] = a  link = 200GB/s }  link = 5GB/s';
    const analysis = analyse(pipe({ layers, cluster, microbatches: 4 }));
    expect(errorsOf(analysis)).toEqual([]);
    const made = analysis.pipelines[0].run?.report.plan;
    const devices = made?.stages.flatMap((stage) => stage.devices) ?? [];
    expect(new Set(devices).size).toBe(devices.length);
    const offset = analysis.syntax.text.indexOf('plan(');
    const [fix] = refactorings(analysis, offset, checkedAfter(analysis));
    const after = analyse(apply(analysis.syntax.text, fix.edits));
    expect(withoutCut(after)).toEqual(withoutCut(analysis));
    expect(after.syntax.text).toContain('[gpu[0..1], gpu[3..4]]');
  });

  test('a node that is not full leaves its devices out', () => {
    // 400 MB there and back take 160 ms between nodes and 8 ms inside one.
    const layers = `layer first { forward = 4ms  backward = 6ms  weights = 2MB  activation = 1MiB  output = 1KB }
  layer second { forward = 4ms  backward = 6ms  weights = 2MB  activation = 1MiB  output = 400MB }
  layer third { forward = 4ms  backward = 6ms  weights = 2MB  activation = 1MiB  output = 1KB }`;
    const cluster = 'node[2] { gpu[2] = a  link = 100GB/s }  link = 5GB/s';
    const analysis = analyse(pipe({ layers, cluster, schedule: '1f1b', microbatches: 1 }));
    expect(errorsOf(analysis)).toEqual([]);
    expect(cutOf(analysis)).toEqual([
      [1, 'gpu[0]', undefined],
      [1, 'gpu[2]', undefined],
      [1, 'gpu[3]', undefined],
    ]);
    expect(analysis.resolution.plan.pipelines[0].devices.map(({ name }) => name)).toEqual([
      'node[0].gpu[0]',
      'node[1].gpu[0]',
      'node[1].gpu[1]',
    ]);
  });

  const levelsOf = (setting: Setting) => analyse(pipe(setting)).pipelines[0].run?.report.plan?.levels;

  test('levels of links: one if nodes differ, if links are named, or if nodes are linked as fast as their devices', () => {
    expect(levelsOf({ cluster: 'gpu[4] = a  link = 5GB/s  link gpu[0] -- gpu[1] = 100GB/s' })).toEqual([
      { machines: 4, bandwidth: 5e9 },
    ]);
    const node = (devices: number) => `node[1] { gpu[${devices}] = a  link = 100GB/s }`;
    for (const nodes of [
      [2, 3],
      [3, 2, 4],
    ])
      expect(levelsOf({ cluster: `${nodes.map(node).join('  ')}  link = 5GB/s` })).toEqual([
        { machines: sumOf(nodes), bandwidth: 5e9 },
      ]);
    expect(levelsOf({ cluster: 'node[2] { gpu[2] = a  link = 5GB/s }  link = 100GB/s' })).toEqual([
      { machines: 4, bandwidth: 5e9 },
    ]);
    expect(
      levelsOf({ cluster: 'node[2] { node[2] { gpu[2] = a  link = 90GB/s }  link = 20GB/s }  link = 5GB/s' }),
    ).toEqual([
      { machines: 2, bandwidth: 90e9 },
      { machines: 2, bandwidth: 20e9 },
      { machines: 2, bandwidth: 5e9 },
    ]);
  });

  test('ranks that share layers are one machine of a node', () => {
    const levels = levelsOf({
      layers: 'sequence = 1024  layer block[4] = transformer(hidden = 1024, heads = 16)',
      cluster: 'node[2] { gpu[4] = fast  link = 100GB/s }  link = 5GB/s',
      more: 'tensor = 2',
      schedule: '1f1b',
      device: 'device fast { memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s }',
    });
    expect(levels).toEqual([
      { machines: 2, bandwidth: 100e9 },
      { machines: 2, bandwidth: 5e9 },
    ]);
  });

  test('derived costs and tensor ranks', () => {
    const text = pipe({
      layers: 'sequence = 1024  layer block[4] = transformer(hidden = 1024, heads = 16)',
      cluster: 'gpu[8] = a  link = 50GB/s',
      more: 'tensor = 2',
    }).replace('memory = 80GiB', 'memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s');
    const analysis = analyse(text);
    expect(errorsOf(analysis)).toEqual([]);
    expect(analysis.pipelines[0].run?.report.iteration).toBeGreaterThan(0);
  });
});

describe('plan(dapple)', () => {
  const setting = { stages: 'plan(dapple)', schedule: 'dapple(policy = b)', microbatches: 8 };

  test('a plan of one stage takes as long as it says: M(F + B)/4 and the exchange', () => {
    const layers = 'layer l[3] { forward = 1ms  backward = 2ms  weights = 1MB  output = 100MB }';
    const analysis = analyse(pipe({ ...setting, layers }));
    expect(cutOf(analysis)).toEqual([[3, 'gpu[0..3]', 'split']]);
    // 8 · 9 ms / 4, and 2 · 3/4 · 3 MB / 50 GB/s.
    const expected = 18e-3 + 9e-5;
    expect(analysis.pipelines[0].run?.report.iteration).toBeCloseTo(expected, 9);
    const hint = analysis.resolution.derived.find((derivedValue) => derivedValue.planned !== undefined);
    expect(hint?.text).toBe(' 1 stage: 3 × 4');
    expect(hint?.tooltip).toMatch(/^Planned 18\.1 ms, /);
  });

  test('replicas of a stage share every microbatch', () => {
    const analysis = analyse(pipe({ ...setting, layers: two, cluster: 'gpu[4] = a  link = 5GB/s' }));
    expect(cutOf(analysis)).toEqual([
      [1, 'gpu[0..2]', 'split'],
      [1, 'gpu[3]', undefined],
    ]);
    const [first] = analysis.resolution.plan.pipelines[0].stages;
    expect(first.forward).toBeCloseTo(2e-3, 12);
  });
});

test('the plan can be written as stage blocks that mean the same', () => {
  for (const setting of [
    {},
    { schedule: '1f1b', microbatches: 8 },
    { stages: 'plan(dapple)', schedule: 'dapple', microbatches: 8, cluster: 'gpu[4] = a  link = 5GB/s' },
    {
      stages: 'plan(dapple)',
      schedule: 'dapple',
      microbatches: 8,
      cluster: 'gpu[8] = a  link = 5GB/s',
      more: 'data = 2',
    },
  ]) {
    const before = analyse(pipe(setting));
    const offset = before.syntax.text.indexOf('plan(');
    const [fix] = refactorings(before, offset, checkedAfter(before));
    expect(fix.title).toBe('Write the planned stages into the file');
    const after = analyse(apply(before.syntax.text, fix.edits));
    expect(after.syntax.text).not.toContain('plan(');
    expect(withoutCut(after)).toEqual(withoutCut(before));
  }
});

test.each([
  [{ cluster: 'gpu[0..1] = a  gpu[2..3] = b  link = 50GB/s' }, 'needs devices of one kind, and "c" has a and b'],
  [{ more: 'data = 2' }, 'leave out `data = 2`'],
  [
    { schedule: 'interleaved_1f1b(chunks = 2)', microbatches: 8 },
    '"interleaved_1f1b" puts several, or parts of them, on one',
  ],
  [{ schedule: 'chimera', microbatches: 8 }, '"chimera" puts several, or parts of them, on one'],
  [{ stages: 'plan(dapple)' }, 'use `plan(pipedream)`'],
  [{ cluster: 'gpu[4] = a' }, 'device/unknown-route'],
  [{ stages: 'plan()' }, 'key/missing'],
  [{ stages: 'plan(pipedram)' }, 'name/unknown'],
  [{ stages: 'plan(3)' }, 'type/mismatch'],
  [{ stages: 'plan(pipedream, objective = fast)' }, 'name/unknown'],
  [
    {
      layers: 'layer l[3000] { forward = 1ms  backward = 2ms  weights = 1MB  output = 1KB }',
      cluster: 'gpu[64] = a  link = 50GB/s',
    },
    'too many plans',
  ],
] satisfies readonly (readonly [Setting, string])[])('%j is told: %s', (setting, words) => {
  const found = errorsOf(analyse(pipe(setting)));
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(words);
});

test('under every policy a plan runs, or one finding says why not', () => {
  const named = policies.filter((policy) => policy.loading === undefined).map((policy) => policy.name);
  fc.assert(
    fc.property(
      fc.constantFrom(...named),
      fc.constantFrom('pipedream', 'dapple', 'alpa'),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 8 }),
      (schedule, planner, devices, layers, microbatches) => {
        const analysis = analyse(
          pipe({
            layers: `layer l[${layers}] { forward = 1ms  backward = 2ms  weights = 9MB  activation = 1MiB  output = 1MB }`,
            cluster: `gpu[${devices}] = a  link = 5GB/s`,
            ...{ stages: `plan(${planner})`, schedule, microbatches },
          }),
        );
        const ran = analysis.pipelines[0]?.run !== undefined;
        expect(errorsOf(analysis).length > 0).toBe(!ran);
      },
    ),
    { numRuns: 150 },
  );
});
