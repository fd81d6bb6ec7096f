import { expect, test } from 'vitest';
import { evaluation } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { type PlanProblem, planSearch } from '../../../engine/planning/cut/planners/planSearch.ts';
import { runSearch, type Search } from '../../../engine/basics/searches.ts';
import { threadStarter } from '../../../platform/node/startThread.ts';
import { messagePause } from '../../../server/threads/newest.ts';
import { createThreads, type Threads } from '../../../server/threads/threads.ts';
import { plannerLayers } from '../planning/planners/plans.ts';
import { recipePlan, policy } from '../support/plans.ts';

const problem = {
  plan: recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b') }),
  options: defaultOptions,
};

test('an answer from a thread is the answer', async () => {
  const threads = createThreads({ start: threadStarter() });
  expect(await threads.run('a', evaluation, problem).answer).toEqual(runSearch(evaluation, problem));
  // The second one comes from the same thread.
  expect(await threads.run('a', evaluation, problem).answer).toEqual(runSearch(evaluation, problem));
  threads.close();
});

test('where no thread can be had, the work is done here in slices', async () => {
  const threads = createThreads({ start: threadStarter(() => new URL('file:///nowhere/thread.js')) });
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
  const threads = createThreads({ start: threadStarter() });
  await expect(threads.run('a', unknown, null).answer).rejects.toThrow(/Unknown search "unknown"/);
  expect(await threads.run('a', evaluation, problem).answer).toEqual(runSearch(evaluation, problem));
  threads.close();
});

/** Searches of the test's own thread; here they never run. */
const searchNamed = <Problem, Answer>(name: string): Search<Problem, Answer> => ({
  name,
  size: () => 1,
  steps() {
    throw new Error('This is not the thread.');
  },
});
const thread = searchNamed<null, number>('thread');
const endless = searchNamed<Int32Array, never>('endless');
const held = searchNamed<Int32Array, string>('held');
const saying = searchNamed<Int32Array, void>('saying');
const counting = searchNamed<Int32Array, number>('counting');
const never = 1e9;

/** Numbers that both threads see. A search that gets them sets the first when it begins. */
const numbers = (second = 0): Int32Array => {
  const shared = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  shared[1] = second;
  return shared;
};
async function begun(shared: Int32Array): Promise<void> {
  while (Atomics.load(shared, 0) === 0) await new Promise((resolve) => setImmediate(resolve));
}

function counted(grace: number, idle?: number): { readonly threads: Threads; started(): number } {
  let started = 0;
  const entry = (): URL => {
    started += 1;
    return new URL('searchThread.ts', import.meta.url);
  };
  return {
    threads: createThreads({ start: threadStarter(entry), grace, ...(idle === undefined ? {} : { idle }) }),
    started: () => started,
  };
}

test('a search that is given up between two steps leaves its thread to the next task', async () => {
  const { threads } = counted(never);
  const before = await threads.run('a', thread, null).answer;
  for (const owner of ['a', 'b']) {
    const shared = numbers();
    const given = threads.run(owner, endless, shared);
    let answered = 0;
    void given.answer.then(() => (answered += 1));
    await begun(shared);
    given.cancel();
    expect(await threads.run('a', thread, null).answer).toBe(before);
    expect(answered).toBe(0);
  }
  threads.close();
});

test('a search that is given up before its thread has started leaves the thread to the next task', async () => {
  const { threads, started } = counted(0);
  threads.run('a', held, numbers()).cancel();
  await threads.run('a', thread, null).answer;
  expect(started()).toBe(1);
  threads.close();
});

test('a search without steps is ended with its thread, and the next task gets a new one', async () => {
  const { threads } = counted(1);
  const before = await threads.run('a', thread, null).answer;
  const shared = numbers();
  const given = threads.run('a', held, shared);
  await begun(shared);
  given.cancel();
  expect(await threads.run('a', thread, null).answer).not.toBe(before);
  threads.close();
});

/** Two tasks that run at the same time. */
async function both(threads: Threads): Promise<void> {
  const shared = ['a', 'b'].map((owner) => {
    const own = numbers();
    return { own, task: threads.run(owner, endless, own) };
  });
  await Promise.all(shared.map(({ own }) => begun(own)));
  for (const { task } of shared) task.cancel();
  await threads.run('a', thread, null).answer;
  await threads.run('b', thread, null).answer;
}

test('threads without a task take the next ones; all but one end, after some time or with a large answer', async () => {
  const warm = counted(never, never);
  for (let round = 0; round < 3; round += 1) await both(warm.threads);
  expect(warm.started()).toBe(2);
  // One that has simulated ends at once.
  await warm.threads.run('a', { ...thread, large: true }, null).answer;
  await both(warm.threads);
  expect(warm.started()).toBe(3);
  warm.threads.close();
  const brief = counted(never, 0);
  await both(brief.threads);
  // Their timers are over before this one, which is longer and begins later.
  await new Promise((resolve) => setTimeout(resolve, 10));
  await both(brief.threads);
  expect(brief.started()).toBe(3);
  brief.threads.close();
});

