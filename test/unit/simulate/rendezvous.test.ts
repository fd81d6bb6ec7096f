import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { bubbleCauses } from '../../../engine/analyze/causes.ts';
import { criticalPath } from '../../../engine/analyze/criticalPath.ts';
import { exposedByRoute } from '../../../engine/analyze/exposed.ts';
import type { PipelinePlan, TransferRule } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { type Program, kindOf, microbatchOf, stageOf } from '../../../engine/values/program.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { endAt, startAt, type Timeline } from '../../../engine/values/timeline.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { runnable } from '../support/cases.ts';
import { recipePlan, policy, type Recipe } from '../support/plans.ts';
import { plainRendezvous } from '../support/plainRendezvous.ts';

const rules: readonly TransferRule['batched'][] = ['none', 'peer', 'all'];
const withRule = (plan: PipelinePlan, batched: TransferRule['batched']): PipelinePlan => ({
  ...plan,
  transfer: { kind: 'rendezvous', batched },
});

function runs(plan: PipelinePlan): { readonly program: Program; readonly timeline: Timeline | undefined } {
  const generated = generate(plan);
  if ('faults' in generated) throw new Error(generated.faults[0]?.message);
  return { program: generated.program, timeline: simulate(generated.program, timingOf(plan, generated.program)) };
}

const endsOf = (timeline: Timeline): Map<string, number> =>
  new Map(
    Array.from(timeline.program.order, (word, position) => [
      `${kindOf(timeline.program, word)}/${stageOf(timeline.program, word)}/${microbatchOf(timeline.program, word)}`,
      endAt(timeline, position),
    ]),
  );

describe('blocking sends and receives', () => {
  it.each(rules)(
    'give the times of a plain simulation that steps each device, or stand still with it (%s batched)',
    (batched) => {
      let ran = 0;
      let stood = 0;
      fc.assert(
        fc.property(runnable, ({ plan, program }) => {
          const blocking = withRule(plan, batched);
          const timeline = simulate(program, timingOf(blocking, program));
          const expected = plainRendezvous(blocking, program, batched);
          expect(timeline === undefined).toBe(expected === undefined);
          // What the search for a circle says is what the simulation does.
          expect(validate(program, blocking).map((planFinding) => planFinding.code)).toEqual(
            expected === undefined ? ['schedule/deadlock'] : [],
          );
          if (timeline === undefined || expected === undefined) {
            stood += 1;
            return;
          }
          ran += 1;
          const ends = endsOf(timeline);
          for (const [name, end] of expected) expect(ends.get(name)).toBeCloseTo(end, 9);
        }),
        { numRuns: 150 },
      );
      // Both happen often enough to mean something.
      expect(ran).toBeGreaterThan(20);
      expect(stood).toBeGreaterThan(20);
    },
  );

  it('are never faster than transfers beside the work', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const buffered = simulate(program, timingOf(plan, program))?.makespan ?? Infinity;
        const [none, peer, all] = rules.map(
          (batched) => simulate(program, timingOf(withRule(plan, batched), program))?.makespan ?? Infinity,
        );
        expect(none).toBeGreaterThanOrEqual(buffered - 1e-9);
        expect(peer).toBeGreaterThanOrEqual(buffered - 1e-9);
        expect(all).toBeGreaterThanOrEqual(buffered - 1e-9);
      }),
      { numRuns: 150 },
    );
  });

  it('wait for their channel where links are shared', () => {
    // Both pairs are ready at 1, one transfer of 2 s after the other: 3 and 5.
    const edges = [
      { from: 0, to: 2, bytes: 1 },
      { from: 1, to: 3, bytes: 1 },
    ];
    const recipe: Recipe = {
      devices: 4,
      microbatches: 1,
      schedule: policy('gpipe'),
      edges,
      occupancy: 2,
      duplex: 'shared',
    };
    const { timeline, program } = runs(withRule(recipePlan(recipe), 'none'));
    if (timeline === undefined) throw new Error('deadlock');
    const starts = Array.from(program.order, (_, position) => startAt(timeline, position));
    // F, then B, of each device: the way back is taken in turn too.
    expect(starts).toEqual([0, 8, 0, 10, 3, 4, 5, 6]);
  });
});

