/** `forward_only(s)`, `on(…) = -1` and `idle = true`: stages without a backward, microbatches that leave out stages, idle devices. */
import { describe, expect, it } from 'vitest';
import { kindOf, microbatchOf, operationName, type Program, stageOf, F } from '../../../engine/values/program.ts';
import { analyse } from '../../support/analyse.ts';
import { checkFindings } from '../../support/expected.ts';
import * as fc from '../../support/property.ts';
import { pipelineOf } from './written.ts';

interface Meaning {
  /** Whether a stage runs a microbatch, and whether it runs backwards. */
  readonly runs: (s: number, j: number) => boolean;
  readonly trains: (s: number) => boolean;
}

/** Ends of the operations by name, with F = 1 and B = 2: each row in order, once what an operation needs has ended. */
function ends(program: Program, stages: number, { runs, trains }: Meaning): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const { devices, order, offsets } = program;
  const next = Array.from({ length: devices }, (_, device) => offsets[device]);
  const free = new Float64Array(devices);
  for (let ran = true; ran;) {
    ran = false;
    for (let device = 0; device < devices; device += 1) {
      if (next[device] === offsets[device + 1]) continue;
      const word = order[next[device]];
      const [stage, j] = [
        program.copies?.stage[stageOf(program, word)] ?? stageOf(program, word),
        microbatchOf(program, word),
      ];
      const isForward = kindOf(program, word) === F;
      const needs = isForward
        ? stage > 0 && runs(stage - 1, j)
          ? [`F${stage - 1} ${j}`]
          : []
        : [
            `F${stage} ${j}`,
            ...(stage + 1 < stages && runs(stage + 1, j) && trains(stage + 1) ? [`B${stage + 1} ${j}`] : []),
          ];
      if (!needs.every((name) => found.has(name))) continue;
      free[device] = Math.max(free[device], ...needs.map((name) => found.get(name) ?? 0)) + (isForward ? 1 : 2);
      found.set(`${isForward ? 'F' : 'B'}${stage} ${j}`, free[device]);
      next[device] += 1;
      ran = true;
    }
  }
  return found;
}

/** Simulates a schedule on a shape, and compares it with the simulator above: the operations that are to run, and their end. */
function agrees(
  text: string,
  name: string,
  devices: number,
  microbatches: number,
  stages: number,
  meaning: Meaning,
): void {
  const at = `p = ${devices}, m = ${microbatches}\n${text}`;
  const { pipelines, findings } = analyse(text, { unit: { schedule: name, devices, microbatches } });
  expect(
    findings.map(({ message }) => message),
    at,
  ).toEqual([]);
  const run = pipelines[0]?.run;
  if (run === undefined) throw new Error(at);
  const expected = ends(run.program, stages, meaning);
  const count = { F: 0, B: 0 };
  for (let s = 0; s < stages; s += 1)
    for (let j = 0; j < microbatches; j += 1) {
      if (!meaning.runs(s, j)) continue;
      count.F += 1;
      if (meaning.trains(s)) count.B += 1;
    }
  expect(expected.size, at).toBe(count.F + count.B);
  expect(run.program.order).toHaveLength(count.F + count.B);
  expect(run.report.iteration, at).toBeCloseTo(Math.max(0, ...expected.values()), 9);
}

const warm = '  let warm(d) = min(microbatches, devices - d)\n';
const ran = 'each(j in 0..<microbatches, if(runs(d, j), F[j])), each(j in 0..<microbatches, if(runs(d, j), B[j]))';

