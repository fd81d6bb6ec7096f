import { describe, expect, it } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { after, analyse, fixesOf } from '../../support/analyse.ts';
import { resolveText } from '../../support/resolve.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { scheduleText } from '../../../engine/schedule/rowsText.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { pipelineOf } from '../sequences/written.ts';
import { namesOf, programFor, simulated } from './bruteForce.ts';

/** 1F1B with R just before each B. */
const ahead = `schedule mine {
  let warm(d) = min(stages - d, microbatches)
  row(d) = F[0..<warm(d)], each(j in 0..<microbatches - warm(d), R[j], B[j], F[j + warm(d)]),
    each(j in microbatches - warm(d)..<microbatches, R[j], B[j])
}`;

const planOf = (text: string): PipelinePlan => {
  const [plan] = resolveText(
    text.replace(/\n}\s*$/, '}').replace('stages = balance', 'recompute = full  stages = balance'),
  ).plan.pipelines;
  if (plan === undefined) throw new Error('no plan');
  return plan;
};

describe('R in rows', () => {
  it('before each B is 1F1B with recomputation ahead: the same order and the same time', () => {
    for (let devices = 1; devices <= 5; devices += 1) {
      for (let microbatches = 1; microbatches <= 9; microbatches += 1) {
        const rows = planOf(pipelineOf(ahead, { devices, microbatches }));
        const built = planOf(pipelineOf('', { devices, microbatches, use: '1f1b(recompute = ahead)' }));
        expect(namesOf(programFor(rows))).toEqual(namesOf(programFor(built)));
        expect(simulated(rows).makespan).toBe(simulated(built).makespan);
      }
    }
  });
  it('takes the time of the recomputation out of the backward', () => {
    // Two stages of 4 ms and 8 ms. With R inside of B and without.
    const inside = planOf(pipelineOf('schedule mine { row(d) = F[0..3], B[0..3] }'));
    const apart = planOf(pipelineOf('schedule mine { row(d) = F[0..3], each(j in 0..3, R[j], B[j]) }'));
    expect(programFor(inside).apart).toBeUndefined();
    expect([...(programFor(apart).apart ?? [])]).toEqual([1, 1]);
    // Both devices run their forwards until 20 ms. The second one then takes 12 ms for each backward, with or without R; the
    // first one has recomputed by then, and ends 8 ms after it in place of 12 ms.
    const iteration = (plan: PipelinePlan) => evaluate(plan, defaultOptions).run?.report.iteration ?? NaN;
    expect(iteration(inside) - iteration(apart)).toBeCloseTo(0.004, 9);
  });
  it('of one device: stages without an R keep everything and recompute nothing', () => {
    const rows = (first: string) =>
      planOf(pipelineOf(`schedule mine { row(d) = ${first}  row(1) = F[0..3], each(j in 0..3, R[j], B[j]) }`));
    const plan = rows('F[0..3], B[0..3]');
    expect(programFor(plan).split).toBe(false);
    // Stages of 4 ms and 8 ms: with an R, device 0 is busy for 4 ms longer with each microbatch.
    const busy = (of: PipelinePlan) => evaluate(of, defaultOptions).run?.report.devices.map((device) => device.busy);
    const all = rows('F[0..3], each(j in 0..3, R[j], B[j])');
    const [kept, recomputed] = [busy(plan) ?? [], busy(all) ?? []];
    expect(recomputed[0] - kept[0]).toBeCloseTo(4 * 0.004, 9);
    expect(recomputed[1]).toBe(kept[1]);
  });
});

