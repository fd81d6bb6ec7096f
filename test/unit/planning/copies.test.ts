/** Stages with copies, from text to report: what a file says of a stage holds for all of its copies. */
import { describe, expect, test } from 'vitest';
import { gcd } from '../../../engine/basics/gcd.ts';
import { copiesMeet, copyRuns } from '../../../engine/order/copyTurns.ts';
import { pack } from '../../../engine/basics/packed.ts';
import { leastMakespan } from '../../../engine/analyze/bound.ts';
import { paths, type PipelinePlan } from '../../../engine/values/plan.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { operationName } from '../../../engine/values/program.ts';
import { after, analyse, codesOf, fixesOf, checkedAfter } from '../../support/analyse.ts';

interface Parts {
  readonly pipeline?: string;
  readonly stages?: string;
  readonly more?: string;
  readonly memory?: string;
  readonly layers?: string;
}

const file = ({
  pipeline = 'schedule = dualpipe',
  stages = 'stages = balance(4)',
  more = '',
  memory = '16GiB',
  layers,
}: Parts) => `
model toy {
  ${layers ?? 'layer block[4] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms  weights = 100MiB  activation = 10MiB  output = 1MiB }'}
}
device gpu { memory = ${memory} }
cluster box { gpu[4] = gpu  link = 1GiB/s + 1ms }
pipeline train {
  model = toy
  devices = box
  microbatches = 8
  ${stages}
  ${pipeline}
}
${more}`;
const MiB = 2 ** 20;

function ranOf(text: string) {
  const analysis = analyse(text);
  const [one] = analysis.pipelines;
  if (one?.run === undefined) throw new Error(analysis.findings.map(({ message }) => message).join('\n'));
  return { ...one.run, plan: one.plan, analysis };
}

describe('two directions', () => {
  const { plan, report, timeline, analysis } = ranOf(file({}));

  test('each device holds two stages, and their weights, gradients and activations count on each', () => {
    expect(report.devices.map(({ stages }) => stages)).toEqual([
      ['s0[0]', 's3[1]'],
      ['s1[0]', 's2[1]'],
      ['s2[0]', 's1[1]'],
      ['s3[0]', 's0[1]'],
    ]);
    for (const { memory } of report.devices) {
      expect(memory.weights).toBe(200 * MiB);
      expect(memory.gradients).toBe(200 * MiB);
    }
    // p + 1 microbatches of either stage.
    expect(report.devices.map(({ in_flight }) => in_flight)).toEqual([5, 5, 5, 5]);
    for (const { memory } of report.devices) expect(memory.activations).toBe(50 * MiB);
  });

  test('devices that hold the same stages reduce the gradients of both in a ring of two', () => {
    // 2(n − 1)(α + S / nB) of 200 MiB.
    const time = 2 * (0.001 + (200 * MiB) / 2 / 2 ** 30);
    for (const sync of timeline.timing.sync) expect(sync).toBeCloseTo(time, 12);
    expect(report.iteration).toBeCloseTo(Math.max(...timeline.last) + time, 12);
  });

  test('a link carries what both of its ends run: half of the microbatches down, half of them back up', () => {
    // Of each direction's 4 microbatches one way the outputs, the other way the gradients; the directions mirror each other.
    for (const link of report.links) expect(link.bytes).toBe(8 * MiB);
    expect(report.links).toHaveLength(6);
  });

  test('no order is faster than the bound, and the causes add up', () => {
    expect(report.bubble.bound).toBeLessThanOrEqual(report.bubble.makespan);
    expect(report.bubble.bound).toBeGreaterThan(0);
    const causes = Object.values(report.bubble.causes).reduce((sum, cause) => sum + cause, 0);
    expect(causes).toBeCloseTo(report.bubble.makespan, 12);
  });

  test('every copy stands where its stage does', () => {
    const { origins } = analysis.resolution;
    const places = plan.stages.map((_, index) => origins.get(paths.stage(plan.name, index)));
    expect(places).toHaveLength(8);
    for (const place of places) expect(place).toEqual(places[0]);
  });
});

