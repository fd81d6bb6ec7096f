import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { leastMakespan } from '../../../engine/analyze/bound.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { B, F, I, kindOf, microbatchOf, stageOf, W } from '../../../engine/values/program.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { startAt } from '../../../engine/values/timeline.ts';
import { analyse } from '../../support/analyse.ts';
import { resolveText } from '../../support/resolve.ts';
import { namesOf, programFor } from './bruteForce.ts';

interface Numbers {
  readonly devices: number;
  readonly microbatches: number;
  readonly forward: number;
  readonly more: string;
}

const usual: Numbers = { devices: 2, microbatches: 4, forward: 4, more: '' };

const textOf = (schedule: string, numbers: Partial<Numbers> = {}): string => {
  const { devices, microbatches, forward, more } = { ...usual, ...numbers };
  return `
device d { memory = 64GiB }
cluster box { gpu[${devices}] = d  link = 25GB/s }
model toy { layer block[${devices}] { forward = ${forward}ms  backward_input = 4ms  backward_weight = 4ms  activation = 100MB } }
schedule mine { ${schedule} }
pipeline train { model = toy  devices = box  microbatches = ${microbatches}  stages = balance(${devices})  schedule = mine  ${more} }
`;
};

function planOf(schedule: string, numbers: Partial<Numbers> = {}): PipelinePlan {
  const { plan, findings } = resolveText(textOf(schedule, numbers));
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return pipeline;
}

function reportOf(plan: PipelinePlan): PipelineReport {
  const { run, findings } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return run.report;
}

const ms = (seconds: number): number => Math.round(seconds * 1e6) / 1e3;
const rows = {
  oneFOneB:
    'let warm(d) = min(stages - d, microbatches)  row(d) = F[0..<warm(d)], zip(B[0..<microbatches-warm(d)], F[warm(d)..<microbatches]), B[microbatches-warm(d)..<microbatches]',
  gpipe: 'row(d) = F[0..<microbatches], B[0..<microbatches]',
  split:
    'let warm(d) = min(stages - d, microbatches)  row(d) = F[0..<warm(d)], zip(I[0..<microbatches-warm(d)], F[warm(d)..<microbatches]), I[microbatches-warm(d)..<microbatches], W[0..<microbatches]',
};

