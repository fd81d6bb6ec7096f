import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { heldByOperations } from '../../../engine/simulate/heldByOperations.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { endAt } from '../../../engine/values/timeline.ts';
import { operationName } from '../../../engine/values/program.ts';
import * as fc from '../../support/property.ts';
import { resolveText } from '../../support/resolve.ts';
import { slowest } from './operationsReference.ts';

/** Layers of 4 ms and 8 ms; a message between stages takes 1 ms and 1 ms of latency. */
interface Shape {
  readonly devices?: number;
  readonly microbatches?: number;
}

const fileOf = (schedule: string, { devices = 2, microbatches = 3 }: Shape = {}): string => `
schedule mine { ${schedule} }
device x { memory = 80GiB }
cluster box { gpu[${devices}] = x  link = 10GB/s + 1ms }
model m { layer a[${devices}] { forward = 4ms  backward = 8ms  weights = 1GiB  activation = 1GiB  output = 10MB } }
pipeline train { model = m  devices = box  microbatches = ${microbatches}  stages = balance(${devices})  schedule = mine }
`;
const planOf = (text: string): PipelinePlan => {
  const { plan, findings } = resolveText(text);
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return pipeline;
};
const run = (text: string) => {
  const { run: found, findings } = evaluate(planOf(text), defaultOptions);
  if (found === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return found;
};
const faultsOf = (text: string): readonly string[] =>
  evaluate(planOf(text), defaultOptions).findings.flatMap(({ code, severity, message }) =>
    severity === 'error' ? [`${code}: ${message}`] : [],
  );
const errorsOf = (text: string): readonly string[] =>
  resolveText(text).findings.flatMap(({ code, severity, message }) =>
    severity === 'error' ? [`${code}: ${message}`] : [],
  );

/** 1F1B; the last device computes a loss between F and B. */
const loss = `
  operation loss { time = 3ms  after(j) = F[j]  before(j) = B[j] }
  let warm(d) = min(stages - d, microbatches)
  row(d) = F[0..<warm(d)], zip(B[0..<microbatches-warm(d)], F[warm(d)..<microbatches]), B[microbatches-warm(d)..<microbatches]
  row(1) = each(j in 0..<microbatches, F[j], loss[j], B[j])`;

describe('an operation of the schedule', () => {
  it('takes its time in its row: two devices by hand', () => {
    // gpu[1] gets F0 at 6 ms and runs F, loss, B in turn, 15 ms each, until F2, which leaves gpu[0] at 35 ms and arrives at 37.
    // gpu[0] gets the gradients 2 ms after each B: at 23, 38 and 54 ms.
    const { timeline } = run(fileOf(loss));
    const { program } = timeline;
    const ends = new Map(
      Array.from(program.order, (word, position) => [
        operationName(program, word),
        Math.round(endAt(timeline, position) * 1e6) / 1e3,
      ]),
    );
    const of = (...names: readonly string[]) => names.map((name) => ends.get(name));
    expect(of('1F0', '1loss0', '1B0', '1F1', '1loss1', '1B1', '1F2', '1loss2', '1B2')).toEqual([
      10, 13, 21, 25, 28, 36, 41, 44, 52,
    ]);
    expect(of('0F0', '0F1', '0B0', '0F2', '0B1', '0B2')).toEqual([4, 8, 31, 35, 46, 62]);
    expect(timeline.makespan).toBeCloseTo(0.062, 12);
    expect(timeline.busy[1]).toBeCloseTo(3 * 15e-3, 12);
  });

  it('of three devices: an operation that waits for another device waits for the latency of the route', () => {
    // tick on gpu[0] after the loss of the last device: gpu[0] sends nothing, and the route takes 1 ms.
    const { timeline } = run(
      fileOf(
        `operation loss { time = 3ms  after(j) = F[j]  before(j) = B[j] }
         operation tick { time = 2ms  after(j) = loss[j, stage = stages - 1] }
         row(d) = F[0], B[0]
         row(0) = F[0], tick[0], B[0]
         row(2) = F[0], loss[0], B[0]`,
        { devices: 3, microbatches: 1 },
      ),
    );
    // F0 4, arrives 6; F1 10, arrives 12; F2 16; loss 19; tick 20 to 22; B2 27, arrives 29; B1 37, arrives 39; B0 47.
    expect(timeline.makespan).toBeCloseTo(0.047, 12);
    const { program } = timeline;
    const tick = Array.from(program.order).findIndex((word) => operationName(program, word) === '0tick0');
    expect(endAt(timeline, tick)).toBeCloseTo(0.022, 12);
  });

  it('may take a part of what an operation of its stage takes, and read its device', () => {
    const { timeline } = run(
      fileOf(
        `operation half { time(d, s) = time(F, s) / 2 + d * 1ms }
         row(d) = F[0], half[0], B[0]`,
        { microbatches: 1 },
      ),
    );
    // F 4, half 2 ms; F at 6 to 10, half 3 ms, B 21, arrives 23, B 31.
    expect(timeline.makespan).toBeCloseTo(0.031, 12);
    expect(timeline.busy[0]).toBeCloseTo(0.014, 12);
    expect(timeline.busy[1]).toBeCloseTo(0.015, 12);
  });

  it('may take another time for each number, in rows, rules and tables', () => {
    const times = (key: string) => `operation x { time(j) = 1ms * (j + 1)  ${key}  after(j) = F[j]  before(j) = B[j] }`;
    const bodies = [
      `${times('')}  row(d) = F[0..2], B[0..2]  row(1) = each(j in 0..2, F[j], x[j], B[j])`,
      `${times('on(j) = 1')}  order = greedy(prefer = [B, x, F])`,
      `${times('on(j) = 1')}  slot(F, s, j) = 3 * j + s  slot(x, j) = 3 * j + 2  slot(B, s, j) = 3 * j + 4 - s`,
    ];
    // Three times F and B, and 1 + 2 + 3 ms: the last device gets F0 at 6 ms and is busy for 42 ms. Its message takes 2 ms, and the last
    // backward 8 ms. In the table the first device runs B0 from 21 to 29 ms and then F2, so the last one waits from 33 to 35 ms.
    const makespans = [58, 58, 60];
    for (const [at, body] of bodies.entries()) {
      const { timeline } = run(fileOf(body));
      expect(timeline.busy[1]).toBeCloseTo(0.042, 12);
      expect(timeline.makespan).toBeCloseTo(makespans[at] / 1e3, 12);
    }
  });
  it('of another time for each number is not below 0', () => {
    const text = 'operation x { time(j) = time(F, 0) - j * 3ms }  row(d) = F[0..2], B[0..2], x[0..2]';
    expect(faultsOf(fileOf(text))[0]).toContain('The time of x on gpu[0] is −2 ms');
    expect(errorsOf(fileOf(text.replace('time(F, 0)', '4ms')))[0]).toContain('value/range');
  });

  it('runs in one slot with a letter, and in zip and take', () => {
    const { timeline } = run(
      fileOf(
        `operation x { time = 3ms }
         row(d) = F[0..2], take(3, zip(x[0..2], B[0..2])), drop(1, [x[0], zip(B[1..2], x[2])])
         row(1) = F[0..2], fused(x[0..2], B[0..2], overlap = 100%)`,
      ),
    );
    expect(timeline.busy[0]).toBeCloseTo(0.045, 12);
    expect(timeline.busy[1]).toBeCloseTo(0.036, 12);
  });

  it('is in the figures of a test of the schedule', () => {
    const text = `schedule mine { operation pause { time = 1000ms }  row(d) = F[0..<microbatches], pause[0], B[0..<microbatches] }
      expect mine { over(devices = 1..2, microbatches = 2) valid  iteration == 3 * devices + 3 * microbatches - 2 }`;
    expect(resolveText(text).findings).toEqual([]);
  });
});

describe('an operation that cannot be', () => {
  it.each([
    [
      'appears twice',
      'row(1) = F[0..2], loss[0], B[0..2], loss[0]',
      'schedule/repeated: 1loss0 on gpu[1] appears more than once.',
    ],
    [
      'is awaited and missing',
      'row(1) = F[0..2], B[0..2], tick[0]',
      'schedule/incomplete: The row of gpu[1] misses 1 operation: 1loss0.',
    ],
    [
      'waits for itself through its row',
      'row(1) = F[0..2], B[0..1], tick[0], loss[0], B[2]',
      'schedule/deadlock: Deadlock: 1tick0 on gpu[1] needs 1loss0, which comes after it in the same row.',
    ],
  ])('%s', (_, row, message) => {
    const text = `operation loss { time = 3ms }  operation tick { after(j) = loss[j] }  row(d) = F[0..2], B[0..2]  ${row}`;
    expect(faultsOf(fileOf(text))).toEqual([message]);
  });

  it('waits in a circle over two devices', () => {
    const text = `operation a { after(j) = b[j, stage = 1] }  operation b { after(j) = a[j, stage = 0] }
      row(0) = F[0], a[0], B[0]  row(1) = F[0], b[0], B[0]`;
    expect(faultsOf(fileOf(text, { microbatches: 1 }))).toEqual([
      'schedule/deadlock: Deadlock: these operations wait for each other, so none can start: 0a0 (gpu[0]) → 1b0 (gpu[1]) → 0a0 (gpu[0]).',
    ]);
  });

  it.each([
    ['operation F { time = 1ms }  row(d) = F[0], B[0]', 'name/reserved'],
    ['operation x { time = 1GiB }  row(d) = F[0], x[0], B[0]', 'type/dimension'],
    ['operation x { holds(j) = 1GiB }  row(d) = F[0], x[0], B[0]', 'type/mismatch'],
    ['operation x { time = 1ms - 2ms }  row(d) = F[0], x[0], B[0]', 'value/range'],
    ['operation x { after(j) = F[j + 1] }  row(d) = F[0], x[0], B[0]', 'value/range'],
    ['operation x { after(j) = F[j, stage = 2] }  row(d) = F[0], x[0], B[0]', 'value/range'],
    ['operation x { after = 3 }  row(d) = F[0], x[0], B[0]', 'type/mismatch'],
    ['operation x { tiem = 3ms }  row(d) = F[0], x[0], B[0]', 'key/unknown'],
    ['operation x { time = 1ms }  row(d) = F[0], y[0], B[0]', 'name/unknown'],
    ['operation x { }  operation x { }  row(d) = F[0], x[0], B[0]', 'name/duplicate'],
    [
      `${Array.from({ length: 17 }, (_, at) => `operation x${at} { }`).join(' ')}  row(d) = F[0], x0[0], B[0]`,
      'value/range',
    ],
  ])('%s', (text, code) => {
    expect(errorsOf(fileOf(text, { microbatches: 1 })).map((each) => each.split(':')[0])).toEqual([code]);
  });

  it('is not run by a rule that does not list it', () => {
    const found = (order: string) =>
      resolveText(fileOf(`operation x { time = 1ms }  order = ${order}`)).findings.filter(
        ({ code }) => code === 'key/not-applicable',
      );
    expect(found('greedy(prefer = [B, F])')).toHaveLength(1);
    expect(found('greedy(prefer = [B, x, F])')).toEqual([]);
  });

  it('is refused if it waits for too much, before there is no memory', () => {
    const text =
      'operation x { after = F[0..<microbatches] }  row(d) = F[0..<microbatches], B[0..<microbatches], x[0..<microbatches]';
    const limits = { ...defaultOptions.limits, operations: 20_000 };
    const { findings } = resolveText(fileOf(text, { microbatches: 100 }), { options: { ...defaultOptions, limits } });
    expect(findings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'limit/too-large: Waits of operations of schedule "mine": more than 2,000, over the limit of 2,000. Reduce it, or raise the setting "pipewright.limits.operations" in an editor; the command line\'s limit is fixed.',
    ]);
  });

  it('is refused where sends and receives block', () => {
    const text = fileOf('operation x { time = 1ms }  row(d) = F[0], x[0], B[0]', { microbatches: 1 });
    const errors = errorsOf(text.replace('schedule = mine', 'transfer = rendezvous  schedule = mine'));
    expect(errors).toEqual([
      'type/mismatch: Expected transfers that run in parallel with the work, because schedule "mine" declares operations, found `rendezvous`.',
    ]);
  });

  it('of a negative time that follows from the layers', () => {
    const text = 'operation x { time(s) = time(F, s) - time(B, s) }  row(d) = F[0], x[0], B[0]';
    expect(faultsOf(fileOf(text, { microbatches: 1 }))).toEqual([
      'value/range: The time of x on gpu[0] is −4 ms; it must be at least 0 ms.',
      'value/range: The time of x on gpu[1] is −4 ms; it must be at least 0 ms.',
    ]);
  });
});

