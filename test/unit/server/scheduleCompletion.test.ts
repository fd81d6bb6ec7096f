/** Completion at `schedule =`: policies with the figures that they give in this file. */
import { expect, test } from 'vitest';
import { CancellationToken, type CompletionItem } from 'vscode-languageserver';
import { exposedGradients } from '../../../engine/analyze/shares.ts';
import { figuresOf } from '../../../engine/fixes/effect.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { bytes, iterationTime, share } from '../../../engine/basics/quantities.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import { createAnswers } from '../../../server/threads/answers.ts';
import type { Outcome } from '../../../server/completion/choice.ts';
import { createChoiceLists, type ChoiceList, type ChoiceLists } from '../../../server/completion/choiceLists.ts';
import { valueSlotAt } from '../../../server/completion/slot.ts';
import { cursorAt } from '../../../server/text/cursor.ts';
import { createDocuments, type Documents } from '../../../server/documents/documents.ts';
import type { Threads } from '../../../server/threads/threads.ts';
import { analyse } from '../../support/analyse.ts';
import { gate } from '../../support/gate.ts';
import { hostOf, noLines } from '../../support/host.ts';
import { cursorOf, marks } from '../../support/marks.ts';
import { main, positionAt, withClient } from '../../support/server.ts';
import { accepted, expectRanked, listAt, listed, rankedValue, shown } from './listed.ts';
import { toy } from './samples.ts';

const none = CancellationToken.None;
const asked = toy.replace('schedule     = 1f1b', 'schedule     = $0');

const reportOf = (text: string): PipelineReport | undefined => analyse(text).pipelines[0]?.run?.report;

/** Of gpipe, which two of the common engines run. */
const outcomeFor = (report: PipelineReport): Outcome => ({
  synchronous: true,
  figures: figuresOf(report),
  waits: exposedGradients(report),
  runners: ['torchtitan', 'PyTorch'],
});

function shortWords(report: PipelineReport): string {
  const { iteration, bubble, peak, fits } = figuresOf(report);
  return [iterationTime(iteration), share(bubble), bytes(peak), ...(fits ? [] : ['does not fit'])].join(' · ');
}

test('each policy has the figures of the file that accepting it gives, and the fastest that engines run come first', async () => {
  const { text, items } = await listed(asked);
  expect(items.map(({ label }) => label).toSorted()).toEqual(policies.map(({ name }) => name).toSorted());
  const simulated = items.filter((item) => shown(item) !== '');
  expect(simulated.length).toBeGreaterThan(12);
  for (const item of items) {
    // A long search is not run for a list.
    const report = item.label === 'search' ? undefined : reportOf(accepted(text, item));
    expect(`${item.label}: ${shown(item)}`).toBe(`${item.label}: ${report === undefined ? '' : shortWords(report)}`);
  }
  const training = simulated.flatMap((item) => {
    const { plan, run } = analyse(accepted(text, item)).pipelines[0];
    if (run === undefined || plan.iterations > 1) return [];
    const { fits, iteration } = figuresOf(run.report);
    return [{ fits, value: rankedValue(item, iteration) }];
  });
  const fitting = training.flatMap(({ fits, value }) => (fits ? [value] : []));
  expect(new Set(fitting.map(({ onPaper }) => onPaper)).size).toBe(2);
  expectRanked(fitting);
  const over = training.flatMap(({ fits, value }) => (fits ? [] : [value.iteration]));
  expect(over).toEqual(over.toSorted((a, b) => a - b));
  // 8 (F + B) + 3 (F + B) of 24 ms under 1F1B.
  const item = items.find(({ label }) => label === '1f1b');
  expect(item?.detail).toMatch(/^iteration 264 ms · bubble 27.3 % · peak /);
});

test('policies that do not fit are marked, and come after those that do', async () => {
  const { text, items } = await listed(asked.replace('memory = 16GiB', 'memory = 5GiB'));
  const simulated = items.filter(
    (item) => shown(item) !== '' && analyse(accepted(text, item)).pipelines[0].plan.iterations === 1,
  );
  const over = simulated.map((item) => shown(item).endsWith('does not fit'));
  expect(over).toContain(true);
  expect(over).toContain(false);
  expect(over.indexOf(true)).toBeGreaterThan(over.lastIndexOf(false));
});

test('a policy with several stages on a device comes with its arguments and its cut', async () => {
  const { items } = await listed(asked);
  const item = items.find(({ label }) => label === 'interleaved_1f1b');
  expect(item?.textEdit?.newText).toBe('interleaved_1f1b(chunks = ${1:2})');
  expect(item?.additionalTextEdits).toMatchObject([{ newText: '8' }]);
  const cut = await listed(asked.replace('balance(4)', 'balance(8)'));
  const suited = cut.items.find(({ label }) => label === 'interleaved_1f1b');
  expect(suited?.additionalTextEdits).toBeUndefined();
  const four = toy.replace('balance(4)', 'balance(16)').replace('block[8]', 'block[16]').replace('= 1f1b', '= $0');
  const chunks = (await listed(four)).items.find(({ label }) => label === 'interleaved_1f1b');
  expect(chunks?.textEdit?.newText).toBe('interleaved_1f1b(chunks = ${1:4})');
});