describe('the time of single operations', () => {
  it('replaces what the layers take', () => {
    // One device: F0 8 ms, F1 4 ms, then two backwards of 8 ms.
    const plan = planOf(`${rows.gpipe}  time(F, s, j) = time(F, s) * if(j == 0, 2, 1)`, {
      devices: 1,
      microbatches: 2,
    });
    const { iteration, devices } = reportOf(plan);
    expect(ms(iteration)).toBe(28);
    expect(ms(devices[0].busy)).toBe(28);
  });
  it('is divided between the halves of a backward, unless they have times', () => {
    const iterationOf = (schedule: string): number =>
      ms(reportOf(planOf(schedule, { devices: 1, microbatches: 2 })).iteration);
    const halves = 'row(d) = F[0..1], I[0..1], W[0..1]';
    // 8 ms of forwards; backwards of 8 and 16 ms.
    expect(iterationOf(`${halves}  time(B, s, j) = time(B, s) * (j + 1)`)).toBe(8 + 8 + 16);
    expect(iterationOf(`${halves}  time(B, s, j) = time(B, s) * (j + 1)  time(W, s, j) = 1ms`)).toBe(8 + 4 + 8 + 2);
    expect(iterationOf(`row(d) = F[0..1], B[0..1]  time(W, s, j) = 1ms`)).toBe(8 + 2 * 5);
  });
  it('counts in a slot of two, by the longer one of both', () => {
    const schedule = 'row(d) = F[0], fused(F[1], B[0], overlap = 50%), B[1]  time(F, s, j) = if(j == 1, 20ms, 4ms)';
    // 4 ms, then 20 ms and half of 8 ms, then 8 ms.
    expect(ms(reportOf(planOf(schedule, { devices: 1, microbatches: 2 })).iteration)).toBe(4 + 24 + 8);
  });
  it('is the time of another model if it is a multiple for all', () => {
    for (const schedule of [
      ...Object.values(rows),
      'order = greedy(prefer = [B, F])  in_flight(s) = stages - s',
      'order = greedy(prefer = [B, R, F])  allow(F, s) = held(s) < 3',
      'fill = true  slot(F, s, j) = 2 * j + s  slot(B, s, j) = 2 * j + 2 * devices - 1 - s',
    ]) {
      for (const more of ['', 'transfer = rendezvous(batched = all)']) {
        const numbers = { devices: 3, microbatches: 5, more };
        const double = planOf(`${schedule}  time(F, s, j) = 2 * time(F, s)`, numbers);
        const other = planOf(schedule, { ...numbers, forward: 8 });
        expect(namesOf(programFor(double))).toEqual(namesOf(programFor(other)));
        const [a, b] = [reportOf(double), reportOf(other)];
        expect(a.iteration).toBeCloseTo(b.iteration, 12);
        expect(a.bubble.makespan).toBeCloseTo(b.bubble.makespan, 12);
        expect(a.bubble.bound).toBeCloseTo(b.bubble.bound, 12);
        for (const [cause, share] of Object.entries(b.bubble.causes))
          expect(a.bubble.causes[cause as keyof typeof a.bubble.causes]).toBeCloseTo(share, 9);
        expect(a.devices.map(({ peak }) => peak)).toEqual(b.devices.map(({ peak }) => peak));
      }
    }
  });
  it('decides what a rule runs next', () => {
    const rule = 'order = greedy(prefer = [B, F])  in_flight(s) = 2';
    const namesWith = (time: string): readonly string[] =>
      namesOf(programFor(planOf(`${rule}  ${time}`, { microbatches: 3 })))[0];
    expect(namesWith('')).toEqual('0F0 0F1 0B0 0F2 0B1 0B2'.split(' '));
    // With a limit of three, the third forward comes first while the first microbatch takes long below.
    const more = rule.replace('= 2', '= 3');
    expect(
      namesOf(
        programFor(planOf(`${more}  time(F, s, j) = if(s == 1, 1ms, 4ms)  time(B, s, j) = if(s == 1, 1ms, 4ms)`)),
      )[0],
    ).not.toEqual(namesOf(programFor(planOf(more)))[0]);
  });
  it('changes the pace of an asynchronous schedule', () => {
    const schedule = `weights = stash  order = greedy(prefer = [B, F])  in_flight(s) = stages - s`;
    const slow = `${schedule}  time(F, s, j) = time(F, s) * if(mod(j, 2) == 0, 3, 1)`;
    const numbers = { devices: 1, microbatches: 2, more: 'iterations = 8' };
    // Two microbatches of 4 + 8 ms an iteration, of which one takes 8 ms more.
    expect(ms(reportOf(planOf(schedule, numbers)).iteration)).toBe(24);
    expect(ms(reportOf(planOf(slow, numbers)).iteration)).toBe(32);
    expect(ms(reportOf(planOf(slow, numbers)).devices[0].busy)).toBe(32);
  });
  it('is also the time in a test of the schedule', () => {
    const test = (most: number): readonly string[] =>
      analyse(
        `schedule mine { ${rows.gpipe}  time(F, s, j) = time(F, s) * 3 }
expect mine { over(devices = 1, microbatches = 4)  valid  iteration <= ${most} }`,
      ).findings.map(({ code }) => code);
    expect(test(20)).toEqual([]);
    expect(test(19)).toEqual(['expect/failed']);
  });
});

