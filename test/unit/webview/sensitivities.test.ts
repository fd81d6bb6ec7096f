import { expect, it } from 'vitest';
import type { PipelinePlan } from '../../../engine/plan.ts';
import { iterationOf, withStageTimes } from '../../../engine/sensitivity.ts';
import { evaluate } from '../../../engine/evaluate.ts';
import { defaultOptions } from '../../../engine/host.ts';
import type { FromWorker, ToWorker } from '../../../webview/worker/messages.ts';
import { sensitivities } from '../../../webview/session/sensitivities.ts';
import { analyseExample } from '../../support/analyse.ts';
import { policy, recipePlan } from '../support/plans.ts';

/** Workers that run what they are sent when told to. */
function harness() {
  const sent: { readonly message: ToWorker; readonly reply: (message: FromWorker) => void }[] = [];
  let stopped = 0;
  let found = 0;
  const made = sensitivities(
    (receive) => ({
      send: (message) => void sent.push({ message, reply: receive }),
      stop: () => void (stopped += 1),
    }),
    () => (found += 1),
  );
  const answer = (index: number) => {
    const { message, reply } = sent[index];
    if (message.type !== 'iterate') throw new Error(message.type);
    reply({ type: 'iterated', id: message.id, iteration: iterationOf(message.plan) });
  };
  return { made, sent, answer, stopped: () => stopped, found: () => found };
}

const plan = recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b'), forward: [2, 3, 2, 2], latency: 0.5 });

it('is the difference to the pipeline with a stage that takes nine tenths of its time', () => {
  const { made, answer } = harness();
  const iteration = iterationOf(plan) ?? NaN;
  const direct: PipelinePlan = {
    ...plan,
    stages: plan.stages.map((stage, index) =>
      index === 1 ? { ...stage, forward: 2.7, backwardInput: 0.9, backwardWeight: 0.9 } : stage,
    ),
  };
  expect(made.change(plan, 1, iteration)).toBeUndefined();
  made.want(plan, [1]);
  answer(0);
  const expected = (evaluate(direct, defaultOptions).run?.report.iteration ?? NaN) - iteration;
  expect(expected).toBeLessThan(0);
  expect(made.change(plan, 1, iteration)).toBeCloseTo(expected, 12);
});

it('simulates each stage of a plan once, and of those that wait the newest', () => {
  const { made, sent, answer, found } = harness();
  made.want(plan, [0]);
  made.want(plan, [1]);
  made.want(plan, [2]);
  expect(sent).toHaveLength(1);
  answer(0);
  answer(1);
  made.want(plan, [0]);
  made.want(plan, [2]);
  expect(sent).toHaveLength(2);
  expect(found()).toBe(2);
  expect(made.change(plan, 1, 1)).toBeUndefined();
});

it('simulates the stages of a device one after the other', () => {
  const { made, sent, answer } = harness();
  made.want(plan, [3, 1]);
  expect(sent).toHaveLength(1);
  answer(0);
  answer(1);
  for (const stage of [3, 1]) expect(made.change(plan, stage, 0)).toBe(iterationOf(withStageTimes(plan, stage, 0.9)));
});

it('stops the simulation of a plan that is no longer on show, and drops its answer', () => {
  const { made, answer, stopped, found } = harness();
  const other = { ...plan };
  made.want(plan, [0]);
  made.want(other, [0]);
  expect(stopped()).toBe(1);
  answer(0);
  expect(found()).toBe(0);
  answer(1);
  expect(made.change(other, 0, 0)).toBe(iterationOf(withStageTimes(plan, 0, 0.9)));
  expect(made.change(plan, 0, 0)).toBeUndefined();
});

it.each([
  'quickstart.pipe',
  'systems/pipedream.pipe',
  'systems/seq1f1b.pipe',
  'systems/chimera.pipe',
  'systems/rendezvous.pipe',
])('iterates as the report of %s says', (name) => {
  for (const { plan: each, run } of analyseExample(name).pipelines)
    if (run !== undefined) expect(iterationOf(each)).toBe(run.report.iteration);
});

it('makes all copies and parts of a stage faster', () => {
  const [{ plan: parts }] = analyseExample('systems/seq1f1b.pipe').pipelines.slice(1);
  const faster = withStageTimes(parts, 0, 0.9);
  expect(parts.stages.filter(({ copy }) => copy?.stage === 0).length).toBeGreaterThan(1);
  for (const [index, stage] of faster.stages.entries())
    expect(stage.forward).toBe(parts.stages[index].forward * (stage.copy?.stage === 0 ? 0.9 : 1));
});
