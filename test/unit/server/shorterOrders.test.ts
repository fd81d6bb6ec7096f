/** Orders that are searched after the check: when a search begins and ends, what it publishes, and what is kept of it. */
import { expect, test } from 'vitest';
import { CancellationTokenSource, type CodeAction, CodeActionTriggerKind } from 'vscode-languageserver';
import type { OrderProgress } from '../../../engine/analyze/orderCurve.ts';
import type { Search } from '../../../engine/basics/searches.ts';
import { defaultOptions, type EngineOptions } from '../../../engine/basics/host.ts';
import { createShorterOrders } from '../../../server/searches/shorterOrders.ts';
import type { Threads } from '../../../server/threads/threads.ts';
import { askedOrder, orderQuestion } from '../../../engine/advice/shorterOrder.ts';
import type { OrderResult, OrderState } from '../../../webview/protocol/requests.ts';
import { analyse } from '../../support/analyse.ts';
import { exampleText } from '../../support/example.ts';
import { idle, publications } from '../../support/publications.ts';
import { applyEdits, main, withClient } from '../../support/server.ts';
import { blocks, textOf } from '../docs/pages.ts';

const [example] = blocks(textOf('docs/diagnostics/schedule/shorter-order.md'), 'pipe');
const code = 'schedule/shorter-order';
const other = 'file:///other.pipe';

interface Task {
  readonly owner: string;
  readonly search: string;
  cancelled: boolean;
  /** Takes steps until the search says how far it is. */
  advance(): void;
  /** Finds the answer. */
  finish(): void;
}

/** Threads that do nothing until a test says so. */
function heldThreads(): { readonly threads: Threads; readonly tasks: Task[] } {
  const tasks: Task[] = [];
  const threads: Threads = {
    run<Problem, Answer, Progress>(
      owner: string,
      search: Search<Problem, Answer, Progress>,
      problem: Problem,
      onProgress?: (progress: Progress) => void,
    ) {
      let resolve: (answer: Answer) => void = () => {};
      const answer = new Promise<Answer>((found) => {
        resolve = found;
      });
      const begun = search.steps(problem);
      const task: Task = {
        owner,
        search: search.name,
        cancelled: false,
        advance() {
          for (;;) {
            const step = begun.next();
            if (step.done === true) return;
            if (step.value !== undefined) return onProgress?.(step.value);
          }
        },
        finish() {
          const steps = search.steps(problem);
          for (;;) {
            const step = steps.next();
            if (step.done === true) return resolve(step.value);
          }
        },
      };
      tasks.push(task);
      return {
        answer,
        cancel: () => {
          task.cancelled = true;
        },
      };
    },
    ahead: () => {},
    close: () => {},
  };
  return { threads, tasks };
}

function open(options: EngineOptions = { ...defaultOptions, search: { effort: 1 } }) {
  const { threads, tasks } = heldThreads();
  const { searches: orders, ...opened } = publications(
    { threads, options },
    (host) => createShorterOrders(host, 0),
    (known, view) => [...view.analysis.findings, ...known.known(view)],
    // Codes of what is published, in order.
    ({ analysis }) => ({ codes: analysis.findings.map((found) => found.code) }),
  );
  return { ...opened, orders, tasks };
}

test('findings are published before a search begins, and once more when it has found an order', async () => {
  const { set, tasks, published, publications, failures } = open();
  set(main, 1, example);
  await publications(1);
  expect(published[0]?.codes).not.toContain(code);
  expect(tasks).toEqual([]);
  await idle();
  expect(tasks.map(({ search }) => search)).toEqual(['shorter-order']);
  tasks[0]?.finish();
  await publications(2);
  expect(published[1]?.codes).toEqual([...(published[0]?.codes ?? []), code]);
  expect(failures).toEqual([]);
});

test('a new text ends the search, and what an edit does not touch is not searched again', async () => {
  const { set, tasks, published, publications } = open();
  set(main, 1, example);
  await publications(1);
  await idle();
  set(main, 2, `${example}\n`);
  await publications(2);
  await idle();
  expect(tasks.map(({ cancelled }) => cancelled)).toEqual([true, false]);
  tasks[1]?.finish();
  await publications(3);
  set(main, 3, `// moved\n${example}`);
  await publications(4);
  await idle();
  expect(tasks).toHaveLength(2);
  expect(published.map(({ codes }) => codes.includes(code))).toEqual([false, false, true, true]);
  const moved = published[3]?.view.analysis.findings.find((found) => found.code === code);
  const place = `// moved\n${example}`.indexOf('zb_h1');
  expect(moved?.place.start).toBe(place);
  // Other times: what was found is of no use.
  set(main, 4, example.replace('10ms', '12ms'));
  await publications(5);
  expect(published[4]?.codes).not.toContain(code);
  await idle();
  expect(tasks).toHaveLength(3);
});

