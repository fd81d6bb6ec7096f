import { expect, test } from 'vitest';
import { evaluation } from '../../../engine/evaluate.ts';
import { defaultOptions } from '../../../engine/host.ts';
import { type PlanProblem, planSearch } from '../../../engine/planning/cut/planners/planSearch.ts';
import { runSearch, type Search } from '../../../engine/searches.ts';
import { createThreads } from '../../../server/threads.ts';
import { plannerLayers } from '../planning/planners/plans.ts';
import { recipePlan, policy } from '../support/plans.ts';

const problem = {
  plan: recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b') }),
  options: defaultOptions,
};

test('an answer from a thread is the answer', async () => {
  const threads = createThreads();
  expect(await threads.run('a', evaluation, problem).answer).toEqual(runSearch(evaluation, problem));
  // The second one comes from the same thread.
  expect(await threads.run('a', evaluation, problem).answer).toEqual(runSearch(evaluation, problem));
  threads.close();
});

test('where no thread can be had, the work is done here in slices', async () => {
  const threads = createThreads(() => new URL('file:///nowhere/thread.js'));
  const running = Array.from({ length: 3 }, () => threads.run('a', evaluation, problem));
  for (const { answer } of running) expect(await answer).toEqual(runSearch(evaluation, problem));
  threads.close();
});

test('what a thread fails at is refused with its reason', async () => {
  const unknown: Search<null, null> = {
    name: 'unknown',
    size: () => 1,
    *steps() {
      yield;
      return null;
    },
  };
  const threads = createThreads();
  await expect(threads.run('a', unknown, null).answer).rejects.toThrow(/Unknown search "unknown"/);
  expect(await threads.run('a', evaluation, problem).answer).toEqual(runSearch(evaluation, problem));
  threads.close();
});

test('a task that is given up ends its thread; others get their answers', async () => {
  const endless = { ...problem, plan: recipePlan({ devices: 64, microbatches: 16_000, schedule: policy('gpipe') }) };
  const threads = createThreads();
  // More than one document may have, so that the third waits.
  const given = Array.from({ length: 3 }, () => threads.run('a', evaluation, endless));
  let answered = 0;
  for (const { answer } of given) void answer.then(() => (answered += 1));
  const small = threads.run('b', evaluation, problem);
  for (const { cancel } of given) cancel();
  expect(await small.answer).toEqual(runSearch(evaluation, problem));
  expect(await threads.run('a', evaluation, problem).answer).toBeDefined();
  expect(answered).toBe(0);
  threads.close();
});

test('a planner answers from a thread', async () => {
  const layers = plannerLayers(Array.from({ length: 6 }, () => ({ forward: 1, backward: 2, gradients: 1, output: 1 })));
  const asked: PlanProblem = {
    planner: 'dapple',
    layers,
    microbatches: 4,
    machines: 3,
    data: 1,
    link: { bandwidth: 8, latency: 0, alone: true },
  };
  const threads = createThreads();
  expect(await threads.run('a', planSearch, asked).answer).toEqual(runSearch(planSearch, asked));
  threads.close();
});