test('a task that takes the place of another gets its thread, though it is asked for first', async () => {
  const { threads, started } = counted(never);
  const shared = numbers();
  const older = threads.run('a', endless, shared);
  await begun(shared);
  const newer = threads.run('a', thread, null);
  older.cancel();
  expect(await newer.answer).toBeGreaterThan(0);
  expect(started()).toBe(1);
  threads.close();
});

test('the answer of a task that was given up never reaches the next', async () => {
  const { threads, started } = counted(never);
  const [old, next] = [numbers(5), numbers(7)];
  Atomics.store(next, 2, 1);
  const given = threads.run('a', held, old);
  let answered = 0;
  void given.answer.then(() => (answered += 1));
  await begun(old);
  given.cancel();
  const wanted = threads.run('a', held, next);
  Atomics.store(old, 2, 1);
  Atomics.notify(old, 2);
  expect(await wanted.answer).toBe('answer 7');
  expect(answered).toBe(0);
  expect(started()).toBe(1);
  threads.close();
});

test('a search says how far it is, ten times a second at most and never after it is given up', async () => {
  const { threads } = counted(never);
  const shared = numbers();
  // A thread that counts goes on for ever.
  try {
    const heard: number[] = [];
    const begunAt = performance.now();
    const running = threads.run('a', counting, shared, (progress) => heard.push(Number(progress)));
    while (heard.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    // The first message comes at once, so two pauses lie between three messages.
    expect(performance.now() - begunAt).toBeGreaterThan(2 * messagePause);
    Atomics.store(shared, 1, 1);
    const count = await running.answer;
    expect(heard).toEqual([...new Set(heard)].toSorted((a, b) => a - b));
    // It counts to thousands between two messages.
    expect(count).toBeGreaterThan(100 * heard.length);
    const [next, others]: [Int32Array, unknown[]] = [numbers(), []];
    const given = threads.run('a', counting, next, (progress) => others.push(progress));
    await begun(next);
    given.cancel();
    await threads.run('a', thread, null).answer;
    expect(others.length).toBeLessThanOrEqual(1);
    const before = others.length;
    await new Promise((resolve) => setTimeout(resolve, 2 * messagePause));
    expect(others).toHaveLength(before);
  } finally {
    threads.close();
  }
});

test('what a search has said before it was given up is not heard afterwards', async () => {
  const { threads } = counted(never);
  await threads.run('a', thread, null).answer;
  const shared = numbers();
  const heard: unknown[] = [];
  const given = threads.run('a', saying, shared, (progress) => heard.push(progress));
  await Promise.resolve();
  // Without a turn of this thread: the message is on its way.
  Atomics.wait(shared, 0, 0);
  given.cancel();
  Atomics.store(shared, 2, 1);
  Atomics.notify(shared, 2);
  await threads.run('a', thread, null).answer;
  expect(heard).toEqual([]);
  threads.close();
});

test('without a thread, the work says how far it is, too', async () => {
  const threads = createThreads({ start: threadStarter(() => new URL('file:///nowhere/thread.js')) });
  const heard: unknown[] = [];
  const counted: Search<null, string> = {
    name: 'counted',
    size: () => 1,
    *steps() {
      for (let count = 0; count < 50; count += 1) yield count;
      return 'done';
    },
  };
  expect(await threads.run('a', counted, null, (progress) => heard.push(progress)).answer).toBe('done');
  // Fifty steps take less than the pause between two messages.
  expect(heard[0]).toBe(0);
  expect(heard.length).toBeLessThan(10);
  threads.close();
});

test('an owner has half of the threads: others get their answers while its searches never end', async () => {
  const { threads } = counted(1);
  const shared = Array.from({ length: 5 }, () => numbers());
  const given = shared.map((each) => threads.run('a', held, each));
  await Promise.all(shared.slice(0, 2).map(begun));
  expect(await threads.run('b', thread, null).answer).toBeGreaterThan(0);
  for (const { cancel } of given) cancel();
  expect(await threads.run('a', thread, null).answer).toBeGreaterThan(0);
  expect(shared.map(([first]) => first)).toEqual([1, 1, 0, 0, 0]);
  threads.close();
});

test('a thread that is started ahead gets the first task', async () => {
  const { threads, started } = counted(never);
  threads.ahead();
  threads.ahead();
  expect(started()).toBe(1);
  await threads.run('a', thread, null).answer;
  threads.ahead();
  expect(started()).toBe(1);
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
  const threads = createThreads({ start: threadStarter() });
  expect(await threads.run('a', planSearch, asked).answer).toEqual(runSearch(planSearch, asked));
  threads.close();
});

test('the room for new objects of a thread is limited: several threads would fill that of Node', async () => {
  const script =
    'import { parentPort, resourceLimits } from "node:worker_threads"; parentPort.postMessage(resourceLimits)';
  const limits = await new Promise((message, lost) => {
    threadStarter(() => new URL(`data:text/javascript,${encodeURIComponent(script)}`))({ message, lost });
  });
  expect(limits).toMatchObject({ maxYoungGenerationSizeMb: 16 });
});