describe('the time of single operations by brute force', () => {
  const cases = fc.record({
    devices: fc.integer({ min: 1, max: 3 }),
    microbatches: fc.integer({ min: 1, max: 5 }),
    form: fc.constantFrom(...(Object.keys(rows) as (keyof typeof rows)[])),
    forwards: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
    backwards: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
  });
  it('starts each operation after the one before it and what it needs, and no order is under the bound', () => {
    fc.assert(
      fc.property(cases, ({ devices, microbatches, form, forwards, backwards }) => {
        const pick = (list: readonly number[], s: number, j: number): number => list[(3 * s + j) % list.length];
        const choose = (list: readonly number[]): string =>
          list.reduceRight((rest, value, at) => `if(mod(3 * s + j, 4) == ${at}, ${value}, ${rest})`, '0');
        const times = `time(F, s, j) = 1ms * ${choose(forwards)}  time(B, s, j) = 1ms * ${choose(backwards)}`;
        const plan = planOf(`${rows[form]}  ${times}`, { devices, microbatches });
        const program = programFor(plan);
        const timeline = simulate(program, timingOf(plan, program));
        if (timeline === undefined) throw new Error('never ends');
        const order = namesOf(program);
        const ends = new Map<string, number>();
        const seconds = (name: string): number => {
          const [, s, letter, j] = /^(\d+)([A-Z])(\d+)$/.exec(name) ?? [];
          const whole = pick(letter === 'F' ? forwards : backwards, Number(s), Number(j));
          return letter === 'I' || letter === 'W' ? whole / 2 : whole;
        };
        // Longest path by recursion over the names.
        const endOf = (name: string): number => {
          const known = ends.get(name);
          if (known !== undefined) return known;
          const [, stage, letter, j] = /^(\d+)([A-Z])(\d+)$/.exec(name) ?? [];
          const s = Number(stage);
          const at = order[s].indexOf(name);
          const back = form === 'split' ? 'I' : 'B';
          const needs =
            letter === 'F'
              ? s > 0
                ? [`${s - 1}F${j}`]
                : []
              : letter === 'W'
                ? [`${s}I${j}`]
                : [`${s}F${j}`, ...(s + 1 < devices ? [`${s + 1}${back}${j}`] : [])];
          const before = at > 0 ? [order[s][at - 1]] : [];
          const end = Math.max(0, ...[...before, ...needs].map(endOf)) + seconds(name);
          ends.set(name, end);
          return end;
        };
        for (let position = 0; position < program.order.length; position += 1) {
          const word = program.order[position];
          const letter = { [F]: 'F', [B]: 'B', [I]: 'I', [W]: 'W' }[kindOf(program, word) as 0 | 1 | 2 | 3];
          const name = `${stageOf(program, word)}${letter}${microbatchOf(program, word)}`;
          expect(startAt(timeline, position) * 1e3).toBeCloseTo(endOf(name) - seconds(name), 6);
        }
        const report = reportOf(plan);
        const all = order.flat();
        expect(report.iteration * 1e3).toBeCloseTo(Math.max(...all.map(endOf)), 6);
        const busy = all.reduce((sum, name) => sum + seconds(name), 0);
        expect(report.bubble.makespan).toBeCloseTo(1 - busy / (devices * report.iteration * 1e3), 9);
        // The same operations in other orders: none may be under the bound of this one.
        for (const other of Object.values(rows)) {
          const rival = reportOf(planOf(`${other}  ${times}`, { devices, microbatches }));
          expect(report.bubble.bound).toBeLessThanOrEqual(rival.bubble.makespan + 1e-9);
        }
        if (devices === 1) expect(report.bubble.bound).toBeCloseTo(0, 9);
      }),
      { numRuns: 20 },
    );
  });
});

it('of the R that there are makes the bound, not the mean of all', () => {
  const row = 'row(d) = F[0..1], R[0], B[0], B[1]  time(R, s, j) = time(R, s) * if(j == 0, 1, 9)';
  const plan = planOf(row, { devices: 1, microbatches: 2, more: 'recompute = full' });
  const program = programFor(plan);
  const timing = timingOf(plan, program);
  // Two forwards, one R as long as a forward, two backwards of 8 ms.
  const most = simulate(program, timing)?.makespan ?? NaN;
  expect(ms(most)).toBe(8 + 4 + 16);
  expect(ms(leastMakespan(plan, program, timing, { split: true, memory: false }))).toBe(28);
});

describe('the time of single operations that cannot be', () => {
  const errors = (schedule: string): readonly string[] =>
    resolveText(textOf(`${rows.gpipe}  ${schedule}`)).findings.flatMap(({ severity, code, message }) =>
      severity === 'error' ? [`${code}: ${message}`] : [],
    );
  it('is told where it is written', () => {
    expect(errors('time(F, s, j) = time(F, s) - 5ms')).toEqual([
      'value/range: The time of 0F0 is −1 ms; it must be at least 0 s.',
    ]);
    expect(errors('time(F, s, j) = j')).toEqual([expect.stringMatching(/^type\/dimension: Expected a time/)]);
    expect(errors('time(F, s) = 3ms')).toEqual([
      'type/mismatch: Expected an operation and two names, as `time(F, s, j)`, found 1 name after the operation.',
    ]);
    expect(errors('time(F, s, j) = 3ms  time(F, s, j) = 4ms')).toEqual([
      'key/duplicate: "time(F)" is set twice in this schedule; the first one is used.',
    ]);
    expect(errors('time(X, s, j) = 3ms')).toEqual([expect.stringMatching(/^name\/unknown: Unknown operation "X"/)]);
    expect(errors('time(R, s, j) = 3ms')).toEqual([
      'value/range: The time of 0R0 is 3 ms; it must be 0 s: by its layers it takes no time.',
    ]);
    expect(errors('time(F, s, j) = time(F, s + 1)')).toEqual([
      'value/range: The stage is 2; it must be a whole number from 0 to 1.',
    ]);
    expect(errors('time(F, s, j) = held(s) * 1ms')).toEqual([expect.stringMatching(/^name\/unknown: .*"held"/)]);
  });
});
