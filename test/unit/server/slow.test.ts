/** Documents whose figures take long: what is known before, who waits for whom, and what is given up. */
import { expect, test, vi } from 'vitest';
import { CancellationToken, CancellationTokenSource } from 'vscode-languageserver';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { directSearches, noSearches, type Searches } from '../../../engine/basics/searches.ts';
import { createAnswers } from '../../../server/threads/answers.ts';
import { createDocuments, type Documents } from '../../../server/documents/documents.ts';
import type { Clock } from '../../../server/documents/host.ts';
import { hover } from '../../../server/features/hover.ts';
import type { Threads } from '../../../server/threads/threads.ts';
import { gate } from '../../support/gate.ts';
import type { View } from '../../../server/view.ts';
import { main } from '../../support/server.ts';
import { toy } from './samples.ts';
import { analyse } from '../../support/analyse.ts';
import { hostOf, noLines } from '../../support/host.ts';
import { warmThreads } from '../../support/threads.ts';

const none = CancellationToken.None;
const other = 'file:///project/other.pipe';

const pipeline = (name: string, microbatches: number): string =>
  `pipeline ${name} { model = m  devices = c  microbatches = ${microbatches}  stages = balance(4)  schedule = gpipe }\n`;
const models =
  'model m { layer block[8] { forward = 4ms  backward = 8ms } }\ndevice d { memory = 1TiB }\ncluster c { gpu[4] = d  link = 100GB/s }\n';
/** A large pipeline next to a small one. */
const large = `${models}${pipeline('small', 8)}${pipeline('big', 20_000)}`;

interface Opened {
  readonly documents: Documents;
  /** What was published, in order. */
  readonly published: { readonly view: View; readonly whole: boolean }[];
  readonly failures: unknown[];
  /** Views with a plan and nothing more, in order. */
  readonly planned: View[];
  /** Settled at the next publication. */
  next(): Promise<void>;
}

function open(threads: Threads, patience = 0, clock?: Clock): Opened {
  const published: Opened['published'] = [];
  const failures: unknown[] = [];
  const planned: View[] = [];
  let told: (() => void)[] = [];
  const publish = (view: View, whole: boolean): void => {
    published.push({ view, whole });
    for (const tell of told) tell();
    told = [];
  };
  const documents = createDocuments({
    files: {
      ...hostOf(),
      ...noLines,
      list: () => [],
      all: () => [],
    },
    answers: createAnswers(threads),
    options: () => defaultOptions,
    ready: Promise.resolve(),
    planned: (view) => planned.push(view),
    checked: (view) => publish(view, true),
    untested: (view) => publish(view, false),
    waiting: (view) => publish(view, false),
    closed: () => {},
    failed: (_, error) => failures.push(error),
    patience,
    ...(clock && { clock }),
  });
  return { documents, published, failures, planned, next: () => new Promise((resolve) => told.push(resolve)) };
}

const figures = ({ analysis }: View) => ({
  reports: analysis.pipelines.map(({ run }) => run?.report),
  findings: analysis.findings,
});

test('what a thread finds is what the command line finds', async () => {
  const threads = warmThreads();
  const { documents, failures } = open(threads);
  documents.set(main, 1, large);
  const view = await documents.view(main, 'figures', none);
  const { pipelines, findings } = analyse(large);
  expect(failures).toEqual([]);
  expect(view && figures(view)).toEqual({ reports: pipelines.map(({ run }) => run?.report), findings });
  expect(view?.analysis.pending).toEqual([]);
  threads.close();
});

test('a plan is known before anything is simulated, once a text', async () => {
  const { threads, open: openGate } = gate();
  const { documents, published, planned } = open(threads, 10_000);
  documents.set(main, 1, large);
  const view = await documents.view(main, 'plan', none);
  await vi.waitUntil(() => planned.length > 0);
  expect(planned).toEqual([view]);
  expect(published).toEqual([]);
  expect(view?.analysis.resolution.plan.pipelines).toHaveLength(2);
  expect(view?.analysis.pipelines).toEqual([]);
  documents.set(main, 2, large.replace('gpipe', '1f1b'));
  const next = await documents.view(main, 'plan', none);
  expect(next?.version).toBe(2);
  await vi.waitUntil(() => planned.length > 1);
  expect(planned).toEqual([view, next]);
  openGate();
  expect((await documents.view(main, 'figures', none))?.analysis.pending).toEqual([]);
  expect(planned).toHaveLength(2);
  threads.close();
});

