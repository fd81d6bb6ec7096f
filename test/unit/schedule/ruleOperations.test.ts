import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { leastMakespan } from '../../../engine/analyze/bound.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { memoryPeak } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { analyse } from '../../support/analyse.ts';
import { resolveText } from '../../support/resolve.ts';
import { namesOf, programFor } from './bruteForce.ts';
import { named, type TickedOperation, tickedRule, type TickedState } from './ruleTicks.ts';

interface Numbers {
  readonly devices: number;
  readonly chunks: number;
  readonly microbatches: number;
  /** Milliseconds. */
  readonly forward: number;
  readonly backward: number;
  readonly message: number;
}

const usual: Numbers = { devices: 2, chunks: 1, microbatches: 4, forward: 4, backward: 8, message: 0 };

/** Activations of 100 MB; a copy to the host takes 4 ms. */
function textOf(rule: string, given: Partial<Numbers> = {}): string {
  const { devices, chunks, microbatches, forward, backward, message } = { ...usual, ...given };
  const stages = devices * chunks;
  return `
device d { memory = 64GiB  host = 25GB/s }
cluster box { gpu[${devices}] = d  link = 100GB/s + ${message}ms }
model toy { layer block[${stages}] { forward = ${forward}ms  backward = ${backward}ms  activation = 100MB } }
schedule mine { ${chunks === 1 ? '' : `placement = loop(${chunks})`}  ${rule} }
pipeline train { model = toy  devices = box  microbatches = ${microbatches}  stages = balance(${stages})  schedule = mine }
`;
}
function planOf(rule: string, given: Partial<Numbers> = {}): PipelinePlan {
  const { plan, findings } = resolveText(textOf(rule, given));
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return pipeline;
}
const rowsOf = (rule: string, given: Partial<Numbers> = {}): readonly string[] =>
  namesOf(programFor(planOf(rule, given))).map((row) => row.join(' '));
const messagesOf = (rule: string, given: Partial<Numbers> = {}): readonly string[] =>
  analyse(textOf(rule, given)).findings.flatMap(({ code, severity, message }) =>
    severity === 'information' || severity === 'hint' ? [] : [`${code}: ${message}`],
  );

const loss = 'operation loss { time = 3ms  on(j) = devices - 1  after(j) = F[j]  before(j) = B[j] }';