test('a cut that stands behind the schedule is changed too', async () => {
  const behind = asked.replace('  stages       = balance(4)\n', '').replace('= $0', '= gp$0ipe\n  stages = balance(4)');
  const { text, items } = await listed(behind);
  const item = items.find(({ label }) => label === 'zb_v');
  if (item === undefined) throw new Error('no zb_v');
  expect(accepted(text, item)).toContain('schedule     = zb_v\n  stages = balance(8)');
});

test('a cut that is not a number of the pipeline stays, and the list says what is missing', async () => {
  const { text, items } = await listed(`param cut = 4 in 1..8\n${asked.replace('balance(4)', 'balance(cut)')}`);
  const item = items.find(({ label }) => label === 'zb_v');
  if (item === undefined) throw new Error('no zb_v');
  expect(item.additionalTextEdits).toBeUndefined();
  expect(accepted(text, item)).toContain('param cut = 4');
  expect(JSON.stringify(item.documentation)).toContain('would use 2 of 4 devices');
  expect(items.findIndex(({ label }) => label === '1f1b')).toBeLessThan(items.indexOf(item));
});

test('a schedule for several stages on a device has no figures for stages that say their devices', async () => {
  const stages = [0, 1, 2, 3].map((at) => `stage s${at} { layers = block[${2 * at}..${2 * at + 1}]  on = gpu[${at}] }`);
  const { items } = await listed(asked.replace('stages       = balance(4)', stages.join('\n  ')));
  const item = items.find(({ label }) => label === 'zb_v');
  expect(item?.detail ?? '').not.toContain('iteration');
  expect(JSON.stringify(item?.documentation)).toContain('The schedule needs 8 for 4 devices');
});

test('a call is replaced with its arguments', async () => {
  const { text, items } = await listed(toy.replace('= 1f1b', '= dapp$0le(policy = B)'));
  const item = items.find(({ label }) => label === 'gpipe');
  if (item === undefined) throw new Error('no gpipe');
  expect(accepted(text, item)).toContain('schedule     = gpipe\n');
});

test('before a value that is there, the list has its figures and replaces it', async () => {
  for (const written of ['$01f1b', '$0dapple(policy = b)']) {
    const { text, items } = await listed(toy.replace('= 1f1b', `= ${written}`));
    const item = items.find(({ label }) => label === 'gpipe');
    if (item === undefined) throw new Error('no gpipe');
    expect(shown(item)).toContain('·');
    expect(accepted(text, item)).toContain('schedule     = gpipe\n');
  }
});

test('a pipeline with another error has the plain list', async () => {
  const { items } = await listed(asked.replace('model        = toy', 'model        = nothing'));
  expect(items.map(({ label }) => label)).toContain('1f1b');
  expect(items.every((item) => shown(item) === '' && item.data === undefined)).toBe(true);
});

/** So many microbatches that every simulation is left to a thread. */
const large = asked.replace('in 1..64', 'in 1..100000').replace('param microbatches = 8', 'param microbatches = 20000');

interface Opened {
  readonly documents: Documents;
  readonly lists: ChoiceLists;
  readonly failures: unknown[];
}

function open(threads: Threads, files: Readonly<Record<string, string>> = {}): Opened {
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  const documents = createDocuments({
    files: { ...hostOf(files), ...noLines, list: () => [], all: () => [] },
    answers: createAnswers(threads),
    options: () => defaultOptions,
    ready: Promise.resolve(),
    planned: () => {},
    checked: () => {},
    untested: () => {},
    waiting: () => {},
    closed: () => {},
    failed: (_, error) => failed(error),
    patience: 0,
  });
  return { documents, lists: createChoiceLists(documents, failed, 0), failures };
}

async function askIn({ documents, lists }: Opened, source: string) {
  const view = await documents.view(main, 'names', none);
  if (view === undefined) throw new Error('not open');
  const cursor = cursorAt(view.syntax, cursorOf(marks(source)));
  const slot = cursor && valueSlotAt(view.syntax, cursor);
  if (slot === undefined) throw new Error('no value at the cursor');
  return lists.at(view, slot);
}

