import { describe, expect, it } from 'vitest';
import { jitterReport } from '../../../engine/analyze/jitterReport.ts';
import { percentile } from '../../../engine/order/jitter.ts';
import { pairedDraws } from '../../../engine/analyze/pairedDraws.ts';
import { fasterShare, gainText, pairedWords } from '../../../engine/analyze/pairedWords.ts';
import { iterationsUnderJitter } from '../../../engine/simulate/draws.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { runOf } from '../../support/analyse.ts';
import { policy, recipePlan, type Recipe } from '../support/plans.ts';

function drawsOf(recipe: Recipe, more: Partial<PipelinePlan> = {}): Float64Array {
  const bare = recipePlan(recipe);
  const plan = { ...bare, jitter: bare.stages.map(() => 0.1), ...more };
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  if (timeline === undefined) throw new Error('deadlock');
  return iterationsUnderJitter(plan, timeline);
}
const values = (...all: readonly number[]) => Float64Array.from(all);

describe('draws in pairs', () => {
  it('compare the same draw of both, not their order by length', () => {
    // Sorted, both would be equal.
    expect(pairedDraws(values(1, 4, 2, 3), values(2, 1, 4, 3))).toEqual({
      draws: 4,
      faster: 0.5,
      gain: { p5: -3, p50: 0, p95: 0.5 },
    });
  });

  it('are as many as both have, and none of certain times', () => {
    expect(pairedDraws(values(1, 1, 1), values(2, 2))?.draws).toBe(2);
    expect(pairedDraws(values(1), values(2, 2))).toBeUndefined();
    expect(pairedDraws(values(2, 2), values(1))).toBeUndefined();
  });

  it('of equal work are equal in every draw, in any order and on a slow device', () => {
    const recipe = { devices: 1, microbatches: 12, schedule: policy('1f1b') };
    const own = drawsOf(recipe);
    // One device does the same operations in another order.
    const other = pairedDraws(drawsOf({ ...recipe, schedule: policy('gpipe') }), own);
    expect(other?.faster).toBe(0);
    expect(other?.gain.p95).toBeCloseTo(0, 12);
    // 1.25 times the time in every draw: the other way round a fifth is saved.
    const slow = drawsOf(recipe, { slow: [1.25] });
    expect(pairedDraws(slow, own)?.faster).toBe(0);
    expect(pairedDraws(own, slow)).toMatchObject({ draws: 1000, faster: 1 });
    for (const gain of Object.values(pairedDraws(own, slow)?.gain ?? {})) expect(gain).toBeCloseTo(0.2, 12);
    for (const gain of Object.values(pairedDraws(slow, own)?.gain ?? {})) expect(gain).toBeCloseTo(-0.25, 12);
  });

  it('of two schedules have less spread than either of them', () => {
    const recipe = { devices: 4, microbatches: 16 };
    const [one, zero] = ['1f1b', 'zb_h1'].map((name) => drawsOf({ ...recipe, schedule: policy(name) }));
    const paired = pairedDraws(zero, one);
    const spread = (draws: Float64Array) => jitterReport(draws).p95 - percentile(draws.toSorted(), 0.05);
    const range = (paired?.gain.p95 ?? NaN) - (paired?.gain.p5 ?? NaN);
    expect(paired?.faster).toBe(1);
    expect(range).toBeGreaterThan(0);
    expect(range * jitterReport(one).p50).toBeLessThan(spread(one) + spread(zero));
  });

  it('read as a share of the draws and a range', () => {
    const words = (faster: number, p5: number, p95: number) =>
      pairedWords({ draws: 1000, faster, gain: { p5, p50: 0, p95 } });
    expect(words(0.94, 0.008, 0.031)).toBe('faster in 94 % of draws; gain 0.8…3.1 %');
    expect(words(0.43, -0.012, 0.004)).toBe('faster in 43 % of draws; gain −1.2…0.4 %');
    expect(gainText({ p5: 0.2, p50: 0.2, p95: 0.2 })).toBe('20 %');
    expect([1, 0.9999, 0.5, 0.0001, 0].map(fasterShare)).toEqual(['100 %', '> 99.9 %', '50 %', '< 0.1 %', '0 %']);
  });
});

describe('the report of draws', () => {
  it('has percentiles that so many draws do not exceed, and counts them in equal intervals', () => {
    const draws = Float64Array.from({ length: 100 }, (_, at) => ((at * 37) % 100) + 1);
    const report = jitterReport(draws);
    expect(report).toMatchObject({ draws: 100, mean: 50.5, p50: 50, p95: 95, p99: 99, least: 1, most: 100 });
    expect(draws[0]).toBe(1);
    expect(draws[1]).toBe(38);
    const { counts = [] } = report;
    expect(counts).toHaveLength(32);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100);
    // 99 / 32 = 3.09 wide: from 1 to under 4.09 in the first, from 96.9 on in the last.
    expect([counts[0], counts.at(-1)]).toEqual([4, 4]);
  });

  it('counts nothing of certain times', () => {
    expect(jitterReport(values(3))).toEqual({ draws: 1, mean: 3, p50: 3, p95: 3, p99: 3, least: 3, most: 3 });
  });

  it('is of the draws that the run keeps, by draw', () => {
    const { run } = runOf(`
model m { layer l[4] { forward = 1ms  backward = 2ms } }
device d { memory = 1GiB }
cluster c { gpu[2] = d  link = 1GB/s }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(2)  schedule = 1f1b  jitter = 5% }
`);
    const { draws, report } = run;
    if (draws === undefined) throw new Error('no draws');
    expect(report.jitter).toEqual(jitterReport(draws));
    expect(draws).not.toEqual(draws.toSorted());
  });
});