describe('what a text says of recomputation', () => {
  /** The last microbatch is not recomputed, so that one microbatch has no R. */
  const allButLast = `schedule mine { row(d) = F[0..<microbatches], B[microbatches-1],
    each(j in microbatches-2..0 step -1, R[j], B[j]) }`;
  const busy = (text: string, microbatches: number): number | undefined => {
    const plan = planOf(pipelineOf(text, { devices: 2, microbatches }));
    return evaluate(plan, defaultOptions).run?.report.devices[0].busy;
  };
  it('holds for shapes whose rows have no R', () => {
    // Stages of F 4 ms and B 8 ms: each R takes 4 ms more.
    for (let microbatches = 1; microbatches <= 4; microbatches += 1)
      expect(busy(allButLast, microbatches), `m = ${microbatches}`).toBeCloseTo(0.016 * microbatches - 0.004, 9);
  });
  it('is read from names that rows use, and from rows of other devices', () => {
    const never = 'if(microbatches > 9, R[0], [])';
    const plain = 'F[0..<microbatches], B[0..<microbatches]';
    expect(busy(`schedule mine { row(d) = ${plain} }`, 1)).toBeCloseTo(0.016, 9);
    expect(busy(`schedule mine { let a = ${never}  let b(n) = a  row(d) = ${plain}, b(1) }`, 1)).toBeCloseTo(0.012, 9);
    expect(busy(`schedule mine { row(d) = ${plain}  row(1) = ${plain}, ${never} }`, 1)).toBeCloseTo(0.012, 9);
    // No row uses the name.
    expect(busy(`schedule mine { let a = ${never}  row(d) = ${plain} }`, 1)).toBeCloseTo(0.016, 9);
  });
  it('is taken over with the rows, and may be written outright', () => {
    const plain = 'F[0..<microbatches], B[0..<microbatches]';
    const base = allButLast.replace('mine', 'base');
    expect(busy(`${base}\nschedule mine { from = base  row(0) = ${plain} }`, 3)).toBeCloseTo(0.036, 9);
    // Another row of all devices leaves no R.
    expect(busy(`${base}\nschedule mine { from = base  row(d) = ${plain} }`, 3)).toBeCloseTo(0.048, 9);
    expect(busy(`schedule mine { recompute = written  row(d) = ${plain} }`, 3)).toBeCloseTo(0.036, 9);
    expect(busy(`schedule mine { recompute = with_backward  row(d) = ${plain} }`, 3)).toBeCloseTo(0.048, 9);
  });
  it('may not contradict its rows', () => {
    const text = pipelineOf(allButLast.replace('{', '{ recompute = with_backward '));
    const [finding, ...others] = analyse(text).findings.filter(({ severity }) => severity === 'error');
    expect(others).toEqual([]);
    expect(finding.message).toBe('Expected `written`, because a row has an R, found `with_backward`.');
    expect(finding.related.map(({ place }) => text.slice(place.start, place.end))).toEqual(['R[j]']);
    const rule = pipelineOf('schedule mine { recompute = written  order = greedy(prefer = [B, F]) }');
    expect(analyse(rule).findings.map(({ code }) => code)).toContain('key/not-applicable');
  });
  it('is kept in the text of an order', () => {
    const plan = planOf(pipelineOf(allButLast, { microbatches: 1 }));
    const text = scheduleText(programFor(plan), 'mine', []) ?? '';
    expect(text).toContain('recompute = written');
    expect(busy(text, 1)).toBeCloseTo(0.012, 9);
  });
  it('is the same in tests: a backward without R takes 2', () => {
    const test = 'expect mine { over(devices = 1, microbatches = 1..6)  iteration == 4 * microbatches - 1 }';
    expect(analyse(`${allButLast}\n${test}`).findings).toEqual([]);
  });
});

const faultsOf = (plan: PipelinePlan): readonly string[] =>
  validate(programFor(plan), plan).map(({ code, message }) => `${code}: ${message}`);

describe('R that cannot be', () => {
  const found = (text: string): readonly string[] => faultsOf(planOf(pipelineOf(`schedule mine { row(d) = ${text} }`)));
  it('twice, after its backward, or before its forward', () => {
    expect(found('F[0..3], R[0], R[0], B[0..3]')[0]).toContain(
      'schedule/repeated: 0R0 on gpu[0] appears more than once',
    );
    expect(found('F[0..3], B[0..3], R[0]')[0]).toContain('schedule/deadlock');
    expect(found('R[0], F[0..3], B[0..3]')[0]).toContain('schedule/deadlock');
  });
});

describe('R that recomputes nothing', () => {
  const rows = 'schedule mine { row(d) = F[0..3], each(j in 0..3, R[j], B[j]) }';
  const rule = 'schedule mine { order = greedy(prefer = [B, R, F])  in_flight(s) = 4 }';
  const found = (text: string) => analyse(text).findings.filter(({ code }) => code === 'key/not-applicable');
  it('is a hint at the first R, and at the schedule for a rule', () => {
    const text = pipelineOf(rows);
    const [finding, ...others] = found(text);
    expect(others).toEqual([]);
    expect(finding.severity).toBe('hint');
    expect(finding.message).toContain('"R" has no effect here: no stage recomputes anything, so it takes 0 s');
    expect(text.slice(finding.place.start, finding.place.end)).toBe('each(j in 0..3, R[j], B[j])');
    const byRule = pipelineOf(rule);
    const [atUse] = found(byRule);
    expect(byRule.slice(atUse.place.start, atUse.place.end)).toBe('mine');
  });
  it('is gone once the pipeline recomputes, which the fix writes', () => {
    const analysis = analyse(pipelineOf(rows));
    const [fix, ...others] = fixesOf(analysis, 'key/not-applicable');
    expect(others).toEqual([]);
    const fixed = after(analysis, fix);
    expect(fixed.syntax.text).toContain('recompute = full');
    expect(found(fixed.syntax.text)).toEqual([]);
    // Without R there is nothing to say.
    expect(found(pipelineOf('schedule mine { row(d) = F[0..3], B[0..3] }'))).toEqual([]);
  });
});