test.each([
  // A device of the middle begins after one forward and its transfer, then has 8 F and 8 B of 1 and 2 ms, weight gradients last; layers
  // without weights have no gradients to exchange.
  ['0%', 2 + 24],
  ['50%', 2 + 20],
  ['100%', 2 + 16],
])('the bound knows what may hide at an overlap of %s', (overlap, least) => {
  const layers = 'layer block[4] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms }';
  const { plan, program, timeline } = ranOf(file({ layers, pipeline: `schedule = dualpipe(overlap = ${overlap})` }));
  const bound = leastMakespan(plan, program, timeline.timing, { split: true, memory: false });
  expect(bound).toBeCloseTo(least * 1e-3, 12);
  expect(bound).toBeLessThanOrEqual(timeline.makespan);
});

const blocks = (extra = '') =>
  ['a', 'b', 'c', 'd'].map((name, index) => `stage ${name} { layers = block[${index}] ${extra} }`).join('\n  ');

describe('a stage of the file is all of its copies', () => {
  test('in expectations, by the worst', () => {
    const text = (more: string) =>
      file({
        stages: blocks(),
        pipeline: 'schedule = chimera',
        more,
        layers: 'layer block[4] { forward = 1ms  backward = 1ms  activation = 10MiB }',
      });
    // Devices hold 3, 4, 4, 3 microbatches.
    expect(
      codesOf(analyse(text('expect train { in_flight(stage = a) == 3  in_flight(stage = b) == 4 }'))),
    ).not.toContain('expect/failed');
    const { report } = ranOf(text(''));
    expect(report.devices.map(({ in_flight }) => in_flight)).toEqual([3, 4, 4, 3]);
    expect(
      codesOf(analyse(text('expect train { in_flight(stage = 3) == 3  in_flight(stage = 2) == 4 }'))),
    ).not.toContain('expect/failed');
    expect(codesOf(analyse(text('expect train { in_flight(stage = 4) < 9 }')))).toContain('value/range');
    // The last stage's other copy is on the first device.
    const uneven = ranOf(text('').replace('layer block[4] { forward', 'layer block[4] { weights = 1MiB  forward'));
    expect(uneven.report.devices[0].memory.weights).toBe(2 * MiB);
  });

  test('in quick fixes: stages that are too large are recomputed, moved from or balanced by the names that the file has', () => {
    const layers = 'layer block[8] = transformer(hidden = 1024, heads = 16)';
    const text = file({
      layers: `sequence = 1024  micro_batch = 4\n  ${layers}`,
      memory: '2GiB',
      stages: ['a', 'b', 'c', 'd']
        .map((name, index) => `stage ${name} { layers = block[${2 * index}..${2 * index + 1}] }`)
        .join('\n  '),
    }).replace(
      'device gpu { memory = 2GiB }',
      'device gpu { memory = 2GiB  compute = 100TFLOPS  bandwidth = 1000GB/s }',
    );
    const analysis = analyse(text);
    const [one] = analysis.findings.filter(({ code }) => code === 'memory/out-of-memory');
    expect(text.slice(one.place.start, one.place.end)).toMatch(/^[a-d]$/);
    const fixes = fixesOf(analysis, 'memory/out-of-memory');
    expect(fixes.length).toBeGreaterThan(0);
    for (const fix of fixes) {
      expect(fix.title).not.toContain('[1]');
      expect(
        after(analysis, fix).findings.filter(
          ({ severity, code }) => severity === 'error' && code !== 'memory/out-of-memory',
        ),
      ).toEqual([]);
    }
  });

  test('in the fix of an uneven cut: as many stages as the file has', () => {
    const text = file({
      stages: 'stages = split(3, 3, 1, 1)',
      layers: 'layer block[8] { forward = 1ms  backward = 2ms }',
    });
    const analysis = analyse(text);
    const fixes = analysis.findings.flatMap((finding) => fixesFor(analysis, finding, checkedAfter(analysis)));
    const balance = fixes.find(({ title }) => title.startsWith('Write the balanced stages'));
    expect(balance).toBeDefined();
    const mended = balance === undefined ? undefined : after(analysis, balance);
    expect(mended?.pipelines[0].run?.report.stages.map(({ layers }) => layers.length)).toEqual(
      Array.from({ length: 8 }, () => 2),
    );
    expect(mended?.pipelines[0].plan.stages.map(({ name }) => name).slice(0, 2)).toEqual(['s0[0]', 's1[0]']);
  });

  test('with `on`: the copies go to the devices of the mirrored stages', () => {
    const { plan } = ranOf(
      file({
        stages: ['a', 'b', 'c', 'd']
          .map((name, at) => `stage ${name} { layers = block[${at}]  on = gpu[${[2, 0, 3, 1][at]}] }`)
          .join('\n  '),
      }),
    );
    const deviceOf = (name: string) =>
      plan.devices[plan.placement[plan.stages.findIndex((stage) => stage.name === name)]].name;
    expect(['a[0]', 'b[0]', 'c[0]', 'd[0]'].map(deviceOf)).toEqual(['gpu[2]', 'gpu[0]', 'gpu[3]', 'gpu[1]']);
    expect(['a[1]', 'b[1]', 'c[1]', 'd[1]'].map(deviceOf)).toEqual(['gpu[1]', 'gpu[3]', 'gpu[0]', 'gpu[2]']);
  });
});