describe('what an operation holds and sends', () => {
  /** By device: bytes of operations over time, in GiB, as `[from, to, bytes]` in milliseconds. */
  const heldOf = (text: string, device: number) => {
    const plan = planOf(text);
    const { timeline } = run(text);
    return heldByOperations(plan, timeline, device).map(({ from, to, bytes }) => [
      Math.round(from * 1e6) / 1e3,
      Math.round(to * 1e6) / 1e3,
      bytes / 2 ** 30,
    ]);
  };

  it('is held from its start until the last operation that waits for it has ended', () => {
    // F on gpu[1] ends at 10, loss at 13, B at 21; nothing waits for tick, which runs from 21 to 26.
    const text = fileOf(
      `operation loss { time = 3ms  holds = 2GiB  after(j) = F[j]  before(j) = B[j] }
       operation tick { time = 5ms  holds(s) = activation(s) * 3 }
       row(d) = F[0], B[0]  row(1) = F[0], loss[0], B[0], tick[0]`,
      { microbatches: 1 },
    );
    expect(heldOf(text, 1)).toEqual([
      [10, 21, 2],
      [21, 26, 3],
    ]);
    expect(heldOf(text, 0)).toEqual([]);
    // Weights 1 GiB, gradients 2 GiB and states 12 GiB are there always: what comes on top is 1 + 2 GiB, then 3 GiB.
    const { report } = run(text);
    const [, { peak, memory_items, memory, peak_operation }] = report.devices;
    const items = memory_items.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(items).toBe(peak);
    const { reserved, ...kinds } = memory;
    expect(Object.values(kinds).reduce((sum, bytes) => sum + bytes, 0)).toBe(peak);
    expect(reserved).toBe(0);
    expect(memory_items.find(({ kind }) => kind === 'operations')).toEqual({
      kind: 'operations',
      operation: 'loss',
      count: 1,
      bytes: 2 * 2 ** 30,
    });
    expect(peak_operation).toBe('1loss0');
  });

  it('is a message to the device that waits: over the route, with its bytes, held there until it has been used', () => {
    // give ends at 6 ms. Its 20 MB take 2 ms and 1 ms of latency. get on gpu[1] starts after F at 10 and runs 2 ms.
    const text = fileOf(
      `operation give { time = 2ms  sends = 20MB  before(j) = get[j, stage = 1] }
       operation get { time = 2ms }
       row(0) = F[0], give[0], B[0]  row(1) = F[0], get[0], B[0]`,
      { microbatches: 1 },
    );
    const { report, timeline } = run(text);
    // The activations of F take the link from 4 to 5 ms, give's bytes from 6 to 8.
    expect(heldOf(text, 1).map(([from, to, gib]) => [from, to, Math.round(gib * 2 ** 30)])).toEqual([[6, 12, 20e6]]);
    expect(report.links.map(({ from, to, bytes }) => [from, to, bytes])).toEqual([
      ['gpu[0]', 'gpu[1]', 30e6],
      ['gpu[1]', 'gpu[0]', 10e6],
    ]);
    expect(timeline.makespan).toBeCloseTo(0.03, 12);
  });

  it('delays who waits for it, and what the link carries behind it', () => {
    // 100 MB take 10 ms: from 4 ms to 14 ms. The activations of F queue behind them and arrive at 16 ms, get may start at 15.
    const text = (row: string) =>
      fileOf(
        `operation give { sends = 100MB  before(j) = get[j, stage = 1] }
         operation get { time = 1ms }
         row(0) = ${row}  row(1) = get[0], F[0], B[0]`,
        { microbatches: 1 },
      );
    // give before F: it leaves at 0 and is there at 11. F arrives at 12 and runs to 16, B to 24, arrives at 26, ends at 34.
    expect(run(text('give[0], F[0], B[0]')).timeline.makespan).toBeCloseTo(0.034, 12);
    // give after F: F takes the link from 4 to 5, give from 5 to 15, and arrives at 16. get 17, F 21, B 29, 31, 39.
    expect(run(text('F[0], give[0], B[0]')).timeline.makespan).toBeCloseTo(0.039, 12);
  });

  it('goes once to a device on which two operations wait for it', () => {
    const text = fileOf(
      `operation give { sends = 20MB  before(j) = F[j, stage = 1], B[j, stage = 1] }
       row(0) = give[0], F[0], B[0]  row(1) = F[0], B[0]`,
      { microbatches: 1 },
    );
    const { report } = run(text);
    expect(report.links[0].bytes).toBe(30e6);
    // F arrives at 6, runs to 10, B to 18.
    expect(heldOf(text, 1).map(([from, to]) => [from, to])).toEqual([[0, 18]]);
  });

  it('goes to the device that it names, though nothing there waits for it', () => {
    const text = fileOf(
      `operation ring { sends = weights  to(d) = mod(d + 1, devices) }
       row(d) = F[0], B[0], ring[0]`,
      { devices: 3, microbatches: 1 },
    );
    const { report, timeline } = run(text);
    expect(report.links.map(({ from, to, bytes }) => `${from} ${to} ${bytes}`)).toEqual(
      [
        'gpu[0] gpu[1] 1083741824',
        'gpu[0] gpu[2] 0',
        'gpu[1] gpu[0] 10000000',
        'gpu[1] gpu[2] 1083741824',
        'gpu[2] gpu[0] 1073741824',
        'gpu[2] gpu[1] 10000000',
      ].filter((each) => !each.endsWith(' 0')),
    );
    // 4 + 2 + 4 + 2 + 4 + 8 + 2 + 8 + 2 + 8: no operation waits for the ring.
    expect(timeline.makespan).toBeCloseTo(0.044, 12);
    // What nothing waits for is there while it travels: 1 GiB at 10 GB/s and 1 ms.
    expect(heldOf(text, 1)).toEqual([[44, Math.round((44 + 1 + (2 ** 30 / 1e10) * 1e3) * 1e3) / 1e3, 1]]);
  });

  it('stays with who sends it on until it has left', () => {
    // Bytes go down three devices. gpu[1] has them from 0 to 6 ms, and then needs 5 ms to send them on.
    const text = fileOf(
      `operation pass { sends = if(d < 2, 50MB, 0MB)  after(d, j) = if(d > 0, pass[j, stage = max(d - 1, 0)], []) }
       row(d) = pass[0], F[0], B[0]`,
      { devices: 3, microbatches: 1 },
    ).replace('sends =', 'sends(d) =');
    expect(heldOf(text, 1).map(([from, to]) => [from, to])).toEqual([[0, 11]]);
    expect(heldOf(text, 2).map(([from, to]) => [from, to])).toEqual([[6, 12]]);
  });

  it.each([
    ['to(d) = d + 1', 'value/range'],
    ['to(d) = 1GiB', 'type/dimension'],
    ['sends = 3ms', 'type/dimension'],
    ['holds = -1GiB', 'value/range'],
  ])('%s is refused', (key, code) => {
    const text = fileOf(
      `operation x { sends = 1MB ${key} }  row(d) = F[0], x[0], B[0]`.replace(/sends = 1MB (sends)/, '$1'),
    );
    expect(errorsOf(text).map((each) => each.split(':')[0])).toEqual([code]);
  });
});