describe('operations of the schedule in a rule', () => {
  it('run where `on` says, after and before what they name', () => {
    expect(rowsOf(`${loss}  order = greedy(prefer = [B, loss, F])`)).toEqual([
      '0F0 0F1 0F2 0F3 0B0 0B1 0B2 0B3',
      '1F0 1loss0 1B0 1F1 1loss1 1B1 1F2 1loss2 1B2 1F3 1loss3 1B3',
    ]);
  });
  it('run for each stage and microbatch without `on`, in the order of the preference and of their conditions', () => {
    const rule = 'operation x { time = 3ms }  order = greedy(prefer = [B, x, F])  allow(x, s) = done(F) >= 2';
    expect(rowsOf(rule)).toEqual([
      '0F0 0F1 0x0 0x1 0x2 0B0 0x3 0B1 0F2 0F3 0B2 0B3',
      '1F0 1B0 1F1 1B1 1x0 1x1 1x2 1x3 1F2 1B2 1F3 1B3',
    ]);
  });
  it('are left out by a device below 0', () => {
    const some = loss.replace('devices - 1 ', 'if(mod(j, 2) == 0, devices - 1, -1) ');
    expect(messagesOf(`${some}  order = greedy(prefer = [B, loss, F])`)).toEqual([]);
    expect(rowsOf(`${some}  order = greedy(prefer = [B, loss, F])`)[1]).toBe(
      '1F0 1loss0 1B0 1F1 1B1 1F2 1loss2 1B2 1F3 1B3',
    );
  });
  it('may wait for other devices, and devices may prefer them differently', () => {
    const rule = `operation tick { time = 1ms  on(j) = 0  after(j) = F[j, stage = 1]  before(j) = B[j] }
      order = greedy(prefer = [B, tick, F])  prefer(0) = [F, tick, B]`;
    expect(rowsOf(rule)[0]).toBe('0F0 0F1 0F2 0F3 0tick0 0B0 0tick1 0B1 0tick2 0B2 0tick3 0B3');
  });
  it('are in conditions: done(loss), pending(loss), time(loss, s), next(loss, s)', () => {
    const rule = (condition: string) =>
      rowsOf(`${loss}  order = greedy(prefer = [F, loss, B])  allow(F, s) = ${condition}`)[1];
    expect(rule('s == 0 or done(F) < done(loss) + 2')).toBe(
      '1F0 1F1 1loss0 1F2 1loss1 1F3 1loss2 1loss3 1B0 1B1 1B2 1B3',
    );
    expect(rule('pending(loss) == 0')).toBe('1F0 1loss0 1F1 1loss1 1F2 1loss2 1F3 1loss3 1B0 1B1 1B2 1B3');
    expect(rule('time(loss, s) == 3ms or s == 0')).toBe('1F0 1F1 1F2 1F3 1loss0 1loss1 1loss2 1loss3 1B0 1B1 1B2 1B3');
  });
  it('run with E and L, and in asynchronous rules', () => {
    const rule = `${loss}  order = greedy(prefer = [B, E, L, loss, F])  offload = host  allow(E, s) = s == 0
      allow(L, s) = next(B, s) <= time(L, s)`;
    expect(messagesOf(rule)).toEqual([]);
    expect(
      messagesOf(`${loss}  weights = stash  order = greedy(prefer = [B, loss, F])  in_flight(s) = stages - s`),
    ).toEqual([]);
  });
  it('send messages to those that wait', () => {
    // 100 MB take 1 ms. F0 to 4, F0 of the next 4 to 8, its note until 9 and there at 10; the backward follows.
    const rule = `operation note { time = 1ms  sends = 100MB  on(j) = 1  after(j) = F[j]  before(j) = B[j, stage = 0] }
      order = greedy(prefer = [note, B, F])`;
    const plan = planOf(rule, { microbatches: 1, backward: 1 });
    const { run } = evaluate(plan, defaultOptions);
    expect(run?.report.iteration).toBeCloseTo(0.011, 12);
  });
  it('are tested without a pipeline', () => {
    const text = `schedule mine { operation pause { time(s) = time(F, s)  on(j) = devices - 1  after(j) = F[j]  before(j) = B[j] }
        order = greedy(prefer = [B, pause, F])  in_flight(s) = stages - s }
      expect mine { over(devices = 1..3, microbatches = 1) valid  iteration == 3 * devices + 1 }`;
    expect(analyse(text).findings).toEqual([]);
  });
});

describe('operations that a rule cannot run', () => {
  it('names the operations that wait for each other', () => {
    const rule = 'operation x { after(j) = B[j]  before(j) = F[j] }  order = greedy(prefer = [B, x, F])';
    expect(messagesOf(rule)[0]).toMatch(
      /^schedule\/blocked: At 0 ms the schedule allows no operation, and 24 operations are left: 0F0 on gpu\[0\] waits for 0x0; 0x0 on gpu\[0\] waits for 0B0/,
    );
  });
  it('names the condition that keeps one from starting, before those that wait for it', () => {
    expect(messagesOf(`${loss}  order = greedy(prefer = [B, loss, F])  allow(loss, s) = done(loss) < 1`)[0]).toContain(
      'are left: 1loss1 on gpu[1] waits for `done(loss) < 1` (done(loss) = 1)',
    );
  });
  it.each([
    ['order = greedy(prefer = [B, loss, loss, F])', 'at most once'],
    ['order = greedy(prefer = [B, F])  allow(loss, s) = s > 0', 'an operation that `prefer` lists'],
    ['order = greedy(prefer = [B, loss, F])  prefer(d) = [B, F]', 'each of `B`, `loss`, `F` once'],
    ['order = greedy(prefer = [B, los, F])', 'Unknown operation "los"'],
  ])('%s', (rule, message) => {
    expect(messagesOf(`${loss}  ${rule}`).join('\n')).toContain(message);
  });
  it('with a limit that does not include what they send', () => {
    const sends = loss.replace('3ms', '3ms  sends = 1MB');
    expect(messagesOf(`${sends}  order = greedy(prefer = [B, loss, F])  limit = 1GB`)[0]).toContain(
      '"loss", which sends',
    );
  });
  it('that take a negative time, or run on no device', () => {
    const timed = loss.replace('3ms', 'time(F, 0) - 5ms');
    expect(messagesOf(`${timed}  order = greedy(prefer = [B, loss, F])`)[0]).toContain('The time of loss on gpu[1]');
    const far = loss.replace('devices - 1 ', 'devices ');
    expect(messagesOf(`${far}  order = greedy(prefer = [B, loss, F])`)[0]).toContain(
      'The device of loss, microbatch 0',
    );
  });
});