describe('a schedule of one’s own with placement = bidirectional', () => {
  const own = (body: string, backward = 'whole') => ({
    pipeline: 'schedule = mine',
    more: `schedule mine {\n  placement = bidirectional\n  backward = ${backward}\n  ${body}\n}`,
    layers: 'layer block[4] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms }',
  });
  const names = ({ program }: ReturnType<typeof ranOf>, device: number) =>
    Array.from(program.order.subarray(program.offsets[device], program.offsets[device + 1]), (word) =>
      operationName(program, word),
    );
  const expectSound = ({ program, plan }: { program: Parameters<typeof validate>[0]; plan: PipelinePlan }) =>
    expect(validate(program, plan)).toEqual([]);

  test.each(['whole', 'split'])(
    'by rule, backward %s: each stage on devices s and p − 1 − s, even and odd microbatches',
    (backward) => {
      const prefer = backward === 'whole' ? 'B, F' : 'I, F, W';
      const result = ranOf(file(own(`order = greedy(prefer = [${prefer}])`, backward)));
      expectSound(result);
      expect(result.plan.placement).toEqual([0, 1, 2, 3, 3, 2, 1, 0]);
      for (let device = 0; device < 4; device += 1) {
        const row = names(result, device);
        expect(row).toHaveLength(8 * (backward === 'whole' ? 2 : 3));
        for (const name of row) {
          const [, stage, microbatch] = /^(\d)[FBIW](\d)$/.exec(name) ?? [];
          expect(Number(stage)).toBe(Number(microbatch) % 2 === 0 ? device : 3 - device);
        }
      }
      for (const { busy } of result.report.devices) expect(busy).toBeCloseTo(8 * 0.003, 12);
    },
  );

  test('in_flight counts each copy', () => {
    const { report } = ranOf(file(own('order = greedy(prefer = [B, F])\n  in_flight(s) = 1')));
    expect(Math.max(...report.devices.map((device) => device.in_flight))).toBe(2);
  });

  test('by rows, which name the stage of an operation', () => {
    const even = (device: number) => `F[0, stage = ${device}], F[2, stage = ${device}]`;
    const odd = (device: number) => `F[1, stage = ${3 - device}], F[3, stage = ${3 - device}]`;
    const back = (device: number) =>
      `B[0, stage = ${device}], B[1, stage = ${3 - device}], B[2, stage = ${device}], B[3, stage = ${3 - device}]`;
    const rows = [0, 1, 2, 3].map((device) => `row(${device}) = ${even(device)}, ${odd(device)}, ${back(device)}`);
    const text = file(own(rows.join('\n  ')))
      .replace('microbatches = 8', 'microbatches = 4')
      .replace('  backward = whole\n', '');
    const result = ranOf(text);
    expectSound(result);
    expect(names(result, 3).slice(0, 4)).toEqual(['3F0', '3F2', '0F1', '0F3']);
    // An odd microbatch does not run down.
    const wrong = analyse(text.replace('row(0) = F[0, stage = 0]', 'row(0) = F[1, stage = 0]'));
    expect(codesOf(wrong)).toContain('schedule/repeated');
    const absent = analyse(text.replace('row(0) = F[0, stage = 0]', 'row(0) = F[0, stage = 9]'));
    expect(codesOf(absent)).toContain('schedule/repeated');
  });

  test('needs an even number of stages, and one update for both copies', () => {
    const three = file(own('order = greedy(prefer = [B, F])')).replace('balance(4)', 'balance(3)');
    expect(
      analyse(three)
        .findings.map(({ message }) => message)
        .join(),
    ).toContain('an even number of devices; there are 3');
    const stashed = file(own('order = greedy(prefer = [B, F])\n  weights = stash'));
    expect(codesOf(analyse(stashed))).toContain('schedule/shape');
  });
});