test('one search runs at a time, under a name that is no document', async () => {
  const { set, tasks, publications } = open();
  set(main, 1, example);
  set(other, 1, example.replace('10ms', '13ms'));
  await publications(2);
  await idle();
  expect(tasks).toHaveLength(1);
  tasks[0]?.finish();
  await publications(3);
  await idle();
  expect(tasks).toHaveLength(2);
  for (const { owner } of tasks) expect([main, other]).not.toContain(owner);
});

test('two pipelines of a file have a finding each, as they come', async () => {
  const { set, tasks, published, publications } = open();
  const [, pipeline] = /(pipeline train [^]*)/.exec(example) ?? [];
  const slower = (pipeline ?? '').replace('train', 'longer').replace('= 8', '= 10');
  set(main, 1, `${example}\n${slower}`);
  await publications(1);
  for (const [index, found] of [1, 2].entries()) {
    await idle();
    expect(tasks).toHaveLength(found);
    tasks[index]?.finish();
    await publications(found + 1);
    expect(published.at(-1)?.codes.filter((each) => each === code)).toHaveLength(found);
  }
});

test('an effort of 0 searches nothing, and an order at its bound is not searched', async () => {
  const off = open({ ...defaultOptions, search: { effort: 0 } });
  off.set(main, 1, example);
  await off.publications(1);
  const best = open();
  const [fixed] = blocks(textOf('docs/diagnostics/schedule/shorter-order.md'), 'pipe fixed');
  best.set(main, 1, fixed);
  await best.publications(1);
  await idle();
  expect([...off.tasks, ...best.tasks]).toEqual([]);
});

/** The question of the newest text, and a search for it that a reader watches. */
function watch({ orders, published }: ReturnType<typeof open>, effort = 1) {
  const enough = new CancellationTokenSource();
  const view = published.at(-1)?.view;
  const [pipeline] = view?.analysis.pipelines ?? [];
  if (view === undefined || pipeline === undefined) throw new Error('nothing is published');
  const question = askedOrder(pipeline, effort);
  if ('reason' in question) throw new Error(question.reason);
  const heard: OrderProgress[] = [];
  const source = new CancellationTokenSource();
  const answer = orders.search(
    { view, question, enough: enough.token },
    (progress) => heard.push(progress),
    source.token,
  );
  return { question, heard, answer, cancel: () => source.cancel(), stop: () => enough.cancel() };
}

test('a reader hears how far a search is, and both searches of one question are one task', async () => {
  const opened = open();
  opened.set(main, 1, example);
  await opened.publications(1);
  const { heard, answer } = watch(opened);
  await idle();
  expect(opened.tasks).toHaveLength(1);
  opened.tasks[0]?.advance();
  opened.tasks[0]?.advance();
  expect(heard.map(({ points }) => points.length)).toEqual([1, 2]);
  opened.tasks[0]?.finish();
  const found = await answer;
  expect(found?.search?.points.slice(0, 2)).toEqual(heard[1]?.points);
  // Without a search: it is known.
  expect(await watch(opened).answer).toEqual(found);
  expect(opened.tasks).toHaveLength(1);
});

test('a reader who looks away, or types, hears nothing more', async () => {
  for (const end of ['cancel', 'edit'] as const) {
    const opened = open(off);
    opened.set(main, 1, example);
    await opened.publications(1);
    const { heard, answer, cancel } = watch(opened);
    await idle();
    opened.tasks[0]?.advance();
    expect(heard).toHaveLength(1);
    if (end === 'cancel') cancel();
    else opened.set(main, 2, `${example}\n`);
    expect(await answer).toBeUndefined();
    expect(opened.tasks.map(({ cancelled }) => cancelled)).toEqual([true]);
    opened.tasks[0]?.advance();
    expect(heard).toHaveLength(1);
  }
});