describe('forward_only(s)', () => {
  it('leaves out backwards of the first stages, over a grid', () => {
    const text = `schedule mine {
  param k = 1 in 0..8
  forward_only(s) = s < k
${warm}  row(d) = if(d < k, F[0..<microbatches], [F[0..<warm(d)], zip(B[0..<microbatches], F[warm(d)..<microbatches])])
}
`;
    for (let p = 1; p <= 5; p += 1)
      for (let m = 1; m <= 6; m += 1)
        for (let k = 0; k <= p; k += 1)
          agrees(text, `mine(k = ${k})`, p, m, p, { runs: () => true, trains: (s) => s >= k });
    const { resolution } = analyse(text, { unit: { schedule: 'mine(k = 2)', devices: 4, microbatches: 4 } });
    expect(resolution.plan.pipelines[0]?.edges.map(({ back, forwardOnly }) => [back, forwardOnly])).toEqual([
      [0, true],
      [0, true],
      [undefined, undefined],
    ]);
    // Nothing waits for a backward of a frozen stage, and it holds one activation at a time.
    expect(
      analyse(
        `${text}expect mine { over(devices = 2..5, microbatches = 5..8, k = 1)  valid  iteration == 3 * microbatches + 3 * (devices - 1) - 2  peak_memory(device = 0) == 1 }`,
      ).findings,
    ).toEqual([]);
  });

  it('also with several stages on a device, and with parts', () => {
    const loop = `schedule mine {
  placement = loop(2)
  forward_only(s) = s < devices
  row(d) = F[0..<microbatches, chunk = 0], F[0..<microbatches, chunk = 1], B[0..<microbatches, chunk = 1]
}
`;
    for (let p = 1; p <= 4; p += 1)
      for (let m = 1; m <= 5; m += 1) agrees(loop, 'mine', p, m, 2 * p, { runs: () => true, trains: (s) => s >= p });
    expect(
      analyse(`schedule mine {
  parts = 2
  forward_only(s) = s >= 0
  row(d) = F[0..<microbatches, part = 0..1]
}
expect mine { over(devices = 1..4, microbatches = 1..4)  valid  iteration == microbatches + (devices - 1) / 2 }
`).findings,
    ).toEqual([]);
  });

  it('a pipeline needs frozen layers there, and then counts no gradients', () => {
    const file = (model: string): string => `schedule mine {
  forward_only(s) = s == 0
${warm}  row(d) = if(d == 0, F[0..<microbatches], [F[0..<warm(d)], zip(B[0..<microbatches], F[warm(d)..<microbatches])])
}
device x { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[2] = x  link = 100GB/s }
model net { sequence = 64  layer a[4] = linear(inputs = 1000, outputs = 1000, bias = false) }
model part { from = net  frozen = a[0..1] }
pipeline train { model = ${model}  devices = box  microbatches = 4  stages = split(2, 2)  schedule = mine  optimizer = adam }
`;
    const { pipelines, findings } = analyse(file('part'));
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [first, second] = pipelines[0]?.run?.report.devices ?? [];
    expect(first.memory.gradients ?? 0).toBe(0);
    expect(first.memory.optimizer ?? 0).toBe(0);
    expect(second.memory.gradients).toBeGreaterThan(0);
    expect(pipelines[0]?.run?.report.stages[0]).toMatchObject({ backward_input: 0, backward_weight: 0 });
    const trained = analyse(file('net')).findings.filter(({ severity }) => severity === 'error');
    expect(trained.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        'Expected frozen layers (`frozen = …` of the model), because schedule "mine" runs no backward of stage "s0"',
      ),
    ]);
  });

  it.each([
    ['⟦type/mismatch:forward_only⟧(s, j) = s < 1  row(d) = F[0..<microbatches]', 'a stage, as `forward_only(s)'],
    ['forward_only(s) = ⟦type/mismatch:s⟧  row(d) = F[0..<microbatches]', 'a comparison'],
    ['⟦type/mismatch:forward_only⟧(s) = s < 1  order = greedy(prefer = [B, F])', 'rows: only they leave out'],
    [
      '⟦type/mismatch:forward_only⟧(s) = s < 1  slot(F, s, j) = s + j  slot(B, s, j) = 9 + j - s',
      'rows: only they leave out',
    ],
  ])('%s', (schedule, message) => {
    checkFindings(pipelineOf(`schedule mine { ${schedule} }`), [message]);
  });

  it.each([
    [
      'forward_only(s) = s == 1  row(d) = F[0..<microbatches], if(d != 1, B[0..<microbatches])',
      'stage 1 runs forwards only, so no gradient reaches stage 0 before it',
    ],
    [
      'weights = stash  forward_only(s) = s == 0  row(d) = F[0..<microbatches * iterations], if(d > 0, B[0..<microbatches * iterations])',
      'is for `weights = flush`',
    ],
    [
      'forward_only(s) = s == 0  row(d) = F[0..<microbatches], B[0..<microbatches]',
      'is of a stage that runs forwards only (`forward_only`)',
    ],
    ['forward_only(s) = s == 0  row(d) = F[0..<microbatches]', 'misses 2 operations: 1B0 and 1B1'],
  ])('%s', (schedule, message) => {
    const unit = { schedule: 'mine', devices: 3, microbatches: 2 };
    const { findings, resolution } = analyse(`schedule mine { ${schedule} }`, { unit });
    expect(resolution.problem ?? findings.map((each) => each.message).join(' ')).toContain(message);
  });
});

