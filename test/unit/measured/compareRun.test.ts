/** A plan next to a run of it. */
import { describe, expect, test } from 'vitest';
import { compareRun, type RunComparison } from '../../../engine/measured/compareRun.ts';
import { plannedIdeal } from '../../../engine/measured/plannedIdeal.ts';
import { stragglersIn } from '../../../engine/measured/stragglersIn.ts';
import type { Recording, RecordedRow } from '../../../engine/values/recording.ts';
import { runOf } from '../../support/analyse.ts';
import { sleepingPlan as sleeping } from '../../support/sleepingPlan.ts';
import { recordingOf } from '../runs/traces.ts';

function compared(text: string, recording: Recording): RunComparison {
  const { plan, run } = runOf(text);
  const comparison = compareRun(plan, run.program, recording, 1);
  if ('problem' in comparison) throw new Error(comparison.problem);
  return comparison;
}

const sum = (values: object): number => Object.values(values).reduce<number>((all, value) => all + Number(value), 0);

/** Operations of one rank take longer, and nothing else changes: later operations begin later. */
const changed = (recording: Recording, by: (row: RecordedRow, rank: number, at: number) => number): Recording => ({
  ...recording,
  steps: recording.steps.map((step) => ({
    ...step,
    rows: step.rows.map((row, rank) => ({ ...row, work: row.work.map((work, at) => work * by(row, rank, at)) })),
  })),
});

describe('the difference of plan and run', () => {
  const zbv = recordingOf('sleep_zbv_p4');
  const comparison = compared(sleeping(8, 4, 'zb_v'), zbv);

  test('is shared among causes that add up, and little is not explained', () => {
    const { planned, measured, shares } = comparison;
    expect(sum(shares)).toBeCloseTo(measured - planned, 12);
    expect(Math.abs(shares.rest) / measured).toBeLessThan(0.005);
    // What sleeps takes a little longer than it sleeps, and hosts take time that the plan leaves out.
    expect(shares.times / planned).toBeGreaterThan(0.005);
    expect(shares.host / planned).toBeGreaterThan(0.01);
    expect(shares.order).toBe(0);
    expect(comparison.order).toMatchObject({ cells: 0, dependsOnTimes: false });
  });

  test('the time of each rank adds up to the iteration', () => {
    for (const rank of comparison.ranks) {
      expect(sum(rank)).toBeCloseTo(comparison.measured, 9);
      for (const part of Object.values(rank)) expect(part).toBeGreaterThanOrEqual(-1e-12);
    }
    // Rank 2 has the slowest stages, so it waits least.
    expect(Math.min(...comparison.ranks.map(({ sender }) => sender))).toBe(comparison.ranks[2].sender);
  });

  test('an operation with another time is named first', () => {
    const slow = changed(zbv, ({ kind, stage }, _, at) => (kind[at] === 0 && stage[at] === 5 ? 1.5 : 1));
    const [first] = compared(sleeping(8, 4, 'zb_v'), slow).drifts;
    expect(first).toMatchObject({ kind: 0, stage: 5, planned: 0.008 });
    expect(first.measured.mean / first.planned).toBeCloseTo(1.5 * 1.045, 1);
  });
});

test('an operation on the critical path comes before one with a larger change beside it', () => {
  const one = recordingOf('sleep_1f1b_p4');
  const text = sleeping(4, 4, '1f1b')
    .replaceAll(/backward_input = ([\d.]+)ms {2}backward_weight = ([\d.]+)ms/g, (_, input, weight) => {
      return `backward = ${Number(input) + Number(weight)}ms`;
    })
    .replace('s0 { forward = 6ms', 's0 { forward = 3ms')
    .replace('s2 { forward = 8ms', 's2 { forward = 5.5ms');
  const { drifts } = compared(text, one);
  const [slowest, first] = [2, 0].map((of) => drifts.findIndex(({ kind, stage }) => kind === 0 && stage === of));
  const change = ({ planned, measured }: (typeof drifts)[number]): number => measured.mean - planned;
  expect(change(drifts[first])).toBeGreaterThan(change(drifts[slowest]));
  expect(slowest).toBeLessThan(first);
  // The path goes through the stage with the longest operations in each microbatch but the second: its forward there runs while the
  // last stage works on the first.
  expect(drifts[slowest].critical).toBe(7);
});

