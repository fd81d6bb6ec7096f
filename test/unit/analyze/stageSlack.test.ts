import { describe, expect, it } from 'vitest';
import { isOfStage, iterationIn, iterationWith, secondsForMicrobatch } from '../../../engine/analyze/scaledRuns.ts';
import { slackWords } from '../../../engine/analyze/slackWords.ts';
import { stageSlack } from '../../../engine/analyze/stageSlack.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import type { Timeline } from '../../../engine/values/timeline.ts';
import * as fc from '../../support/property.ts';
import { runOf } from '../../support/analyse.ts';
import { policy, recipePlan, type Recipe } from '../support/plans.ts';

function timelineOf(plan: PipelinePlan): Timeline {
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  if (timeline === undefined) throw new Error('deadlock');
  return timeline;
}
function slackOf(recipe: Recipe, stage: number): number | undefined {
  const plan = recipePlan(recipe);
  return stageSlack(plan, timelineOf(plan), stage);
}
const even = (times: readonly number[]) => ({ forward: times, backwardInput: times, backwardWeight: [0] });

describe('slack of a stage', () => {
  it('up to the slowest stage: of GPipe what the slowest takes more', () => {
    const recipe = { devices: 3, microbatches: 6, schedule: policy('gpipe'), ...even([1, 3, 1.5]) };
    expect(slackOf(recipe, 0)).toBeCloseTo(4, 9);
    expect(slackOf(recipe, 1)).toBe(0);
    expect(slackOf(recipe, 2)).toBeCloseTo(3, 9);
  });

  it('of 1F1B on two devices: the difference, however many microbatches there are', () => {
    for (const microbatches of [4, 12, 40]) {
      const recipe = { devices: 2, microbatches, schedule: policy('1f1b'), forward: [1, 3] };
      // F + B = 3 and 5.
      expect(slackOf(recipe, 0)).toBeCloseTo(2, 9);
      expect(slackOf(recipe, 1)).toBe(0);
    }
  });

  it('of equal stages is 0, and of one microbatch without end', () => {
    const recipe = { devices: 4, schedule: policy('1f1b') };
    expect([0, 1, 2, 3].map((stage) => slackOf({ ...recipe, microbatches: 12 }, stage))).toEqual([0, 0, 0, 0]);
    expect(slackOf({ ...recipe, microbatches: 1 }, 2)).toBeUndefined();
  });

  it('is not looked for in a large pipeline', () => {
    const recipe = { devices: 2, schedule: policy('gpipe'), ...even([1, 3]) };
    // 4 operations for each microbatch.
    expect(slackOf({ ...recipe, microbatches: 25_000 }, 0)).toBeCloseTo(4, 3);
    expect(slackOf({ ...recipe, microbatches: 25_001 }, 0)).toBeUndefined();
  });

  it('of an asynchronous pipeline keeps its period', () => {
    const [{ plan, run }] = [
      runOf(`
model m { layer l[6] { forward = 1ms  backward = 2ms } }
device d { memory = 1GiB }
cluster c { gpu[3] = d  link = 1000GB/s }
pipeline train { model = m  devices = c  microbatches = 1  iterations = 64  schedule = pipedream
  stage a { layers = l[0] } stage b { layers = l[1..3] } stage e { layers = l[4..5] } }
`),
    ];
    expect(run.report.asynchronous?.steady).toBe(true);
    // 9 ms in the slowest stage, 3 and 6 in the others.
    expect(stageSlack(plan, run.timeline, 0)).toBeCloseTo(0.006, 9);
    expect(stageSlack(plan, run.timeline, 1)).toBe(0);
    expect(stageSlack(plan, run.timeline, 2)).toBeCloseTo(0.003, 9);
  });

  it('is the longest time that costs the iteration no more than itself', () => {
    const times = fc.array(fc.double({ min: 0.5, max: 3, noNaN: true }), { minLength: 3, maxLength: 3 });
    const schedule = fc.constantFrom('gpipe', '1f1b', 'zb_h1');
    const given = fc.record({ times, name: schedule, microbatches: fc.integer({ min: 2, max: 9 }), stage: fc.nat(2) });
    fc.assert(
      fc.property(given, ({ times: forward, name, microbatches, stage }) => {
        const plan = recipePlan({ devices: 3, microbatches, schedule: policy(name), forward, latency: 0.1 });
        const timeline = timelineOf(plan);
        const slack = stageSlack(plan, timeline, stage);
        const time = secondsForMicrobatch(plan, timeline, stage);
        expect(time).toBeCloseTo(forward[stage] + 2, 9);
        const cost = (more: number): number => {
          const row = (at: number) => (isOfStage(plan, timeline.program, stage, at) ? 1 + more / time : 1);
          return (iterationWith(timeline, { row }) ?? NaN) - iterationIn(timeline);
        };
        if (slack === undefined) {
          expect(cost(100 * time)).toBeLessThan(101 * time);
          return;
        }
        expect(cost(slack)).toBeLessThanOrEqual(slack + 1e-6);
        const more = slack + time * 1e-2;
        expect(cost(more)).toBeGreaterThan(more);
      }),
    );
  });

  it('reads as a time per microbatch', () => {
    expect(slackWords(0.0036)).toBe('slack 3.6 ms per microbatch');
    expect([slackWords(0), slackWords(1e-10), slackWords(undefined), slackWords(NaN)]).toEqual([
      'no slack',
      'no slack',
      undefined,
      undefined,
    ]);
  });
});