describe('what operations hold in a rule', () => {
  const held = loss.replace('3ms', '3ms  holds = 150MB');
  const peaksOf = (rule: string, given: Partial<Numbers> = {}) => {
    const plan = planOf(rule, given);
    const program = programFor(plan);
    const timeline = simulate(program, timingOf(plan, program));
    if (timeline === undefined) throw new Error('never ends');
    return plan.devices.map((_, device) => memoryPeak(plan, timeline, device).bytes / 1e6);
  };
  it('is in bytes(s) until nobody waits for it', () => {
    const rule = (condition: string) => rowsOf(`${held}  order = greedy(prefer = [F, loss, B])  ${condition}`)[1];
    // 250 MB from the first loss to its backward: no forward comes in between.
    expect(rule('allow(F, s) = bytes(s) < 250MB')).toBe('1F0 1F1 1F2 1loss0 1loss1 1loss2 1B0 1B1 1B2 1F3 1loss3 1B3');
  });
  it('is within the limit', () => {
    const rule = (limit: number) => `${held}  order = greedy(prefer = [F, loss, B])  limit = ${limit}MB`;
    expect(peaksOf(rule(250))).toEqual([200, 250]);
    expect(peaksOf(rule(400))).toEqual([400, 350]);
    expect(peaksOf(rule(1000))[1]).toBe(1000);
    expect(messagesOf(rule(249))[0]).toContain('`limit` of');
  });
  it('is never given up within the limit where another device waits: the order of a device does not say when that ends', () => {
    // The limit has room for all four notes of 100 MB: each runs after the backward of its microbatch.
    const rule = (
      limit: number,
    ) => `operation note { time = 1ms  holds = 100MB  on(j) = 1  after(j) = F[j]  before(j) = B[j, stage = 0] }
      order = greedy(prefer = [B, note, F])  limit = ${limit}MB`;
    expect(messagesOf(rule(400))).toEqual([]);
    expect(messagesOf(rule(399))[0]).toContain('`limit` of');
    // What the device itself waits for is given up, so one note at a time is enough.
    expect(messagesOf(rule(200).replace('stage = 0', 'stage = 1'))).toEqual([]);
  });
  it('keeps every limit, on any number of stages', () => {
    let ended = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 2 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 12 }),
        fc.shuffledSubarray(['B', 'F', 'xx'], { minLength: 3 }),
        (devices, chunks, microbatches, limit, prefer) => {
          const rule = `operation xx { time = 2ms  holds(s) = 50MB * (s + 1)  after(s, j) = F[j, stage = s]
              before(s, j) = B[j, stage = s] }
            order = greedy(prefer = [${prefer.join(', ')}])  limit = ${limit * 50}MB`;
          const plan = planOf(rule, { devices, chunks, microbatches });
          const made = generate(plan);
          if ('faults' in made) {
            expect(made.faults.map(({ code }) => code)).toEqual(['schedule/blocked']);
            return;
          }
          ended += 1;
          const timeline = simulate(made.program, timingOf(plan, made.program));
          for (let device = 0; timeline !== undefined && device < devices; device += 1)
            expect(memoryPeak(plan, timeline, device).bytes).toBeLessThanOrEqual(limit * 50e6);
        },
      ),
      { numRuns: 50 },
    );
    expect(ended).toBeGreaterThan(3);
  });
});

type Allow = readonly [text: string, holds: (state: TickedState) => boolean];
const conditions: readonly Allow[] = [
  ['', () => true],
  ['done(F) >= 2 or pending(F) == 0', ({ done, pending }) => done('F') >= 2 || pending('F') === 0],
  ['held(s) < 3', ({ held }) => held < 3],
  ['pending(B) == 0', ({ pending }) => pending('B') === 0],
];

