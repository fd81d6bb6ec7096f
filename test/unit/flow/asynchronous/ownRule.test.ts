import { describe, expect, test } from 'vitest';
import { analyse } from '../../../support/analyse.ts';

const file = (schedule: string, pipeline: string, stages = 4) => `
device gpu { memory = 16GiB }
cluster box { gpu[6] = gpu  link = 1000GB/s + 0us }
model net { layer block[${stages}] { forward = 1ms  backward = 2ms  weights = 64MiB  activation = 32MiB } }
${schedule}
pipeline train { model = net  devices = box  ${pipeline} }
`;

const rule = (weights: string, inFlight = 'stages - s', backward = 'whole') =>
  `schedule mine { order = greedy(prefer = [${backward === 'whole' ? 'B' : 'I, W'}, F])  backward = ${backward}  in_flight(s) = ${inFlight}  weights = ${weights} }`;

describe('a rule of one’s own with versions', () => {
  test.each([
    ['stash', 1, [4, 3, 2, 1], [3, 2, 1, 0]],
    ['vertical_sync', 1, [4, 4, 4, 4], [3, 3, 3, 3]],
    ['latest', 1, [1, 1, 1, 1], [3, 2, 1, 0]],
    ['double_buffer', 4, [2, 2, 2, 2], [1, 1, 1, 1]],
  ] as const)('%s: the figures of the built-in order', (weights, m, versions, staleness) => {
    const { pipelines, findings } = analyse(
      file(rule(weights), `microbatches = ${m}  stages = balance(4)  schedule = mine  iterations = 40`),
    );
    const report = pipelines[0]?.run?.report;
    expect(findings.filter((finding) => finding.severity === 'error')).toEqual([]);
    expect(report?.asynchronous).toMatchObject({ weights, iterations: 40, steady: true });
    expect(report?.iteration).toBeCloseTo(m * 3e-3, 9);
    expect(report?.stages.map((stage) => stage.versions)).toEqual(versions);
    expect(report?.stages.map((stage) => stage.staleness)).toEqual(staleness);
  });

  test('with a split backward the update waits for the weight gradient', () => {
    const { pipelines } = analyse(
      file(rule('stash', 'stages - s', 'split'), 'microbatches = 1  stages = balance(4)  schedule = mine'),
    );
    const run = pipelines[0]?.run;
    expect(run?.report.asynchronous?.steady).toBe(true);
    const names = Array.from(run?.program.order ?? [], (word) => word >> (run?.program.shift ?? 0));
    const stages = 4;
    const kinds = names.map((row) => Math.trunc(row / stages));
    kinds.forEach((kind, at) => kind === 5 && expect(kinds[at - 1]).toBe(3));
    expect(kinds.filter((kind) => kind === 5)).toHaveLength(4 * 32);
  });

  test('a version that is not there yet is an error', () => {
    const { findings } = analyse(
      file(rule('double_buffer', '12'), 'microbatches = 2  stages = balance(4)  schedule = mine'),
    );
    const errors = findings.filter((finding) => finding.severity === 'error');
    expect(errors.map((error) => error.code)).toEqual(['schedule/missing-version']);
    expect(errors[0]?.message).toContain('needs version');
  });

  test('rows of one iteration miss the others', () => {
    const rows = 'schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches]  weights = stash }';
    const { findings, pipelines } = analyse(file(rows, 'microbatches = 4  stages = balance(4)  schedule = mine'));
    expect(findings.find((finding) => finding.code === 'schedule/incomplete')?.message).toContain('0F4');
    expect(pipelines[0]?.run).toBeUndefined();
  });
});

