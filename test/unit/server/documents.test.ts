import { expect, test, vi } from 'vitest';
import { CancellationToken, CancellationTokenSource } from 'vscode-languageserver';
import { defaultOptions, type EngineOptions } from '../../../engine/basics/host.ts';
import { createAnswers } from '../../../server/threads/answers.ts';
import { createDocuments, type Documents } from '../../../server/documents/documents.ts';
import type { Clock } from '../../../server/documents/host.ts';
import type { View } from '../../../server/view.ts';
import { main } from '../../support/server.ts';
import { analyse } from '../../support/analyse.ts';
import { nextTurn } from '../../../server/documents/eventLoop.ts';
import { toy } from './samples.ts';
import { hostOf, noLines } from '../../support/host.ts';
import { warmThreads } from '../../support/threads.ts';

function open(
  options: () => EngineOptions = () => defaultOptions,
  clock?: Clock,
): {
  readonly documents: Documents;
  readonly checked: View[];
  /** Whether each check was for a new text; otherwise for something around it. */
  readonly edited: boolean[];
  /** What was shown before the figures. */
  readonly waiting: readonly View[];
  readonly failures: unknown[];
  /** Documents whose imports are looked up, in order: each check begins so. */
  readonly taken: string[];
} {
  const checked: View[] = [];
  const edited: boolean[] = [];
  const waiting: View[] = [];
  const failures: unknown[] = [];
  const taken: string[] = [];
  const documents = createDocuments({
    files: {
      ...hostOf(),
      resolve(path, from) {
        taken.push(from);
        return path;
      },
      ...noLines,
      list: () => [],
      all: () => [],
    },
    answers: createAnswers(warmThreads()),
    options,
    ...(clock === undefined ? {} : { clock }),
    ready: Promise.resolve(),
    planned: () => {},
    checked(view, isEdited) {
      checked.push(view);
      edited.push(isEdited);
    },
    untested: () => {},
    waiting: (view) => waiting.push(view),
    closed: () => {},
    failed: (_, error) => failures.push(error),
  });
  return { documents, checked, edited, waiting, failures, taken };
}

const none = CancellationToken.None;

test('every new text counts as an edit, and a check because of something else does not: clients refresh only then', async () => {
  const { documents, edited } = open();
  const settled = () => documents.view(main, 'figures', none);
  documents.set(main, 1, toy);
  await settled();
  documents.set(main, 2, toy.replace('4ms', '5ms'));
  await settled();
  documents.recheck();
  await settled();
  documents.set(main, 3, toy);
  await settled();
  expect(edited).toEqual([true, true, false, true]);
});

test('an edit in a comment simulates nothing: evaluations are those of before', async () => {
  const { documents } = open();
  documents.set(main, 1, toy);
  const before = await documents.view(main, 'figures', none);
  documents.set(main, 2, toy.replace('// a slider', '// in the preview'));
  const after = await documents.view(main, 'figures', none);
  expect(after?.version).toBe(2);
  expect(before?.analysis.pipelines[0]?.run).toBeDefined();
  expect(after?.analysis.pipelines[0]).toBe(before?.analysis.pipelines[0]);
  documents.set(main, 3, toy.replace('4ms', '5ms'));
  const changed = await documents.view(main, 'figures', none);
  expect(changed?.analysis.pipelines[0]).not.toBe(before?.analysis.pipelines[0]);
});

test('a recheck of the same text keeps the tree’s evaluations', async () => {
  const { documents } = open();
  documents.set(main, 1, toy);
  const before = await documents.view(main, 'figures', none);
  documents.recheck();
  const after = await documents.view(main, 'figures', none);
  expect(after).not.toBe(before);
  expect(after?.analysis.pipelines[0]).toBe(before?.analysis.pipelines[0]);
});

test('of a burst of texts only the last is checked to the end', async () => {
  const { documents, checked } = open();
  for (let version = 1; version <= 20; version += 1) documents.set(main, version, `${toy}// ${version}\n`);
  expect((await documents.view(main, 'figures', none))?.version).toBe(20);
  expect(checked.map((view) => view.version)).toEqual([20]);
});

/** A clock by which every step of a check takes longer than a slice. */
function clockOfSteps(): Clock {
  let now = 0;
  return {
    now: () => (now += 100),
    sleep: nextTurn,
  };
}

test('a check that a newer text overtakes, at whatever step, is dropped', async () => {
  const newer = toy.replace('4ms', '5ms');
  const iteration = iterationOf(newer);
  let overtaken = 0;
  for (;;) {
    const { documents, checked } = open(undefined, clockOfSteps());
    documents.set(main, 1, toy);
    for (let turn = 0; turn < overtaken; turn += 1) await nextTurn();
    if (checked.length > 0) break;
    overtaken += 1;
    documents.set(main, 2, newer);
    await documents.view(main, 'figures', none);
    expect(checked.map(({ version, analysis }) => [version, analysis.syntax.text])).toEqual([[2, newer]]);
    expect(checked[0].analysis.pipelines[0].run?.report.iteration).toBe(iteration);
  }
  // Parsing, planning, each declaration and the simulation were overtaken.
  expect(overtaken).toBeGreaterThan(10);
});

const iterationOf = (text: string): number | undefined => analyse(text).pipelines[0].run?.report.iteration;