describe('stragglers against the plan', () => {
  const { plan, run } = runOf(sleeping(8, 4, 'zb_v'));
  const zbv = recordingOf('sleep_zbv_p4');

  test('stages that take what is planned are none, however much they differ', () => {
    const { slowdown, ranks } = stragglersIn(plan, run.program, [zbv], 1);
    expect(slowdown).toBeLessThan(1.02);
    for (const rank of ranks) expect(Math.abs(rank - 1)).toBeLessThan(0.02);
  });

  test('an operation that does nothing does not make the others of its kind slow', () => {
    // The first stage has no input gradient to compute, whatever the plan says: the others take what is planned.
    const measured = new Map(
      [0.0001, 0.05, 0.05, 0.05].map((mean, at) => [4 + at, { count: 8, mean, half: undefined }]),
    );
    const idealOf = plannedIdeal(new Float64Array(8).fill(0.05), 4, { times: measured });
    expect(idealOf(1, 0)).toBe(0.0001);
    for (const stage of [1, 2, 3]) expect(idealOf(1, stage)).toBeCloseTo(0.05, 12);
  });

  test('a slow rank and a slow kind are found', () => {
    const slowRank = stragglersIn(plan, run.program, [changed(zbv, (_, rank) => (rank === 2 ? 1.4 : 1))], 1);
    expect(slowRank.ranks.indexOf(Math.max(...slowRank.ranks))).toBe(2);
    expect(slowRank.ranks[2]).toBeGreaterThan(1.15);
    const slowKind = changed(zbv, ({ kind, stage }, _, at) => (kind[at] === 3 && stage[at] === 2 ? 3 : 1));
    expect(stragglersIn(plan, run.program, [slowKind], 1).kinds[0].name).toBe('W');
  });
});

describe('the order that ran', () => {
  const zbv = recordingOf('sleep_zbv_p4');

  test('is pinned where the schedule makes its order for the times: never an order that was not kept', () => {
    const rule = `schedule own { placement = v_shape  backward = split  order = greedy(prefer = [I, F, W])  in_flight(s) = 8 }`;
    const { order, shares, otherOrder } = compared(sleeping(8, 4, 'own', rule), zbv);
    expect(order.dependsOnTimes).toBe(true);
    expect(order.cells).toBeGreaterThan(0);
    expect(Math.abs(shares.rest)).toBeLessThan(0.003);
    expect(otherOrder).toBeTypeOf('number');
  });

  test('another order of a fixed schedule is named at its first cell', () => {
    const two = recordingOf('sleep_1f1b_p4');
    const { order } = compared(sleeping(4, 4, 'gpipe'), two);
    expect(order.dependsOnTimes).toBe(false);
    expect(order.first[0]).toMatchObject({ device: 0, cell: 4 });
  });

  test.each([
    [sleeping(4, 4, '1f1b'), 'the plan has 4 stages, and 8 ran'],
    [sleeping(8, 4, 'interleaved_1f1b(chunks = 2)'), 'stage 4 is on device 0 in the plan, and ran on device 3'],
    [sleeping(8, 8, '1f1b'), 'the plan has 8 devices, and 4 ran'],
  ])('a run of another plan is refused', (text, problem) => {
    const { plan, run } = runOf(text);
    expect(compareRun(plan, run.program, zbv, 1)).toEqual({ problem });
  });

  test('whole backwards are no halves', () => {
    const { plan, run } = runOf(sleeping(4, 4, 'zb_h1'));
    const comparison = compareRun(plan, run.program, recordingOf('sleep_1f1b_p4'), 1);
    expect('problem' in comparison ? comparison.problem : '').toContain('the run did not');
  });
});