test('names are known while figures are still to come, and another document is checked meanwhile', async () => {
  const { threads, open: openGate, asked } = gate();
  const { documents, published } = open(threads);
  documents.set(main, 1, large);
  const names = await documents.view(main, 'names', none);
  expect(names?.analysis.pending).toEqual(['big']);
  expect((await documents.view(main, 'plan', none))?.analysis.resolution.plan.pipelines).toHaveLength(2);
  documents.set(other, 1, toy);
  expect((await documents.view(other, 'figures', none))?.analysis.pipelines[0]?.run).toBeDefined();
  let ready = false;
  const whole = documents.view(main, 'figures', none).then((view) => {
    ready = true;
    return view;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ready).toBe(false);
  openGate();
  expect((await whole)?.analysis.pending).toEqual([]);
  expect(asked).toEqual([main]);
  expect(published.at(-1)).toMatchObject({ whole: true, view: { uri: main } });
  threads.close();
});

test('what is known is published while the rest is computed, without the findings of older figures', async () => {
  const { threads, open: openGate } = gate();
  const { documents, published, next } = open(threads);
  documents.set(main, 1, `${large}pipeline again { microbatches = 0 }\n`);
  while (published.length === 0) await next();
  const [{ view, whole }] = published;
  expect(whole).toBe(false);
  const of = (line: string) => view.analysis.findings.filter(({ place }) => place.start >= large.indexOf(line));
  expect(of('pipeline again').some(({ severity }) => severity === 'error')).toBe(true);
  expect(view.analysis.findings.some(({ place }) => large.slice(place.start).startsWith('gpipe'))).toBe(true);
  expect(of('pipeline big').filter(({ code }) => code === 'schedule/bubble')).toEqual([]);
  openGate();
  while (published.at(-1)?.whole !== true) await next();
  expect(published.map((one) => one.whole)).toEqual([false, true]);
  threads.close();
});

/** A schedule that fails its test at the last shapes, and a pipeline that uses it. */
const tested = (last: number, time: string): string => `${models.replace('4ms', time)}schedule mine {
  row(d) = F[0..${last}], B[0..${last}]
}
expect mine { over(devices = 1..8, microbatches = 1..64)  valid }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(4)  schedule = mine }
`;

test('figures and findings of pipelines do not wait for the tests of schedules, and no finding of an older test is shown', async () => {
  const held = gate();
  const { documents, published, next } = open(held.threads, 1e9);
  const codes = () => published.at(-1)?.view.analysis.findings.map(({ code }) => code) ?? [];
  const failures = () =>
    published.at(-1)?.view.analysis.findings.filter(({ message }) => message.startsWith('p = ')).length;
  documents.set(main, 1, tested(7, '4ms'));
  const view = await documents.view(main, 'figures', none);
  expect(view?.analysis.pipelines[0].run?.report.iteration).toBeGreaterThan(0);
  expect(view?.analysis.untested).toEqual(['mine']);
  expect(published.map(({ whole }) => whole)).toEqual([false]);
  expect(codes()).toContain('schedule/bubble');
  expect(failures()).toBe(0);
  let isTested = false;
  const whole = documents.view(main, 'tests', none).then(() => {
    isTested = true;
  });
  await documents.view(main, 'names', none);
  expect(isTested).toBe(false);
  held.open();
  await whole;
  expect(published.map((each) => each.whole)).toEqual([false, true]);
  expect(failures()).toBe(1);
  // The old finding is about another text.
  documents.set(main, 2, tested(8, '4ms'));
  while (published.length < 3) await next();
  expect(published.at(-1)).toMatchObject({ whole: false, view: { version: 2 } });
  expect(failures()).toBe(0);
  await documents.view(main, 'tests', none);
  held.threads.close();
});

test('what is known without the tests of schedules is given out once, and again only with the news that they take long', async () => {
  const held = gate();
  const { documents, published, next } = open(held.threads, 0);
  documents.set(main, 1, tested(7, '4ms'));
  while (published.length < 2) await next();
  held.open();
  await documents.view(main, 'tests', none);
  expect(published.map(({ whole }) => whole)).toEqual([false, false, true]);
  held.threads.close();
});

test('an edit elsewhere in the file tests no schedule again, and its finding moves with the text', async () => {
  const held = gate();
  held.open();
  const { documents, published } = open(held.threads, 1e9);
  documents.set(main, 1, tested(7, '4ms'));
  await documents.view(main, 'tests', none);
  const asked = held.asked.length;
  documents.set(main, 2, `// A comment.\n${tested(7, '14ms')}`);
  const view = await documents.view(main, 'tests', none);
  expect(held.asked.length).toBe(asked);
  expect(published.at(-1)).toMatchObject({ whole: true, view: { version: 2 } });
  expect(view?.analysis.findings).toEqual(analyse(`// A comment.\n${tested(7, '14ms')}`).findings);
  const found = view?.analysis.findings.find(({ message }) => message.startsWith('p = '));
  expect(view?.syntax.text.slice(found?.place.start, found?.place.end)).toBe('F[0..7]');
  held.threads.close();
});

test('an edit in a comment asks nothing again; one of the figures gives up what was asked before', async () => {
  const held = gate();
  const { documents } = open(held.threads);
  documents.set(main, 1, large);
  await documents.view(main, 'names', none);
  documents.set(main, 2, `// a comment\n${large}`);
  expect((await documents.view(main, 'names', none))?.version).toBe(2);
  expect([held.asked.length, held.cancelled]).toEqual([1, 0]);
  documents.set(main, 3, large.replace('20000', '20001'));
  await documents.view(main, 'names', none);
  expect([held.asked.length, held.cancelled]).toEqual([2, 1]);
  documents.close(main);
  expect([held.asked.length, held.cancelled]).toEqual([2, 2]);
  held.threads.close();
});

test('a request that waits is answered nothing once it is cancelled', async () => {
  const { threads } = gate();
  const { documents } = open(threads);
  documents.set(main, 1, large);
  const source = new CancellationTokenSource();
  const figuresOf = documents.view(main, 'figures', source.token);
  const asked = documents.answered(main, (searches) => analyse(large, { searches }), source.token);
  source.cancel();
  expect(await figuresOf).toBeUndefined();
  expect(await asked).toBeUndefined();
  threads.close();
});

test('a request gets what it asked for once all is answered', async () => {
  const threads = warmThreads();
  const { documents } = open(threads);
  documents.set(main, 1, toy);
  const analysis = await documents.answered(main, (searches) => analyse(large, { searches }), none);
  expect(analysis?.pending).toEqual([]);
  expect(analysis?.pipelines.every(({ run }) => run !== undefined)).toBe(true);
  threads.close();
});

/** A clock that a test sets. */
function manualClock() {
  let now = 0;
  let sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => {
        sleeping.push({ until: now + milliseconds, wake });
      }),
    /** Whoever sleeps goes on, and has some turns of the event loop for it. */
    async advance(milliseconds: number): Promise<void> {
      now += milliseconds;
      for (const { until, wake } of sleeping) if (until <= now) wake();
      sleeping = sleeping.filter(({ until }) => until > now);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('of a burst of texts that come one after the other, the first and the last are published', async () => {
  const threads = warmThreads();
  const clock = manualClock();
  const { documents, published, next } = open(threads, 1e9, clock);
  documents.set(main, 1, toy);
  await next();
  await clock.advance(60);
  for (let version = 2; version <= 201; version += 1) {
    documents.set(main, version, `${toy}// ${version}\n`);
    if (version === 2) await next();
    await clock.advance(9);
  }
  expect(published.map(({ view }) => view.version)).toEqual([1, 2]);
  const last = next();
  await clock.advance(1);
  await last;
  expect(published.map(({ view }) => view.version)).toEqual([1, 2, 201]);
  threads.close();
});

test('a plan is made known by itself only where its figures take longer than a slice', async () => {
  const held = gate();
  for (const [text, known] of [
    [toy, 0],
    [large, 1],
  ] as const) {
    const { documents, planned } = open(held.threads, 1e9, manualClock());
    documents.set(main, 1, text);
    await documents.view(main, 'names', none);
    expect(planned).toHaveLength(known);
    documents.close(main);
  }
  held.threads.close();
});

/** Every look at the clock takes as many milliseconds. */
function clockWithLooks(milliseconds: number): Clock {
  let now = 0;
  return { now: () => (now += milliseconds), sleep: () => Promise.resolve() };
}

test('a plan waits a frame for its figures, because announcing it delays them', async () => {
  const held = gate();
  for (const [milliseconds, known] of [
    [0.2, 0],
    [30, 1],
  ] as const) {
    const { documents, planned, published } = open(held.threads, 1e9, clockWithLooks(milliseconds));
    let seen = -1;
    documents.set(main, 1, toy);
    void documents.view(main, 'plan', none).then(() => (seen = published.length));
    await documents.view(main, 'figures', none);
    expect(planned).toHaveLength(known);
    // A slice ended between the plan and its figures: a request for the plan was answered first.
    expect(seen).toBe(0);
    documents.close(main);
  }
  held.threads.close();
});

test('texts that come as slowly as a person types are all published, at once', async () => {
  const threads = warmThreads();
  const clock = manualClock();
  const { documents, published, next } = open(threads, 1e9, clock);
  for (let version = 1; version <= 10; version += 1) {
    const shown = next();
    documents.set(main, version, `${toy}// ${version}\n`);
    await shown;
    await clock.advance(50);
  }
  expect(published.map(({ view }) => view.version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  threads.close();
});

test.each([
  ['plan(dapple)', 'dapple'],
  ['plan(alpa)', '1f1b'],
  ['plan(hetpipe)', 'pipedream'],
])('%s is found in a thread, and an edit that it does not depend on asks nothing again', async (stages, schedule) => {
  const held = gate();
  const { documents, failures } = open(held.threads);
  const planned = `model m { layer block[60] { forward = 4ms  backward = 8ms  weights = 64MiB  output = 1MiB } }
device d { memory = 1TiB }
device e { memory = 1TiB${stages === 'plan(hetpipe)' ? '  speed = 2' : ''} }
cluster c { gpu[0..7] = d  gpu[8..15] = ${stages === 'plan(hetpipe)' ? 'e' : 'd'}  link = 100GB/s }
pipeline train { model = m  devices = c  microbatches = 8  stages = ${stages}  schedule = ${schedule} }
`;
  documents.set(main, 1, planned);
  const names = await documents.view(main, 'names', none);
  expect(names?.analysis.pending).toEqual(['train']);
  expect(names?.analysis.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  documents.set(main, 2, `// a comment\n${planned}`);
  await documents.view(main, 'names', none);
  expect([held.asked.length, held.cancelled]).toEqual([1, 0]);
  held.open();
  const view = await documents.view(main, 'figures', none);
  expect(failures).toEqual([]);
  expect(view?.analysis.pending).toEqual([]);
  expect(view?.analysis.pipelines[0].run?.report.plan?.exact).toBe(true);
  held.threads.close();
});

const edits = 12;

test('a dozen edits next to a planner that takes long are published as they come, and nothing of an older text is', async () => {
  const held = gate();
  // Only what the other document asks for takes long.
  const quick = warmThreads();
  const run: Threads['run'] = (owner, search, problem) =>
    (owner === other ? held.threads : quick).run(owner, search, problem);
  const { documents, published, failures, next } = open({ ...held.threads, run }, 1e9);
  const text = (version: number): string => `model m { layer block[60] { forward = ${version}ms  backward = 8ms } }
device d { memory = 1TiB }
cluster c { gpu[16] = d  link = 100GB/s }
pipeline train { model = m  devices = c  microbatches = 8  stages = plan(dapple)  schedule = dapple }
${Array.from({ length: version % 3 }, (_, at) => `let spare${at} = 1\n`).join('')}`;
  const mine = (version: number): string => `${'// longer\n'.repeat(version % 4)}${toy.replace('4ms', `${version}ms`)}`;
  for (let version = 1; version <= edits; version += 1) {
    documents.set(other, version, text(version));
    expect((await documents.view(other, 'names', none))?.analysis.pending).toEqual(['train']);
    const before = published.length;
    const shown = next();
    documents.set(main, version, mine(version));
    await shown;
    await documents.view(main, 'figures', none);
    expect(published.slice(before).map(({ view }) => [view.uri, view.version])).toEqual([[main, version]]);
    expect(published.at(-1)?.view.analysis.findings).toEqual(analyse(mine(version), { uri: main }).findings);
  }
  // Each edit gives up the plan of the text before.
  expect([held.asked.length, held.cancelled]).toEqual([edits, edits - 1]);
  const shown = next();
  held.open();
  await shown;
  const view = await documents.view(other, 'figures', none);
  expect(published.slice(edits).map((each) => [each.view.uri, each.view.version])).toEqual([[other, edits]]);
  expect(view?.analysis.findings).toEqual(analyse(text(edits), { uri: other }).findings);
  expect(view?.analysis.pipelines[0].run?.report).toEqual(analyse(text(edits)).pipelines[0].run?.report);
  expect(failures).toEqual([]);
  held.threads.close();
  quick.close();
});

test('a cut by memory is found in a thread, and an edit that it does not depend on asks nothing again', async () => {
  const held = gate();
  const { documents, failures } = open(held.threads);
  const layers = Array.from(
    { length: 200 },
    (_, i) => `layer l${i} { forward = ${1 + (i % 7)}ms  backward = 8ms  activation = ${60 + (i % 5)}MiB }`,
  );
  const text = `model m {
${layers.join('\n')}
}
device d { memory = 1TiB }
cluster c { gpu[8] = d  link = 100GB/s }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(8, by = memory)  schedule = 1f1b }
`;
  documents.set(main, 1, text);
  expect((await documents.view(main, 'names', none))?.analysis.pending).toEqual(['train']);
  documents.set(main, 2, `// a comment\n${text}`);
  await documents.view(main, 'names', none);
  expect([held.asked.length, held.cancelled]).toEqual([1, 0]);
  held.open();
  const view = await documents.view(main, 'figures', none);
  expect(failures).toEqual([]);
  const { resolution } = analyse(text);
  expect(view?.analysis.resolution.plan.pipelines).toEqual(resolution.plan.pipelines);
  documents.set(main, 3, `// another comment\n${text}`);
  expect((await documents.view(main, 'figures', none))?.version).toBe(3);
  documents.set(main, 4, text.replace('activation = 64MiB', 'activation = 65MiB'));
  await documents.view(main, 'figures', none);
  expect(held.asked.length).toBe(2);
  held.threads.close();
});

test('a hover on a schedule does not search for its order itself', async () => {
  const threads = warmThreads();
  const { documents } = open(threads);
  const text = `${models}${pipeline('train', 8).replace('gpipe', 'zb_auto')}`;
  documents.set(main, 1, text);
  const view = await documents.view(main, 'figures', none);
  if (view === undefined) throw new Error('There is no view.');
  const position = view.lines.positionAt(text.indexOf('zb_auto'));
  const shown = (searches: Searches) =>
    JSON.stringify(hover(view, { textDocument: { uri: main }, position }, { abilities: { previews: true } }, searches));
  expect(shown(directSearches())).toMatch(/In `train`/);
  expect(shown(noSearches)).not.toMatch(/In `train`/);
  expect(await documents.answered(main, shown, none)).toBe(shown(directSearches()));
  threads.close();
});