describe('on(s, j) = -1', () => {
  it('leaves out stages at the ends, over a grid of functions', () => {
    const functions: readonly (readonly [string, (s: number, j: number, p: number) => boolean])[] = [
      ['s > 0 or mod(j, 2) == 0', (s, j) => s > 0 || j % 2 === 0],
      ['s < stages - 1 or mod(j, 3) == 0', (s, j, p) => s < p - 1 || j % 3 === 0],
      ['s >= mod(j, stages)', (s, j, p) => s >= j % p],
      ['s <= mod(j, stages) or j == 0', (s, j, p) => s <= j % p || j === 0],
      ['j == 0 or s == mod(j, stages)', (s, j, p) => j === 0 || s === j % p],
    ];
    for (const [condition, runs] of functions) {
      const text = `schedule mine {
  let runs(s, j) = ${condition}
  on(s, j) = if(runs(s, j), s, -1)
  row(d) = ${ran}
}
`;
      for (let p = 2; p <= 4; p += 1)
        for (let m = p; m <= 7; m += 1)
          agrees(text, 'mine', p, m, p, { runs: (s, j) => runs(s, j, p), trains: () => true });
    }
  });

  it('with the stages in any order on the devices, and forwards only', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 4 }),
        fc.integer({ min: 2, max: 6 }),
        fc.nat(3),
        fc.nat(3),
        (p, m, shift, k) => {
          const text = `schedule mine {
  forward_only(s) = s < ${k}
  let runs(s, j) = s > 0 or mod(j, 2) == 0
  let of(d) = mod(d - ${shift}, devices)
  on(s, j) = if(runs(s, j), mod(s + ${shift}, devices), -1)
  row(d) = each(j in 0..<microbatches, if(runs(of(d), j), F[j])), if(of(d) >= ${k}, each(j in 0..<microbatches, if(runs(of(d), j), B[j])))
}
`;
          agrees(text, 'mine', p, m, p, { runs: (s, j) => s > 0 || j % 2 === 0, trains: (s) => s >= k });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('runs by a rule and by slots, too', () => {
    const rule = `schedule mine {
  on(s, j) = if(s > 0 or mod(j, 2) == 0, s, -1)
  order = greedy(prefer = [B, F])
}
schedule table {
  on(s, j) = if(s > 0 or mod(j, 2) == 0, s, -1)
  slot(F, s, j) = 2 * j + s
  slot(B, s, j) = 2 * j + 2 * devices - 1 - s
}
`;
    for (const name of ['mine', 'table'])
      for (let p = 2; p <= 4; p += 1)
        for (let m = 1; m <= 6; m += 1)
          agrees(rule, name, p, m, p, { runs: (s, j) => s > 0 || j % 2 === 0, trains: () => true });
  });

  it.each([
    ['if(s == 1 and j == 1, -1, s)', 'microbatch 1 leaves out stage 1 between stages that run it'],
    ['if(s == 2, -1, s)', 'stage 2 runs no microbatch'],
    ['if(j == 1, -1, s)', 'microbatch 1 runs on no stage'],
    [
      'if(j == 1, -2, s)',
      'is -2; it must be a whole number from 0 to 2, or -1 if the stage does not run the microbatch',
    ],
  ])('%s', (on, message) => {
    const unit = { schedule: 'mine', devices: 3, microbatches: 3 };
    const { findings, resolution } = analyse(`schedule mine { on(s, j) = ${on}  row(d) = F[0], B[0] }`, { unit });
    expect(resolution.problem ?? findings.map((each) => each.message).join(' ')).toContain(message);
  });

  it('an operation of a stage that does not run its microbatch is refused', () => {
    const unit = { schedule: 'mine', devices: 2, microbatches: 2 };
    const text = 'schedule mine { on(s, j) = if(s == 0 and j == 1, -1, s)  row(d) = F[0..1], B[0..1] }';
    const { findings } = analyse(text, { unit });
    expect(findings.some(({ severity }) => severity === 'error')).toBe(true);
  });
});

describe('idle = true', () => {
  it('lets devices idle, over a grid', () => {
    const text = `schedule mine {
  stages = ceil(devices / 2)
  on(s, j) = 2 * s
  idle = true
  row(d) = if(mod(d, 2) == 0, [F[0..<microbatches], B[0..<microbatches]])
}
`;
    for (let p = 1; p <= 6; p += 1)
      for (let m = 1; m <= 5; m += 1)
        agrees(text, 'mine', p, m, Math.ceil(p / 2), { runs: () => true, trains: () => true });
    const { pipelines } = analyse(text, { unit: { schedule: 'mine', devices: 4, microbatches: 3 } });
    const { report, program } = pipelines[0]?.run ?? {};
    expect(report?.devices.map(({ busy, peak }) => [busy, peak])).toEqual([
      [9, 3],
      [0, 0],
      [9, 3],
      [0, 0],
    ]);
    expect(
      Array.from(program?.order ?? [], (word) => (program === undefined ? '' : operationName(program, word))),
    ).toHaveLength(12);
  });

  it('a pipeline has all devices, and one that idles is not said to hold anything', () => {
    const text = `schedule mine { stages = devices - 1  on(s, j) = s + 1  idle = true  row(d) = if(d > 0, [F[0..<microbatches], B[0..<microbatches]]) }
device x { memory = 16GiB }
cluster box { gpu[3] = x  link = 25GB/s }
model m { layer a[4] { forward = 1ms  backward = 2ms  weights = 100MiB  activation = 10MiB } }
pipeline train { model = m  devices = box  microbatches = 4  stages = balance(2)  schedule = mine  optimizer = sgd }
`;
    const { pipelines, findings } = analyse(text);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const devices = pipelines[0]?.run?.report.devices ?? [];
    expect(devices.map(({ stages }) => stages)).toEqual([[], ['s0'], ['s1']]);
    expect(devices[0]).toMatchObject({ busy: 0, peak: 0 });
  });

  it('without it a device without a stage is an error that says so', () => {
    const unit = { schedule: 'mine', devices: 3, microbatches: 3 };
    const { resolution } = analyse('schedule mine { stages = 1  on(s, j) = 0  row(d) = F[0], B[0] }', { unit });
    expect(resolution.problem).toContain(
      '`on` gives no stage to device 1 of 3 devices; write `idle = true` if it is to idle',
    );
  });
});