test('the words of each finding are a step: some take longer than a simulation', async () => {
  async function turnsOf(text: string): Promise<number> {
    const { documents, checked } = open(undefined, clockOfSteps());
    documents.set(main, 1, text);
    for (let turns = 0; ; turns += 1) {
      if (checked.length > 0) return turns;
      await nextTurn();
    }
  }
  const clean = `${toy}let used = 1\nlet a = used\nlet b = a\nlet c = b\n`;
  // Three names that nothing uses instead of one.
  const faulty = `${toy}let used = 1\nlet a = 1\nlet b = 1\nlet c = used\n`;
  expect(analyse(faulty).findings.length - analyse(clean).findings.length).toBe(2);
  expect((await turnsOf(faulty)) - (await turnsOf(clean))).toBe(2);
});

test('each turn of the event loop has one piece of work', async () => {
  const order: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 3; slice += 1) {
      await nextTurn();
      order.push(name);
    }
  };
  const input = async (): Promise<void> => {
    while (order.filter((name) => name !== 'input').length < 6) {
      order.push('input');
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all([work('a'), work('b'), input()]);
  // Input is read between any two of them, and they take turns.
  expect(order.join(' ').replaceAll(/(input )+/g, 'input ')).toBe('input a input b input a input b input a input b');
});

test('a request waits for the text that is current when it is answered', async () => {
  const { documents } = open();
  documents.set(main, 1, toy);
  const asked = documents.view(main, 'figures', none);
  documents.set(main, 2, `${toy}\n`);
  expect((await asked)?.version).toBe(2);
});

test('cancelled, closed and unknown documents give nothing', async () => {
  const { documents, checked } = open();
  documents.set(main, 1, toy);
  const source = new CancellationTokenSource();
  const asked = documents.view(main, 'figures', source.token);
  source.cancel();
  expect(await asked).toBeUndefined();
  const waiting = documents.view(main, 'figures', none);
  documents.close(main);
  expect(await waiting).toBeUndefined();
  expect(await documents.view('file:///nowhere', 'figures', none)).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(checked).toEqual([]);
});

test('the tree is there at once', () => {
  const { documents } = open();
  documents.set(main, 1, toy);
  expect(documents.syntax(main)?.syntax.declarations.length).toBe(6);
});

test('a check that throws is reported, and the next text is checked', async () => {
  let turn = 0;
  const { documents, failures } = open(() => {
    turn += 1;
    if (turn === 1) throw new Error('the disk is on fire');
    return defaultOptions;
  });
  documents.set(main, 1, toy);
  expect(await documents.view(main, 'figures', none)).toBeUndefined();
  expect(String(failures[0])).toMatch(/on fire/);
  documents.set(main, 2, toy);
  expect((await documents.view(main, 'figures', none))?.version).toBe(2);
});

test('a document that is edited is taken up before those that only something around them changed', async () => {
  const { documents, taken } = open();
  const uris = ['a', 'b', 'c'].map((name) => `file:///project/${name}.pipe`);
  for (const uri of uris) documents.set(uri, 1, `import "x.pipe"\n${toy}`);
  for (const uri of uris) await documents.view(uri, 'figures', none);
  // An edit right after another one waits for a pause.
  await new Promise((resolve) => setTimeout(resolve, 100));
  taken.length = 0;
  documents.recheck();
  documents.set(uris[2], 2, `import "x.pipe"\n${toy}\n`);
  await vi.waitFor(() => expect(new Set(taken)).toEqual(new Set(uris)));
  expect(taken[0]).toBe(uris[2]);
});

test('of many documents those that were asked about last are taken up first', async () => {
  const { documents, taken, checked } = open(undefined, clockOfSteps());
  const uris = Array.from({ length: 9 }, (_, index) => `file:///project/plan${index}.pipe`);
  for (const uri of uris) documents.set(uri, 1, `import "x.pipe"\n${toy}`);
  for (const uri of uris) await documents.view(uri, 'figures', none);
  await documents.view(uris[6], 'figures', none);
  taken.length = 0;
  const done = checked.length;
  documents.recheck();
  await documents.view(uris[4], 'names', none);
  await vi.waitFor(() => expect(checked.length).toBe(done + uris.length));
  const order = checked.slice(done).map(({ uri }) => uri);
  // One slice in four goes to the one that has waited longest.
  expect(order.indexOf(uris[4])).toBeLessThan(3);
  expect(order.indexOf(uris[6])).toBeLessThan(4);
  expect(new Set(order)).toEqual(new Set(uris));
});

test('of twenty files that are opened at once, each has its plan before most are simulated, and shows what the plan says', async () => {
  const { documents, checked, waiting } = open(undefined, clockOfSteps());
  const text = `${toy}let spare = 1\n`;
  const uris = Array.from({ length: 20 }, (_, index) => `file:///project/file${index}.pipe`);
  for (const each of uris) documents.set(each, 1, text);
  const planned = await Promise.all(uris.map((each) => documents.view(each, 'plan', none)));
  expect(planned.filter((view) => view === undefined)).toEqual([]);
  expect(checked.length).toBeLessThan(uris.length / 2);
  await Promise.all(uris.map((each) => documents.view(each, 'figures', none)));
  expect(checked).toHaveLength(uris.length);
  // What needs no simulation is shown once of each that waits.
  expect(waiting.length).toBeGreaterThan(uris.length / 2);
  expect(new Set(waiting.map(({ uri }) => uri)).size).toBe(waiting.length);
  for (const { analysis } of waiting) expect(analysis.findings.map(({ code }) => code)).toEqual(['name/unused']);
  expect(checked[0].analysis.findings.length).toBeGreaterThan(1);
});