/** What the operations of random schedules wait for. */
const awaited = fc.constantFrom(
  'F[j]',
  'B[j]',
  'W[j]',
  'F[j, stage = 0]',
  'F[j, stage = stages - 1]',
  'B[j, stage = stages - 1]',
  'if(j > 0, F[j - 1], [])',
  'if(j > 0, x[j - 1], [])',
  'F[0..<microbatches, stage = 0]',
  'x[j, stage = stages - 1]',
  'x[j, stage = 0], F[j, stage = stages - 1]',
  'if(mod(j, 2) == 0, B[j], [])',
);
const anyRow = fc.constantFrom(
  'F[0..<microbatches], x[0..<microbatches], B[0..<microbatches]',
  'F[0..<microbatches], B[0..<microbatches], x[0..<microbatches]',
  'each(j in 0..<microbatches, F[j], x[j]), B[0..<microbatches]',
  'F[0..<microbatches], zip(x[0..<microbatches], B[0..<microbatches])',
  'F[0..<microbatches], zip(B[0..<microbatches], x[0..<microbatches])',
  'F[0..<microbatches], fused(x[0..<microbatches], B[0..<microbatches])',
);

describe('any operations', () => {
  it('end when a plain reference ends them, or are refused', () => {
    let simulated = 0;
    fc.assert(
      fc.property(
        awaited,
        awaited,
        anyRow,
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 4 }),
        (after, before, row, devices, microbatches) => {
          const text = fileOf(
            `operation x { time(d) = 1ms + d * 2ms  after(j) = ${after}  before(j) = ${before.includes('x[') ? '[]' : before} }  row(d) = ${row}`,
            { devices, microbatches },
          );
          const plan = planOf(text);
          const generated = generate(plan);
          if (!('program' in generated)) return;
          const { run: found } = evaluate(plan, defaultOptions);
          const expected = slowest(plan, generated.program);
          expect(found?.timeline.makespan, text).toEqual(
            expected === undefined ? undefined : expect.closeTo(expected, 9),
          );
          if (expected !== undefined) simulated += 1;
          const timeline = simulate(generated.program, timingOf(plan, generated.program));
          expect(timeline === undefined).toBe(expected === undefined);
        },
      ),
      { numRuns: 60 },
    );
    expect(simulated).toBeGreaterThan(1);
  });
});