test('numbers that no schedule of two directions can take are told, whatever they are', () => {
  for (const [stages, schedule] of [
    [3, 'dualpipe'],
    [1, 'dualpipe'],
    [4, 'dualpipe_v'],
    [1, 'chimera'],
    [3, 'chimera'],
    [4, 'chimera(pipelines = 3)'],
    [4, 'chimera(pipelines = 1000000000)'],
    [3, 'chimera(concat = backward_halving, pipelines = 2)'],
  ] as const) {
    const text = file({ pipeline: `schedule = ${schedule}`, stages: `stages = balance(${stages})` }).replace(
      'microbatches = 8',
      'microbatches = 3',
    );
    const analysis = analyse(text);
    const [one] = analysis.findings.filter(({ severity }) => severity === 'error');
    expect(one?.code).toBe('schedule/shape');
    expect(one.message).toMatch(/nearest (stages|microbatches|pipelines): \d/);
    for (const finding of analysis.findings) fixesFor(analysis, finding, checkedAfter(analysis));
  }
});

describe('whether two copies run a microbatch in common', () => {
  interface Turned {
    readonly every: number;
    readonly turns: readonly number[];
  }
  const copyOf = ({ every, turns }: Turned) => ({ every, first: turns[0], turns: pack(turns) });
  /** The definition: both of them run one of the microbatches until both begin again. */
  const meet = (a: Turned, b: Turned): boolean => {
    const [runsA, runsB] = [copyRuns(copyOf(a)), copyRuns(copyOf(b))];
    return Array.from({ length: a.every * b.every }, (_, microbatch) => microbatch).some(
      (microbatch) => runsA(microbatch) && runsB(microbatch),
    );
  };
  const lists = (every: number): readonly Turned[] =>
    Array.from({ length: 2 ** every - 1 }, (_, set) => ({
      every,
      turns: Array.from({ length: every }, (_, turn) => turn).filter((turn) => ((set + 1) >> turn) % 2 === 1),
    }));
  const all = [1, 2, 3, 4, 6].flatMap(lists);

  test('any of their turns may be the common one', () => {
    const counts = { met: 0, never: 0 };
    for (const a of all)
      for (const b of all) {
        const met = meet(a, b);
        counts[met ? 'met' : 'never'] += 1;
        if (copiesMeet(copyOf(a), copyOf(b), gcd(a.every, b.every)) !== met)
          expect.fail(`${JSON.stringify(a)} and ${JSON.stringify(b)}: ${met ? 'meet' : 'never meet'}`);
      }
    expect(Math.min(counts.met, counts.never)).toBeGreaterThan(100);
  });

  test('a copy with one turn needs no list', () => {
    for (const every of [1, 2, 3, 4])
      for (let first = 0; first < every; first += 1)
        for (const b of all) {
          const divisor = gcd(every, b.every);
          expect(copiesMeet({ every, first }, copyOf(b), divisor)).toBe(meet({ every, turns: [first] }, b));
          expect(copiesMeet(copyOf(b), { every, first }, divisor)).toBe(meet({ every, turns: [first] }, b));
        }
  });
});