const off = { ...defaultOptions, search: { effort: 0 } };

test('a search that is stopped answers with the best order so far, which runs as it says', async () => {
  const opened = open(off);
  opened.set(main, 1, example);
  await opened.publications(1);
  const { question, heard, answer, stop } = watch(opened);
  await idle();
  const last = () => heard.at(-1)?.points.at(-1)?.iteration ?? Infinity;
  while (last() >= question.iteration) opened.tasks[0]?.advance();
  stop();
  const { search, shorter } = (await answer) ?? {};
  expect(opened.tasks.map(({ cancelled }) => cancelled)).toEqual([true]);
  expect(search).toMatchObject({ points: heard.at(-1)?.points, stopped: true, fits: true });
  const seconds = last();
  expect(shorter?.iteration).toBe(seconds);
  expect(shorter?.text).toMatch(/Search: stopped after 0\.?\d* of effort 1, seed \d/);
  // The rows that would be written take the time that is shown.
  const rows = `${example.replace('zb_h1', 'train_order')}\n${shorter?.text ?? ''}`;
  expect(analyse(rows).pipelines[0]?.run?.report.iteration).toBe(seconds);
  // What was not searched to the end is searched when it is asked for again.
  void watch(opened).answer;
  await idle();
  expect(opened.tasks).toHaveLength(2);
});

test('a search that is stopped before its first order, or that has ended, or after an edit, says nothing of it', async () => {
  for (const end of ['before', 'ended', 'edit'] as const) {
    const opened = open(off);
    opened.set(main, 1, example);
    await opened.publications(1);
    const { answer, stop } = watch(opened);
    await idle();
    if (end !== 'before') opened.tasks[0]?.advance();
    if (end === 'ended') opened.tasks[0]?.finish();
    await idle();
    if (end === 'edit') opened.set(main, 2, `${example}\n`);
    stop();
    const found = await answer;
    if (end === 'ended') expect(found?.search).toMatchObject({ status: 'optimal' });
    else expect(found).toBeUndefined();
    expect(found?.search?.stopped).toBeUndefined();
  }
});

test('the finding is there as soon as a reader has seen the order', async () => {
  const opened = open();
  opened.set(main, 1, example);
  await opened.publications(1);
  const { answer } = watch(opened);
  await idle();
  opened.tasks[0]?.finish();
  await answer;
  await opened.publications(2);
  expect(opened.published.at(-1)?.codes).toContain(code);
  // An edit that leaves the pipeline as it is, and back.
  for (const [version, text] of [`${example}\n`, example].entries()) {
    opened.set(main, version + 2, text);
    await opened.publications(3 + version);
    expect(opened.published.at(-1)?.codes.filter((each) => each === code)).toHaveLength(1);
  }
});

test('the finding has the order of the longest search that a reader asked for', async () => {
  const opened = open();
  opened.set(main, 1, example);
  await opened.publications(1);
  await idle();
  opened.tasks[0]?.finish();
  await opened.publications(2);
  const { answer } = watch(opened, 4);
  await idle();
  opened.tasks[1]?.finish();
  await answer;
  await opened.publications(3);
  const text = (at: number) =>
    opened.published[at]?.view.analysis.findings.flatMap(({ hint }) => (hint?.kind === 'order' ? [hint.text] : []));
  expect(text(1)).toEqual([expect.stringContaining('Search: effort 1,')]);
  expect(text(2)).toEqual([expect.stringContaining('Search: effort 4,')]);
});