describe('a mistake at an operation of the schedule', () => {
  const rows = 'row(d) = F[0..<microbatches], B[0..<microbatches]';
  it.each([
    [
      'operation F { time = 3ms }  ' + rows,
      'In a schedule, "F" is an operation. Choose another name for this operation.',
    ],
    ['operation S { after = F[j] }  ' + rows, 'Unknown name "j". To use it, write "after(j) = …".'],
    ['operation S { before(d) = F[j] }  ' + rows, 'Unknown name "j". To use it, write "before(d, j) = …".'],
    ['operation S { time = s * time(F, 0) }  ' + rows, 'Unknown name "s". To use it, write "time(s) = …".'],
  ])('is told with what to write instead: %s', (text, message) => {
    expect(errorsOf(fileOf(text)).map((each) => each.replace(/^\S+ /, ''))).toEqual([message]);
  });

  it('is told where only one of two lists of a rule has it', () => {
    const order = 'order = greedy(prefer = [B, F])  prefer(d) = [B, S, F]';
    expect(errorsOf(fileOf(`operation S { time = 3ms }  ${order}`))).toEqual([
      'type/mismatch: Expected each of `B`, `F` once, as in `order`, found `B, S, F`.',
    ]);
  });

  it('has no parameter j in a cost', () => {
    expect(errorsOf(fileOf(`operation S { holds = j * 1GiB }  ${rows}`))[0]).not.toContain('write');
  });
});