/** Opens a text, or replaces it, and asks until the list is as far as wanted. */
async function listIn(
  opened: Opened,
  source: string,
  version: number,
  enough: (list: ChoiceList) => boolean,
): Promise<ChoiceList> {
  opened.documents.set(main, version, marks(source).text);
  opened.lists.stop(main);
  for (;;) {
    const list = await askIn(opened, source);
    if (enough(list)) return list;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const named = ({ choices }: ChoiceList): boolean => choices.length > 0;
const whole = ({ open: more }: ChoiceList): boolean => !more;

test('the list comes before its figures do, and a resolved item waits for its figures', async () => {
  const held = gate();
  const opened = open(held.threads);
  const list = await listIn(opened, large, 1, named);
  expect(list.open).toBe(true);
  expect(list.choices.length).toBe(policies.length);
  expect(list.choices.filter((choice) => list.outcome(choice) !== undefined)).toEqual([]);
  const gpipe = opened.lists.outcome(main, list.id, 'gpipe', none);
  held.open();
  const found = await gpipe;
  const report = reportOf(marks(large).text.replace(/schedule {5}= $/m, 'schedule     = gpipe'));
  expect(report?.operations).toBe(160_000);
  expect(found?.outcome).toEqual(report && outcomeFor(report));
  expect(opened.failures).toEqual([]);
  opened.lists.stop(main);
  held.threads.close();
});

test('a schedule that is being simulated for the file has its figures once they are there', async () => {
  const held = gate();
  const opened = open(held.threads);
  const written = large.replace('$0', 'gp$0ipe');
  const list = await listIn(opened, written, 1, named);
  held.open();
  const found = await opened.lists.outcome(main, list.id, 'gpipe', none);
  const report = reportOf(marks(written).text);
  expect(found?.outcome).toEqual(report && outcomeFor(report));
  opened.lists.stop(main);
  held.threads.close();
});

test('an edit gives up what is being simulated for the list, and for a resolved item', async () => {
  const held = gate();
  const opened = open(held.threads);
  const list = await listIn(opened, large, 1, named);
  while (held.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  opened.lists.stop(main);
  while (held.cancelled === 0) await new Promise((resolve) => setImmediate(resolve));
  const before = held.asked.length;
  const gpipe = opened.lists.outcome(main, list.id, 'gpipe', none);
  while (held.asked.length === before) await new Promise((resolve) => setImmediate(resolve));
  opened.documents.set(main, 2, marks(large).text.replace('4ms', '5ms'));
  opened.lists.stop(main);
  expect(await gpipe).toBeUndefined();
  held.open();
  expect(await opened.lists.outcome(main, list.id, 'gpipe', none)).toBeUndefined();
  opened.lists.stop(main);
  held.threads.close();
});

test('another pipeline of the file has another list, and the first one is given up', async () => {
  const second = marks(large).text.slice(
    marks(large).text.indexOf('pipeline train'),
    marks(large).text.indexOf('expect'),
  );
  const other = `${marks(large).text}\n${second.replace('train', 'other').replace(/schedule {5}= /, '$&$0')}`;
  const held = gate();
  const opened = open(held.threads);
  const text = marks(other).text;
  const first = await listIn(opened, text.replace(/schedule {5}= /, '$&$0'), 1, named);
  while (held.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (let list = await askIn(opened, other); !named(list); list = await askIn(opened, other))
    await new Promise((resolve) => setImmediate(resolve));
  while (held.cancelled === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await opened.lists.outcome(main, first.id, 'gpipe', none)).toBeUndefined();
  opened.lists.stop(main);
  held.threads.close();
});

test('typing the name keeps the figures; an edit elsewhere, or in an imported file, drops them', async () => {
  const held = gate();
  held.open();
  const opened = open(held.threads);
  const list = await listIn(opened, asked, 1, whole);
  const typed = await listIn(opened, asked.replace('$0', 'gp$0'), 2, whole);
  expect(typed.id).toBe(list.id);
  expect(await opened.lists.outcome(main, list.id, 'gpipe', none)).toMatchObject({ outcome: { synchronous: true } });
  opened.documents.recheck([main]);
  expect(await opened.lists.outcome(main, list.id, 'gpipe', none)).toBeUndefined();
  const again = await listIn(opened, asked, 3, whole);
  expect(again.id).not.toBe(list.id);
  opened.documents.set(main, 4, marks(asked).text.replace('4ms', '5ms'));
  expect(await opened.lists.outcome(main, again.id, 'gpipe', none)).toBeUndefined();
  opened.documents.close(main);
  opened.lists.stop(main);
  held.threads.close();
});

test('the figures of a resolved item are those of its file; items of older texts and of others stay as they are', async () => {
  const { text } = marks(asked);
  await withClient(async (client) => {
    client.open(main, text);
    const items = await listAt(client, positionAt(text, cursorOf(marks(asked))));
    const list = items.find(({ label }) => label === 'gpipe');
    expect(list?.detail).toMatch(/^iteration 264 ms/);
    for (const data of [undefined, 7, null, { uri: main }, { uri: main, list: 999, value: 'gpipe' }]) {
      const item = { label: 'gpipe', ...(data === undefined ? {} : { data }) };
      expect(await client.request('completionItem/resolve', item)).toEqual(item);
    }
    const item = {
      label: 'gpipe',
      detail: 'gpipe()',
      documentation: 'All forwards first.',
      data: { uri: main, list: 1, value: 'gpipe' },
    };
    const resolved = await client.request<CompletionItem>('completionItem/resolve', item);
    expect(resolved.detail).toBe(list?.detail);
    expect(JSON.stringify(resolved.documentation)).toContain('All forwards first.');
    client.change(main, text.replace('4ms', '5ms'));
    expect(await client.request('completionItem/resolve', item)).toEqual(item);
  });
});