test('a request for a search carries its progress, and its edits are those of the quick fix', async () => {
  await withClient(async (client) => {
    client.open(main, example);
    const heard = client.progress('strip');
    const asked = { uri: main, pipeline: 'train', times: 1, partialResultToken: 'strip' };
    const result = await client.request<OrderResult>('pipewright/orderSearch', asked);
    if (result === null || !('end' in result)) throw new Error('no result');
    expect(heard.length).toBeGreaterThan(0);
    expect(result).toMatchObject({
      effort: 1,
      mayGoOn: true,
      schedule: 'zb_h1',
      end: { status: 'optimal', fits: true },
    });
    const after = analyse(applyEdits(example, result.end.keep?.edits ?? []));
    expect(after.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const { iteration } = after.pipelines[0]?.run?.report ?? {};
    expect(result.points.at(-1)?.slice(1)).toEqual([iteration, iteration]);
    for (const state of heard as OrderState[]) {
      expect(state.points.length).toBeGreaterThan(0);
      expect(result.points.slice(0, state.points.length)).toEqual(state.points);
    }
    const none = { uri: main, pipeline: 'nowhere', times: 1 };
    expect(await client.request('pipewright/orderSearch', none)).toEqual({ reason: 'the file has an error' });
  });
});

test('a notification stops a search by its number, with the edits that keep what it has found', async () => {
  await withClient(async (client) => {
    // Long enough to be stopped.
    const [text] = exampleText('search.pipe').split('pipeline searched');
    const long = text.replace('microbatches = 8 in', 'microbatches = 12 in');
    client.open(main, long);
    let stopped = false;
    client.progress('strip', (state) => {
      const { points, iteration } = state as OrderState;
      if (stopped || Number(points.at(-1)?.[1]) >= iteration) return;
      client.notify('pipewright/stopOrder', { search: 7 });
      stopped = true;
    });
    const asked = { uri: main, pipeline: 'heuristic', times: 1000, search: 7, partialResultToken: 'strip' };
    client.notify('pipewright/stopOrder', { search: 8 });
    const result = await client.request<OrderResult>('pipewright/orderSearch', asked);
    if (result === null || !('end' in result)) throw new Error('no result');
    expect(result.end.stopped).toBe(true);
    const [{ run }] = analyse(applyEdits(long, result.end.keep?.edits ?? [])).pipelines;
    const { iteration } = run?.report ?? {};
    expect(result.points.at(-1)?.[1]).toBe(iteration);
  });
});

test('the reason is said for orders that cannot be searched', async () => {
  const reasons: readonly (readonly [string, string, string])[] = [
    ['microbatches = 8', 'microbatches = 8000', 'it has 96,000 operations, and at most 20,000 are searched'],
    ['zb_h1', 'pipedream', 'its schedule has no flush'],
    ['zb_h1', 'search(objective = span)', 'its search shortens the longest span of a device, not the iteration'],
    ['zb_h1', 'bpipe', 'its devices keep activations for each other'],
  ];
  await withClient(async (client) => {
    for (const [from, to, reason] of reasons) {
      const file = `file:///${to.replaceAll(/[^a-z0-9]/g, '')}.pipe`;
      client.open(file, example.replace(from, to));
      const asked = { uri: file, pipeline: 'train', times: 1 };
      expect(await client.request('pipewright/orderSearch', asked)).toEqual({ reason });
    }
  });
});

test('a server that works ahead publishes the finding, and its quick fix writes the order into the file', async () => {
  await withClient(
    async (client) => {
      client.open(main, example);
      await client.diagnostics(main);
      const found = () =>
        client.published.flatMap(({ diagnostics }) => diagnostics).find((diagnostic) => diagnostic.code === code);
      while (found() === undefined) await idle();
      expect(client.published[0]?.diagnostics.map((diagnostic) => diagnostic.code)).not.toContain(code);
      const actions = await client.request<readonly CodeAction[]>('textDocument/codeAction', {
        textDocument: { uri: main },
        range: found()?.range,
        context: { diagnostics: [found()], triggerKind: CodeActionTriggerKind.Invoked },
      });
      const kept = actions.find(({ title }) => title.startsWith('Keep this order: iteration −'));
      const [change] = kept?.edit?.documentChanges ?? [];
      const edits = change !== undefined && 'edits' in change ? change.edits.filter((each) => 'newText' in each) : [];
      client.change(main, applyEdits(example, edits));
      const after = await client.diagnostics(main);
      expect(after.diagnostics.filter(({ severity }) => severity === 1)).toEqual([]);
      expect(client.text(main)).toMatch(/schedule train_order \{[^]*zip\([^]*= train_order\n/);
    },
    { ahead: true },
  );
});

test('whole backwards stay whole in what is searched', () => {
  const backwards = (schedule: string) =>
    analyse(example.replace('zb_h1', schedule)).pipelines.flatMap((pipeline) => {
      const asked = orderQuestion(pipeline, 1)?.plan.schedule;
      return asked?.kind === 'policy' ? [asked.args['backward']] : [];
    });
  expect(backwards('1f1b')).toEqual(['whole']);
  expect(backwards('zb_h1')).toEqual([undefined]);
});