describe('what blocking transfers cost', () => {
  it('the critical path is a chain of operations with nothing but whole transfers between them', () => {
    fc.assert(
      fc.property(runnable, fc.constantFrom(...rules), ({ plan, program }, batched) => {
        const timeline = simulate(program, timingOf(withRule(plan, batched), program));
        if (timeline === undefined) return;
        const latency = plan.routes[0]?.latency ?? 0;
        const path = [...criticalPath(timeline)];
        expect(startAt(timeline, path[0])).toBe(0);
        for (let step = 1; step < path.length; step += 1) {
          const wait = startAt(timeline, path[step]) - endAt(timeline, path[step - 1]);
          expect(latency === 0 ? wait : Math.abs(wait % latency)).toBe(0);
          expect(wait).toBeGreaterThanOrEqual(0);
        }
        const operations = path.reduce((sum, at) => sum + endAt(timeline, at) - startAt(timeline, at), 0);
        const sync = Math.max(...timeline.timing.sync);
        const transfers = timeline.makespan - operations - sync;
        expect(latency === 0 ? transfers : Math.abs(transfers % latency)).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('both devices stand in a transfer, and a device that waits for work to be done stands in none', () => {
    const plan = withRule(recipePlan({ devices: 2, microbatches: 1, schedule: policy('1f1b'), latency: 0.25 }), 'none');
    const { timeline } = runs(plan);
    if (timeline === undefined) throw new Error('deadlock');
    expect(timeline.makespan).toBe(6.5);
    expect([...exposedByRoute(timeline, 2)]).toEqual([0.5, 0.5]);
  });

  it('is the part of the bubble that communication causes', () => {
    const plan = withRule(
      recipePlan({ devices: 2, microbatches: 4, schedule: policy('gpipe'), latency: 0.25 }),
      'none',
    );
    const { timeline } = runs(plan);
    if (timeline === undefined) throw new Error('deadlock');
    // 5 × 3 s without transfers.
    const causes = bubbleCauses(plan, timeline);
    expect(causes.communication).toBeCloseTo(1 - 15 / timeline.makespan, 12);
    expect(causes.order).toBe(0);
  });

  it('the step begins when a device has sent its last result', () => {
    const recipe: Recipe = { devices: 2, microbatches: 1, schedule: policy('gpipe'), latency: 10, sync: 5 };
    // F 1, transfer 10, F 1, B 2, transfer 10, B 2: the last device is free for its step at 24, the first at 26.
    expect(runs(withRule(recipePlan(recipe), 'none')).timeline?.makespan).toBe(31);
  });
});

describe('policies under blocking transfers', () => {
  const [p, m, F, B, c] = [4, 8, 1, 2, 0.25];
  const recipe = (name: string): Recipe => ({ devices: p, microbatches: m, schedule: policy(name), latency: c });

  it('1F1B on two devices stops at the first steady send: both send and nobody receives', () => {
    const plan = withRule(recipePlan({ ...recipe('1f1b'), devices: 2, microbatches: 2 }), 'none');
    const { program, timeline } = runs(plan);
    expect(timeline).toBeUndefined();
    const [finding] = validate(program, plan);
    expect(finding.at).toBe('train/key:transfer');
    expect(finding.message).toBe(
      'Deadlock: these operations wait for each other, so none can start: 0SEND_F1 (gpu[0]) → 1RECV_F1 (gpu[1]) → ' +
        '1SEND_B0 (gpu[1]) → 0RECV_B0 (gpu[0]) → 0SEND_F1 (gpu[0]).',
    );
    expect(finding.related.map((one) => one.message)).toEqual([
      '0SEND_F1 (gpu[0]) ends at the same time as 1RECV_F1 (gpu[1])',
      '1RECV_F1 (gpu[1]) comes after 1SEND_B0',
      '1SEND_B0 (gpu[1]) ends at the same time as 0RECV_B0 (gpu[0])',
      '0RECV_B0 (gpu[0]) comes after 0SEND_F1',
    ]);
  });

  it.each([2, 3, 4, 8])('1F1B on %i devices runs where both directions of a pair are issued together', (devices) => {
    const plan = recipePlan({ ...recipe('1f1b'), devices });
    expect(runs(withRule(plan, 'none')).timeline).toBeUndefined();
    const { program, timeline } = runs(withRule(plan, 'peer'));
    expect(timeline).toBeDefined();
    expect(validate(program, withRule(plan, 'peer'))).toEqual([]);
  });

  it('batched 1F1B on two devices takes (m + 1)(F + B + c): a batch of both directions costs both devices c once', () => {
    for (const count of [1, 2, 5, 12]) {
      const plan = withRule(recipePlan({ ...recipe('1f1b'), devices: 2, microbatches: count }), 'peer');
      // Down and up at either end, and between them m − 1 batches of one F down and one B up.
      expect(runs(plan).timeline?.makespan).toBeCloseTo((count + 1) * (F + B) + (count + 1) * c, 9);
    }
  });

  it('GPipe runs without batches: (m + p − 1)(F + B) and, a stage and microbatch, what its neighbours take', () => {
    const { timeline } = runs(withRule(recipePlan(recipe('gpipe')), 'none'));
    // An inner device receives and sends every microbatch: its period is F + 2c forwards, B + 2c backwards.
    const expected = (m + p - 1) * (F + B) + 2 * (p - 1) * c + (m - 1) * 4 * c;
    expect(timeline?.makespan).toBeCloseTo(expected, 9);
  });
});
