import { describe, expect, it, test } from 'vitest';
import { answerOf } from '../../../../engine/policies/searched/answers.ts';
import { searchReport } from '../../../../engine/analyze/searchReport.ts';
import { search } from '../../../../engine/policies/builtin/search.ts';
import { shapeOf } from '../../../../engine/policies/shape.ts';
import type { PipelinePlan, PolicyArgument } from '../../../../engine/values/plan.ts';
import { generate, orderSteps } from '../../../../engine/schedule/generate.ts';
import { validate } from '../../../../engine/schedule/validate.ts';
import { shareAtMost } from '../../../../engine/basics/quantities.ts';
import { openGap } from './openGap.ts';
import { analyse } from '../../../support/analyse.ts';
import * as fc from '../../../support/property.ts';
import { namesOf, programFor } from '../bruteForce.ts';
import { policyPlan } from '../plans.ts';
import { bytes, heldBy, longestSpan, makespan, pipelines, under } from '../zbAuto/pipelines.ts';

/** Bytes of one microbatch on the stage that takes most. */
const most = ({ stages }: PipelinePlan): number =>
  Math.max(...stages.map(({ activation, activationForWeight }) => Math.max(activation, activationForWeight)));

type Arguments = Readonly<Record<string, PolicyArgument>>;

const searched = (plan: PipelinePlan, args: Arguments): PipelinePlan => ({
  ...plan,
  schedule: { kind: 'policy', name: 'search', args: { effort: 0, ...args } },
});

const named = (plan: PipelinePlan, name: string): PipelinePlan => ({
  ...plan,
  schedule: { kind: 'policy', name, args: {} },
});