describe('replicas', () => {
  const stages = (first: string) =>
    `stage a { layers = block[0..1]  ${first} } stage b { layers = block[2]  on = gpu[2] } stage c { layers = block[3]  on = gpu[3] }`;
  const train = (first: string, more: string) => analyse(file('', `${more}  ${stages(first)}`));
  const errors = (found: ReturnType<typeof analyse>) =>
    found.findings
      .filter((finding) => finding.severity === 'error')
      .map((finding) => `${finding.code}: ${finding.message}`);

  test('take turns under pipedream', () => {
    const found = train('on = gpu[0..1]  replicate = round_robin', 'microbatches = 1  schedule = pipedream');
    expect(errors(found)).toEqual([]);
    const [{ plan }] = found.pipelines;
    expect(plan.placement).toEqual([0, 1, 2, 3]);
    expect(plan.stages.map((stage) => stage.copy)).toEqual([
      { stage: 0, every: 2, first: 0 },
      { stage: 0, every: 2, first: 1 },
      { stage: 1, every: 1, first: 0 },
      { stage: 2, every: 1, first: 0 },
    ]);
    // One message from either replica: a receive buffer for one of them.
    expect(plan.stages[2].buffers).toBe(plan.edges[0].bytes + (plan.edges.at(-1)?.bytes ?? 0));
  });

  test('on devices in any order', () => {
    const found = train('on = gpu[4..5]  replicate = round_robin', 'microbatches = 1  schedule = pipedream');
    expect(errors(found)).toEqual([]);
    expect(found.pipelines[0].plan.devices.map((device) => device.name)).toEqual([
      'gpu[4]',
      'gpu[5]',
      'gpu[2]',
      'gpu[3]',
    ]);
  });

  test('split every microbatch under any policy: half the time, gradients reduced over both', () => {
    const split = train('on = gpu[0..1]  replicate = split', 'microbatches = 8  schedule = dapple');
    const alone = train('on = gpu[0]', 'microbatches = 8  schedule = dapple');
    expect(errors(split)).toEqual([]);
    const [a, b] = [split.pipelines[0].plan, alone.pipelines[0].plan];
    expect(a.devices).toHaveLength(3);
    for (const key of ['forward', 'backwardInput', 'backwardWeight', 'activation'] as const)
      expect(a.stages[0][key]).toBeCloseTo(b.stages[0][key] / 2, 12);
    for (const key of ['weights', 'gradients', 'optimizer'] as const) expect(a.stages[0][key]).toBe(b.stages[0][key]);
    // A ring of two: 2 · ½ · S / B for 128 MiB of gradients.
    expect(a.step[0].sync).toBeCloseTo((128 * 2 ** 20) / 1e12, 12);
    expect(a.step[1].sync).toBe(0);
  });

  test('two split stages send over as many links as the fewer have replicas', () => {
    const found = analyse(
      file(
        '',
        'microbatches = 8  schedule = 1f1b  stage a { layers = block[0..1]  on = gpu[0..1]  replicate = split } stage b { layers = block[2..3]  on = gpu[2..5]  replicate = split }',
      ),
    );
    expect(errors(found)).toEqual([]);
    expect(found.pipelines[0].plan.routes.map((route) => route.bandwidth)).toEqual([2e12, 2e12]);
  });

  test.each([
    [
      'on = gpu[0..1]  replicate = round_robin',
      'microbatches = 1  schedule = 1f1b',
      'schedule/shape: 1f1b cannot run: its stages have no replicas',
    ],
    [
      'on = gpu[0..1]',
      'microbatches = 1  schedule = pipedream',
      'stage/device-count: Stage "a" has 2 devices, but one device needs 1; set `replicate` to share',
    ],
    ['replicate = round_robin', 'microbatches = 1  schedule = pipedream', 'key/missing'],
    ['on = gpu[0..1]  replicate = sideways', 'microbatches = 1  schedule = pipedream', 'name/unknown'],
    [
      'on = gpu[1..2]  replicate = round_robin',
      'microbatches = 1  schedule = pipedream',
      'stage/device-count: Stage "b" shares gpu[2]',
    ],
    [
      'on = gpu[0..2]  replicate = split',
      'microbatches = 1  schedule = pipedream  data = 2',
      'stage/device-count: Stage "a" has 3 devices, but they do not divide into replicas of 2',
    ],
    [
      'on = gpu[0..1]  replicate = round_robin',
      'microbatches = 3  schedule = pipedream',
      'schedule/shape: pipedream cannot run: 3 microbatches of an update do not divide evenly among the 2 replicas',
    ],
  ])('%s, %s: is said', (first, more, message) => {
    expect(errors(train(first, more)).some((error) => error.startsWith(message))).toBe(true);
  });
});

test('two stages on one device are updated there, and their device decides the period', () => {
  const stages = [0, 1, 1, 2].map((gpu, stage) => `stage s${stage} { layers = block[${stage}]  on = gpu[${gpu}] }`);
  const { pipelines } = analyse(file('', `microbatches = 1  schedule = pipedream  ${stages.join(' ')}`));
  const report = pipelines[0]?.run?.report;
  expect(report?.asynchronous?.steady).toBe(true);
  expect(report?.iteration).toBeCloseTo(6e-3, 9);
  expect(report?.bubble.causes.imbalance).toBeCloseTo(1 / 3, 9);
  expect(report?.bubble.bound).toBeCloseTo(1 / 3, 9);
  const MiB = 2 ** 20;
  // Versions of both stages: at most 3 − 1 and 2 − 1 older ones.
  expect(report?.devices[1].memory.versions).toBeLessThanOrEqual(3 * 64 * MiB);
});