describe('an operation that others are to wait for', () => {
  const warningsOf = (schedule: string, shape?: Shape): readonly string[] =>
    resolveText(fileOf(schedule, shape)).findings.flatMap(({ code, message }) =>
      code === 'key/not-applicable' ? [message] : [],
    );
  const withLoss = (before: string, written: string): string => `
    operation loss { before${before} }
    row(d) = F[0..<microbatches], if(d == devices - 1, ${written}, []), B[0..<microbatches]`;

  it.each([
    ['one that rows leave out', '(j) = B[j]', 'loss[1..2]', 'rows run loss[1] at stage 1, but not loss[0]'],
    ['the last', '(j) = B[j]', 'loss[0..1]', 'rows run loss[0] at stage 1, but not loss[2]'],
    ['all of them', '(j) = B[j]', 'take(0, loss[0..2])', 'no row runs the operation "loss"'],
    ['all of them, without numbers', ' = B[0]', 'take(0, loss[0..2])', 'no row runs the operation "loss"'],
  ])('is warned of where no row runs it: %s', (_, before, written, message) => {
    expect(warningsOf(withLoss(before, written))).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ['all are there', '(j) = B[j]', 'loss[0..2]'],
    ['there is nobody to wait for the last', '(j) = B[j + 1]', 'loss[0..1]'],
    ['nobody is to wait for the odd ones', '(j) = if(mod(j, 2) == 0, B[j], [])', 'loss[0], loss[2]'],
    ['all numbers would have the same waits', ' = B[2]', 'loss[0]'],
  ])('is not warned of where %s', (_, before, written) => {
    expect(warningsOf(withLoss(before, written))).toEqual([]);
  });

  it('is not warned of a second time where nothing names it', () => {
    const { findings } = resolveText(fileOf('operation loss { before = B[0] }  row(d) = F[0..2], B[0..2]'));
    expect(findings.map(({ code }) => code)).toEqual(['name/unused']);
  });
});