describe('the policy search', () => {
  it('is never longer than zb_auto, and keeps the limit at each moment', () => {
    fc.assert(
      fc.property(pipelines({ devices: 5, microbatches: 9 }), fc.integer({ min: 0, max: 20 }), (bare, more) => {
        const limit = most(bare) + more;
        for (const objective of ['end', 'span'] as const) {
          const plan = searched(bare, { limit: bytes(limit), objective });
          const program = programFor(plan);
          expect(validate(program, plan)).toEqual([]);
          for (const held of heldBy(plan, program)) expect(held).toBeLessThanOrEqual(limit);
          const other = under(bare, bytes(limit), objective === 'end' ? 'makespan' : 'span');
          const length = objective === 'end' ? makespan : longestSpan;
          expect(length(plan, program)).toBeLessThanOrEqual(length(other, programFor(other)) + 1e-9);
          const answer = answerOf(shapeOf(plan));
          expect(makespan(plan, program)).toBeCloseTo(answer.makespan / answer.perSecond, 9);
          expect(answer.bound).toBeLessThanOrEqual(answer.makespan);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is never longer than any policy that fits the limit', () => {
    fc.assert(
      fc.property(pipelines({ devices: 5, microbatches: 9 }), fc.integer({ min: 0, max: 40 }), (bare, more) => {
        const limit = most(bare) + more;
        const found = makespan(bare, programFor(searched(bare, { limit: bytes(limit) })));
        for (const name of ['gpipe', '1f1b', 'eager_1f1b', 'zb_h1', 'zb_h2']) {
          const plan = named(bare, name);
          const program = programFor(plan);
          // Where W needs more than F kept, only a whole backward does without those bytes.
          const isSplit = program.split || bare.stages.every((each) => each.activationForWeight <= each.activation);
          if (isSplit && heldBy(plan, program).every((held) => held <= limit))
            expect(found, name).toBeLessThanOrEqual(makespan(plan, program) + 1e-9);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('meets the closed forms: 3m + p − 1 with a limit of p, and no idle time within a span with 2p − 1', () => {
    for (const [p, m] of [
      [2, 4],
      [4, 8],
      [6, 13],
    ]) {
      const one = searched(policyPlan('search', p, m), { limit: p, effort: 1 });
      expect(makespan(one, programFor(one))).toBe(3 * m + p - 1);
      const two = searched(policyPlan('search', p, Math.max(m, 2 * p - 1)), { limit: 2 * p - 1, objective: 'span' });
      expect(longestSpan(two, programFor(two))).toBe(3 * Math.max(m, 2 * p - 1));
      // A whole backward: (m + p − 1)(F + B).
      const whole = searched(policyPlan('search', p, m), { backward: 'whole' });
      expect(makespan(whole, programFor(whole))).toBe(3 * (m + p - 1));
      expect(
        namesOf(programFor(whole))
          .flat()
          .some((name) => name.startsWith('W')),
      ).toBe(false);
    }
  });

  it.each(['v_shape', 'loop'])(
    'puts two chunks on a device as %s, and is no longer than the policies that do',
    (placement) => {
      const others = { v_shape: ['zb_v', 'v_half', '1f1b_v'], loop: ['interleaved_1f1b', 'interleaved_zb'] }[placement];
      const run = (schedule: string) => {
        const [{ plan, run: simulated }] = analyse(twoChunks(schedule)).pipelines;
        if (simulated === undefined) throw new Error(schedule);
        return { plan, ...simulated };
      };
      const found = run(`search(chunks = 2, placement = ${placement}, effort = 0)`);
      expect(validate(found.program, found.plan)).toEqual([]);
      const expected = placement === 'loop' ? [0, 1, 2, 0, 1, 2] : [0, 1, 2, 2, 1, 0];
      expect([...found.program.placement]).toEqual(expected);
      for (const name of others ?? [])
        expect(found.report.iteration, name).toBeLessThanOrEqual(run(name).report.iteration + 1e-12);
      const tight = run(`search(chunks = 2, placement = ${placement}, effort = 0, limit = 2)`);
      // Two microbatches of two chunks of 8 MiB.
      for (const { memory } of tight.report.devices)
        expect(memory.activations).toBeLessThanOrEqual(2 * 2 * 8 * 2 ** 20);
      expect(tight.report.iteration).toBeGreaterThan(found.report.iteration);
    },
  );

  it('certifies its order in the report, and an expectation may ask for the gap', () => {
    const text = twoChunks('search(chunks = 2, effort = 0)');
    const [{ run }] = analyse(text).pipelines;
    const { iteration, search: certificate } = run?.report ?? {};
    if (certificate === undefined) throw new Error('no certificate');
    expect(certificate.makespan).toBe(iteration);
    expect(certificate.bound).toBeLessThanOrEqual(certificate.makespan);
    expect(certificate.gap).toBeCloseTo((certificate.makespan - certificate.bound) / certificate.bound, 12);
    expect(certificate.status).toBe(certificate.gap === 0 ? 'optimal' : 'within');
    const expecting = (condition: string) =>
      analyse(`${text}expect train { ${condition} }\n`).findings.filter(({ code }) => code === 'expect/failed');
    expect(expecting('gap < 100%')).toHaveLength(0);
    expect(expecting(`gap < ${certificate.gap * 50}%`).length).toBe(certificate.gap > 0 ? 1 : 0);
    expect(expecting(`iteration_bound == ${certificate.bound}s`)).toHaveLength(0);
    const optimal = analyse(oneChunk('search')).pipelines[0].run?.report.search;
    expect(optimal).toMatchObject({ status: 'optimal', gap: 0 });
    expect(analyse(oneChunk('zb_h1')).pipelines[0].run?.report.search).toBeUndefined();
  });

  it('certifies the longest span if that is the objective, with a barrier or without', () => {
    for (const barrier of [true, false]) {
      const report = (schedule: string) => {
        const found = analyse(spanned(schedule, barrier)).pipelines[0].run?.report;
        if (found === undefined) throw new Error(schedule);
        return { ...found, longest: Math.max(...found.devices.map(({ span }) => span)) };
      };
      const found = report('search(objective = span, limit = 5)');
      expect(found.search).toMatchObject({
        objective: 'span',
        span: { longest: found.longest, status: 'optimal', gap: 0 },
      });
      expect(found.search?.span?.bound).toBeCloseTo(found.longest, 12);
      const other = report('search(limit = 5)');
      expect(other.search?.objective).toBe('end');
      expect(other.search).not.toHaveProperty('span');
      expect(found.longest).toBeLessThanOrEqual(other.longest);
      // More memory than an order can use: no device waits within its span, but for what has to come first.
      expect(found.longest).toBeGreaterThan(report('search(objective = span, limit = 8)').longest);
    }
  });

  it('claims no span that the simulation does not confirm: if transfers queue, a device may start later', () => {
    const [{ run, plan }] = analyse(spanned('search(objective = span, limit = 5)', true)).pipelines;
    if (run === undefined) throw new Error('no run');
    const { timeline } = run;
    const late = { ...timeline, first: timeline.first.map((start, device) => start + (device === 2 ? 1e-4 : 0)) };
    const proof = searchReport(plan, late, () => 0)?.span;
    expect(proof?.bound).toBeCloseTo(Math.max(...timeline.busy), 12);
    expect(proof?.status).toBe('within');
  });

  it('can pause, and gives the same order at once afterwards', () => {
    const plan = searched(policyPlan('search', 4, 9, { f: 3, i: 4, w: 2, transfer: 0.5 }), { limit: 3, effort: 1 });
    let pauses = 0;
    for (const _ of orderSteps(plan)) pauses += 1;
    expect(pauses).toBeGreaterThan(2);
    const before = answerOf(shapeOf(plan));
    expect(answerOf(shapeOf({ ...plan }))).toEqual(before);
  });

  test.each([
    ['search(chunks = 3)', /chunks/],
    ['search(effort = 1001)', /effort/],
    ['search(placement = loop)', /placement = loop needs two chunks on each device; write chunks = 2/],
    ['search(chunks = 2, placement = linear)', /write v_shape or loop for two chunks/],
    ['search(limit = 1MiB)', /a limit of 1 MiB is less than the 8 MiB that one microbatch keeps on device 0/],
    ['search(limit = 0)', /limit/],
  ])('%s is refused with the reason', (schedule, reason) => {
    const { findings } = analyse(schedule.includes('chunks = 2') ? twoChunks(schedule) : oneChunk(schedule));
    expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      expect.stringMatching(reason),
    ]);
  });

  it('is refused for microbatches of different lengths', () => {
    const plan = policyPlan('search', 2, 2);
    const lengths = { kinds: [1, 2], kind: [0, 1] } as unknown as NonNullable<PipelinePlan['lengths']>;
    const generated = generate({ ...plan, lengths });
    expect('faults' in generated && generated.faults[0].message).toMatch(/its microbatches have different lengths/);
  });

  it('explains a small gap as more than none, and says the same least end as the report', () => {
    const { plan, run } = analyse(openGap).pipelines.at(0) ?? {};
    if (plan === undefined || run?.report.search === undefined) throw new Error('not searched');
    const { search: certificate, bubble, devices } = run.report;
    expect(certificate.gap).toBeGreaterThan(0);
    expect(certificate.gap).toBeLessThan(2e-3);
    const line = search.explain(shapeOf(plan)).find((each) => each.startsWith('end:'));
    expect(line).toContain(`at most ${shareAtMost(certificate.gap)} above the least possible`);
    expect(line).not.toContain('at most 0 %');
    // The bound of the bubble is for the same end.
    const work = devices.reduce((sum, { busy }) => sum + busy, 0) / devices.length;
    expect(work / (1 - bubble.bound)).toBeCloseTo(certificate.bound, 9);
  });

  it('explains its limit, where its order comes from, and how sure it is', () => {
    const lines = search.explain(shapeOf(searched(policyPlan('search', 4, 8), { limit: 4, effort: 1 })));
    expect(lines).toEqual([
      'limit: the activations of 4 microbatches on a device',
      expect.stringMatching(
        /^order: zb_h1, because no shorter one was found, after 0 % of the effort \(1\); generator seed \d+$/,
      ),
      'end: 27 s, and it is proven that no order within the limit of 4 microbatches on each device ends sooner',
      'longest span: 27 s',
    ]);
  });
});

const cluster = `device gpu { memory = 16GiB }
cluster box { gpu[3] = gpu  link = 25GB/s + 50us }
`;

const spanned = (schedule: string, barrier: boolean) => `device gpu { memory = 16GiB }
cluster box { gpu[8] = gpu  link = 25GB/s + 50us }
model net { layer block[4] { forward = 5ms  backward_input = 6ms  backward_weight = 4ms  activation = 8MiB  output = 1MiB  weights = 1MiB } }
pipeline train {
  model = net  devices = box  data = 2  microbatches = 12  stages = balance(4)  schedule = ${schedule}
  sync = overlap(order = forward, barrier = ${barrier})
}
`;

const twoChunks = (schedule: string) => `${cluster}
model net {
  layer block[5] { forward = 2ms  backward_input = 3ms  backward_weight = 1ms  activation = 8MiB  weights = 1MiB }
  layer head { forward = 3ms  backward_input = 3ms  backward_weight = 3ms  activation = 8MiB  weights = 1MiB }
}
pipeline train { model = net  devices = box  microbatches = 6  stages = split(1, 1, 1, 1, 1, 1)  schedule = ${schedule} }
`;

const oneChunk = (schedule: string) => `${cluster}
model net { layer block[3] { forward = 2ms  backward_input = 2ms  backward_weight = 2ms  activation = 8MiB  weights = 1MiB } }
pipeline train { model = net  devices = box  microbatches = 6  stages = split(1, 1, 1)  schedule = ${schedule} }
`;