const anyRule = fc.record({
  devices: fc.integer({ min: 1, max: 4 }),
  chunks: fc.integer({ min: 1, max: 2 }),
  microbatches: fc.integer({ min: 1, max: 6 }),
  forward: fc.integer({ min: 1, max: 5 }),
  backward: fc.integer({ min: 1, max: 8 }),
  message: fc.integer({ min: 0, max: 3 }),
  prefer: fc.shuffledSubarray(['B', 'E', 'F', 'L', 'loss', 'tick', 'xx'], { minLength: 7 }),
  lossAllow: fc.constantFrom(...conditions),
  eachAllow: fc.constantFrom(...conditions),
  away: fc.boolean(),
});

describe('a rule with operations of the schedule', () => {
  it('has the order of a plain simulator, and no bound above its time', () => {
    let ended = 0;
    fc.assert(
      fc.property(anyRule, ({ prefer, lossAllow, eachAllow, away, ...numbers }) => {
        const { devices, chunks, microbatches } = numbers;
        const kinds = away ? prefer : prefer.filter((kind) => kind !== 'E' && kind !== 'L');
        const last = devices * chunks - 1;
        const allow = (kind: string, text: string) => (text === '' ? '' : `allow(${kind}, s) = ${text}`);
        const rule = `
          operation loss { time = 3ms  on(j) = devices - 1  after(j) = F[j, stage = stages - 1]  before(j) = B[j, stage = stages - 1] }
          operation tick { time(j) = 1ms * (1 + mod(j, 3))  on(j) = mod(j, devices)  after(j) = loss[j, stage = devices - 1]  before(j) = B[j, stage = 0] }
          operation xx { time = 2ms  after(s, j) = F[j, stage = s]  before(s, j) = B[j, stage = s] }
          order = greedy(prefer = [${kinds.join(', ')}])  ${away ? 'offload = host' : ''}
          ${allow('loss', lossAllow[0])}  ${allow('xx', eachAllow[0])}`;
        const plan = planOf(rule, numbers);
        const made = generate(plan);
        const all = Array.from({ length: microbatches }, (_, number) => number);
        const declared: TickedOperation[] = all.flatMap((number) => [
          {
            kind: 'loss',
            stage: devices - 1,
            number,
            after: [named('F', last, number)],
            before: [named('B', last, number)],
          },
          {
            kind: 'tick',
            stage: number % devices,
            number,
            after: [named('loss', devices - 1, number)],
            before: [named('B', 0, number)],
          },
          ...Array.from({ length: last + 1 }, (_, stage) => ({
            kind: 'xx',
            stage,
            number,
            after: [named('F', stage, number)],
            before: [named('B', stage, number)],
          })),
        ]);
        const ticks: Readonly<Record<string, number>> = {
          F: numbers.forward,
          B: numbers.backward,
          loss: 3,
          tick: 1,
          xx: 2,
        };
        const expected = tickedRule({
          placement: Array.from({ length: last + 1 }, (_, stage) => stage % devices),
          microbatches,
          prefer: kinds,
          ticks: (kind, _, number) => (kind === 'tick' ? 1 + (number % 3) : ticks[kind]),
          message: numbers.message,
          copy: { ticks: 4, latency: 0, half: false },
          allow: (kind, _, state) =>
            kind === 'loss' ? lossAllow[1](state) : kind === 'xx' ? eachAllow[1](state) : true,
          declared,
        });
        expect('program' in made ? namesOf(made.program) : undefined).toEqual(expected);
        if ('faults' in made) return;
        ended += 1;
        expect(validate(made.program, plan)).toEqual([]);
        const timing = timingOf(plan, made.program);
        const makespan = simulate(made.program, timing)?.makespan ?? 0;
        expect(leastMakespan(plan, made.program, timing, { split: false, memory: true })).toBeLessThanOrEqual(
          makespan * (1 + 1e-9),
        );
      }),
      { numRuns: 40 },
    );
    expect(ended).toBeGreaterThan(3);
  });
});
