import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { kindOf, microbatchOf, stageOf } from '../../../engine/values/program.ts';
import { runInOrder } from '../../../engine/simulate/inOrder.ts';
import { runWithQueues } from '../../../engine/simulate/queues.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { endAt, startAt, type Timeline } from '../../../engine/values/timeline.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { runnable } from '../support/cases.ts';
import { recipePlan, policy } from '../support/plans.ts';
import { plainEnds } from '../support/plainSimulator.ts';
import { oneForwardOneBackward, programOf } from '../support/programs.ts';

const schedule = policy('1f1b');

describe('simulation', () => {
  it('gives the times of a plain longest-path search, whatever the order, costs, latencies and skip connections', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const timeline = simulate(program, timingOf(plan, program));
        const expected = plainEnds(plan, program);
        expect(timeline).toBeDefined();
        expect(expected).toBeDefined();
        if (timeline !== undefined && expected !== undefined) expectEnds(timeline, expected);
      }),
      { numRuns: 120 },
    );
  });

  it('gives the times of a plain longest-path search for stages that need many others, none of which needs the next', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 3, maxLength: 10 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 6 }),
        fc.integer({ min: 0, max: 3 }),
        (devices, microbatches, pairs, costs, latency) => {
          const edges = [...new Set(pairs.map(([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`))]
            .map((pair) => pair.split(' ').map(Number))
            .flatMap(([from, to]) => (from < to && to < devices ? [{ from, to, bytes: 0 }] : []));
          const rows = Array.from({ length: devices }, (_, device) =>
            ['F', 'B'].flatMap((kind) =>
              Array.from({ length: microbatches }, (_unused, microbatch) => `${device}${kind}${microbatch}`),
            ),
          );
          const placement = rows.map((_, device) => device);
          const plan = recipePlan({
            ...{ devices, microbatches, schedule, edges, latency },
            ...{ forward: costs, backwardInput: costs.toReversed(), backwardWeight: [1] },
          });
          const program = programOf(rows, devices, microbatches, placement);
          const timeline = runInOrder(program, timingOf(plan, program));
          const expected = plainEnds(plan, program);
          if (timeline === undefined || expected === undefined) throw new Error('deadlock');
          expectEnds(timeline, expected);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('gives the same times in order of events as in one pass', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const timing = timingOf(plan, program);
        const fast = runInOrder(program, timing);
        const general = runWithQueues(program, timing);
        expect(general?.makespan).toBe(fast?.makespan);
        expect(general?.end).toEqual(fast?.end);
      }),
      { numRuns: 200 },
    );
  });

  it('says so where operations wait for one another', () => {
    const program = programOf(
      [
        ['0B0', '0F0'],
        ['1F0', '1B0'],
      ],
      2,
      1,
      [0, 1],
    );
    const timing = timingOf(recipePlan({ devices: 2, microbatches: 1, schedule }), program);
    expect(runInOrder(program, timing)).toBeUndefined();
    expect(runWithQueues(program, timing)).toBeUndefined();
  });
});

describe('channels', () => {
  // Two devices, one microbatch after the other: F = 1 each, transfers of 3 s on a link that is busy for all of it.
  const rows = [
    ['0F0', '0F1', '0F2', '0B0', '0B1', '0B2'],
    ['1F0', '1F1', '1F2', '1B0', '1B1', '1B2'],
  ];
  const program = programOf(rows, 2, 3, [0, 1]);
  const startsOf = (duplex: 'full' | 'half') => {
    const plan = recipePlan({
      devices: 2,
      microbatches: 3,
      schedule,
      occupancy: 3,
      latency: 0.5,
      duplex,
      backwardInput: [1],
      backwardWeight: [0],
    });
    const timeline = simulate(program, timingOf(plan, program));
    if (timeline === undefined) throw new Error('deadlock');
    return Array.from(program.order, (_, position) => startAt(timeline, position));
  };

  it('queues transfers that are longer than the operations between them', () => {
    // Sent at 1, 2, 3; the channel is free at 1, 4, 7; there at 4.5, 7.5, 10.5. Back: sent at 12.5, 13.5, 14.5; there at 16, 19, 22.
    expect(startsOf('full')).toEqual([0, 1, 2, 16, 19, 22, 4.5, 7.5, 10.5, 11.5, 12.5, 13.5]);
  });

  it('lets a half-duplex link serve one direction at a time', () => {
    const both = [
      ['0F0', '0F1', '0B0', '0B1'],
      ['1F0', '1B0', '1F1', '1B1'],
    ];
    const interleaved = programOf(both, 2, 2, [0, 1]);
    const plan = recipePlan({
      devices: 2,
      microbatches: 2,
      schedule,
      occupancy: 3,
      duplex: 'half',
      backwardWeight: [0],
    });
    const timeline = simulate(interleaved, timingOf(plan, interleaved));
    if (timeline === undefined) throw new Error('deadlock');
    // F0 crosses 1–4, F1 4–7, B0 (made at 6) only 7–10, B1 (made at 9) 10–13.
    expect(Array.from(interleaved.order, (_, at) => endAt(timeline, at))).toEqual([1, 2, 11, 14, 5, 6, 8, 9]);
  });
});

describe('fused operations', () => {
  it('share one slot that starts when both are ready and lasts as long as both', () => {
    const program = programOf(
      [
        ['0F0', ['0F1', '0B0'], '0B1'],
        ['1F0', '1B0', '1F1', '1B1'],
      ],
      2,
      2,
      [0, 1],
    );
    const plan = recipePlan({ devices: 2, microbatches: 2, schedule });
    const timeline = simulate(program, timingOf(plan, program));
    if (timeline === undefined) throw new Error('deadlock');
    // B0 comes back at 4; the slot holds F (1) and B (2) until 7; only then is F1 sent on.
    expect([startAt(timeline, 1), startAt(timeline, 2), endAt(timeline, 1), endAt(timeline, 2)]).toEqual([4, 4, 7, 7]);
    expect(timeline.makespan).toBe(12);
  });

  it('wait for ever where one half needs the other', () => {
    const program = programOf([[['0F0', '0B0']]], 1, 1, [0]);
    expect(simulate(program, timingOf(recipePlan({ devices: 1, microbatches: 1, schedule }), program))).toBeUndefined();
  });
});

describe('closed forms of 1F1B', () => {
  it('(m + p − 1)(F + B) without latency; with latency c and p dividing m, [2(p − 1)m/p + 2(p − 2)]·c more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 10 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 2, max: 18 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (devices, rounds, forward, backward, part) => {
          const microbatches = rounds * devices;
          const latency = part * Math.min(forward, backward);
          const program = programOf(
            oneForwardOneBackward(devices, microbatches),
            devices,
            microbatches,
            Array.from({ length: devices }, (_, i) => i),
          );
          const costs = { forward: [forward], backwardInput: [backward / 2], backwardWeight: [backward / 2] };
          const makespan = (c: number) => {
            const plan = recipePlan({ devices, microbatches, schedule, latency: c, ...costs });
            return simulate(program, timingOf(plan, program))?.makespan;
          };
          const base = (microbatches + devices - 1) * (forward + backward);
          expect(makespan(0)).toBeCloseTo(base, 9);
          expect(makespan(latency)).toBeCloseTo(
            base + ((2 * (devices - 1) * microbatches) / devices + 2 * (devices - 2)) * latency,
            6,
          );
        },
      ),
    );
  });
});

function expectEnds(timeline: Timeline, expected: ReadonlyMap<string, number>): void {
  const { program } = timeline;
  program.order.forEach((word, position) => {
    const name = `${kindOf(program, word)}/${stageOf(program, word)}/${microbatchOf(program, word)}`;
    expect(endAt(timeline, position), name).toBe(expected.get(name));
  });
  expect(Math.max(...timeline.last)).toBe(Math.max(...expected.values()));
}
