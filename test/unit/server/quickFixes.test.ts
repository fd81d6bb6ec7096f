import { createNameIndex } from '../../../server/names/fileNames.ts';
/** Fixes that are found once for a text: ahead of any request, in part for a list that is shown at once, and never for an old text. */
import { expect, test } from 'vitest';
import {
  CancellationToken,
  CodeActionKind,
  CodeActionTriggerKind,
  type CodeAction,
  type CodeActionContext,
} from 'vscode-languageserver';
import { effectWords, figuresOf } from '../../../engine/fixes/effect.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { shownTitle } from '../../../engine/fixes/proposal.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { createAnswers } from '../../../server/threads/answers.ts';
import { abilitiesOf } from '../../../server/capabilities.ts';
import { createDocuments, type Documents } from '../../../server/documents/documents.ts';
import { codeActions } from '../../../server/features/codeActions.ts';
import { createQuickFixes, type QuickFixes } from '../../../server/searches/quickFixes.ts';
import type { View } from '../../../server/view.ts';
import { analyse } from '../../support/analyse.ts';
import { hostOf, noLines } from '../../support/host.ts';
import { applyEdits, main, positionAt, withClient } from '../../support/server.ts';
import { warmThreads } from '../../support/threads.ts';
import { toy } from './samples.ts';

const none = CancellationToken.None;
/** Its trials take many slices. */
const long = toy.replace('microbatches = 8', 'microbatches = 16');

interface Opened {
  readonly documents: Documents;
  readonly fixes: QuickFixes;
  readonly failures: unknown[];
  /** How often fixes were looked for, in whole or in part. */
  begun(): number;
  ask(context: Partial<CodeActionContext>, at?: string): Promise<CodeAction[] | null>;
  /** The same with refactorings of the place, which need no finding. */
  askAll(context: Partial<CodeActionContext>, at?: string): Promise<CodeAction[] | null>;
  /** The refactorings that the first request found. */
  readonly refactored: Promise<unknown>;
  view(): Promise<View>;
}

/** `held`: the search for fixes waits for it, the search for refactorings does not. */
function open(text: string, quiet?: number, held: Promise<void> = Promise.resolve()): Opened {
  const failures: unknown[] = [];
  let count = 0;
  const documents = createDocuments({
    files: { ...hostOf(), ...noLines, list: () => [], all: () => [] },
    answers: createAnswers(warmThreads()),
    options: () => defaultOptions,
    ready: Promise.resolve(),
    planned: () => {},
    checked: (view) => fixes.ahead(view),
    untested: () => {},
    waiting: () => {},
    closed: () => {},
    failed: (_, error) => failures.push(error),
  });
  const counted: Documents = {
    ...documents,
    async answeredInSteps(...request) {
      count += 1;
      await held;
      return documents.answeredInSteps(...request);
    },
  };
  const fixes = createQuickFixes(counted, (error) => failures.push(error), quiet ?? 1e9);
  documents.set(main, 1, text);
  const view = async (): Promise<View> => {
    const found = await documents.view(main, 'figures', none);
    if (found === undefined) throw new Error('no view');
    return found;
  };
  let offer = (_found: unknown): void => {};
  const refactored = new Promise<unknown>((resolve) => {
    offer = resolve;
  });
  const askAll: Opened['askAll'] = async (context, at = '1f1b') => {
    const shown = await view();
    const place = shown.lines.positionAt(shown.syntax.text.indexOf(at));
    const params = {
      textDocument: { uri: main },
      range: { start: place, end: place },
      context: { diagnostics: [], ...context },
    };
    const abilities = abilitiesOf({ workspace: { workspaceEdit: { documentChanges: true } } });
    const ask = (work: Parameters<Documents['answeredInSteps']>[1]) => {
      const found = documents.answeredInSteps(main, work, none);
      offer(found);
      return found;
    };
    const given = { abilities, docs: undefined, names: createNameIndex(), fixes, ask: ask as never, patience: 0 };
    return await codeActions(shown, params, given, none);
  };
  return {
    documents,
    fixes,
    failures,
    begun: () => count,
    view,
    askAll,
    refactored,
    async ask(context, at) {
      const actions = await askAll(context, at);
      return actions?.filter(({ kind }) => kind?.startsWith(CodeActionKind.QuickFix)) ?? null;
    },
  };
}

const shown = { triggerKind: CodeActionTriggerKind.Invoked };
const titles = (actions: readonly CodeAction[] | null) => (actions ?? []).map(({ title }) => title);
const textAfter = (text: string, { edit }: CodeAction): string => {
  const [change] = edit?.documentChanges ?? [];
  const edits = change !== undefined && 'edits' in change ? change.edits : [];
  return applyEdits(
    text,
    edits.flatMap((each) => ('newText' in each ? [each] : [])),
  );
};

function expected(text: string, code = 'schedule/bubble'): readonly string[] {
  const analysis = analyse(text, { uri: main });
  const finding = analysis.findings.find((each) => each.code === code);
  if (finding === undefined) throw new Error(`no ${code}`);
  return fixesFor(analysis, finding, (changed) => analyse(changed, { uri: main })).map(shownTitle);
}

test('a list that is opened at once has fixes, each with its simulated effect; the best is known when all are', async () => {
  const { ask, failures } = open(long);
  const first = (await ask(shown)) ?? [];
  expect(first.length).toBeGreaterThan(0);
  expect(first.filter(({ isPreferred }) => isPreferred)).toEqual([]);
  const report = (text: string) => {
    const [{ run }] = analyse(text, { uri: main }).pipelines;
    if (run === undefined) throw new Error('it does not run');
    return figuresOf(run.report);
  };
  for (const action of first)
    expect(action.title).toContain(
      `: ${effectWords({ pipeline: 'train', before: report(long), after: report(textAfter(long, action)) }, 'time')}`,
    );
  const all = (await ask({})) ?? [];
  expect(titles(all)).toEqual(expected(long));
  expect(all.map(({ isPreferred }) => isPreferred)).toEqual(all.map((_, index) => index === 0));
  expect(titles(first)).not.toEqual(titles(all));
  expect(titles(await ask(shown))).toEqual(titles(all));
  expect(failures).toEqual([]);
});

test('a list that is opened waits for the first fix of a finding, though refactorings of its place are known', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { askAll, refactored } = open(long, undefined, held);
  let isShown = false;
  const asked = askAll(shown).finally(() => {
    isShown = true;
  });
  expect(await refactored).not.toEqual([]);
  // Timers of one duration end in order, so the wait of the list is over after this one.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isShown).toBe(false);
  release();
  const actions = (await asked) ?? [];
  expect(actions.some(({ kind }) => kind?.startsWith(CodeActionKind.QuickFix))).toBe(true);
});

test('a list that is opened where nothing is found holds the refactorings of its place', async () => {
  const { askAll } = open(toy);
  expect(titles(await askAll(shown, 'balance('))).toEqual(['Write the balanced stages into the file']);
});

test('requests that cannot show a part wait for all: light bulbs, and those that ask for one kind', async () => {
  const all = expected(long);
  for (const context of [{ triggerKind: CodeActionTriggerKind.Automatic }, { ...shown, only: ['quickfix'] }, {}]) {
    const { ask } = open(long);
    expect(titles(await ask(context))).toEqual(all);
  }
});

test('fixes of a text are found once, whoever asks and however often', async () => {
  const { ask, begun } = open(long);
  await Promise.all([ask({ only: ['quickfix'] }), ask(shown), ask({ only: ['quickfix'] })]);
  await ask({ only: ['quickfix'] });
  expect(begun()).toBe(1);
});

test('what was found of a finding stays found when the check has others to say; of a new text nothing does', async () => {
  const { documents, fixes, ask, view, begun } = open(long);
  await ask({ only: ['quickfix'] });
  const before = await view();
  const [bubble] = before.analysis.findings.filter(({ code }) => code === 'schedule/bubble');
  const found = fixes.of(before, bubble).found();
  const extended = documents.extend(before, [...before.analysis.findings, { ...bubble }]);
  if (extended === undefined) throw new Error('The view is not the newest.');
  fixes.ahead(extended);
  expect(fixes.of(extended, bubble).isDone()).toBe(true);
  expect(fixes.of(extended, bubble).found()).toBe(found);
  expect(begun()).toBe(1);
  documents.set(main, 2, `${long}// more\n`);
  const after = await view();
  fixes.ahead(after);
  for (const finding of after.analysis.findings) expect(fixes.of(after, finding).isDone()).toBe(false);
});

test('fixes are found ahead while nobody types; a request then finds them done', async () => {
  const { ask, begun, view, fixes } = open(long, 0);
  const { analysis } = await view();
  const [finding] = analysis.findings.filter(({ code }) => code === 'schedule/bubble');
  // It only watches: `ahead` has begun by then, or begins now.
  while (begun() < analysis.findings.length) await new Promise((resolve) => setTimeout(resolve, 1));
  await fixes.of(await view(), finding).done;
  const before = begun();
  expect(titles(await ask({ ...shown, only: ['quickfix'] }))).toEqual(expected(long));
  expect(begun()).toBe(before);
});

test('a request comes first: what is done ahead pauses and continues afterwards', async () => {
  const text = `${long}let unused = 1\n`;
  const { ask, view, fixes, begun } = open(text, 0);
  const { analysis } = await view();
  while (begun() === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  const unused = (await ask({ only: ['quickfix'] }, 'unused')) ?? [];
  expect(titles(unused).some((title) => title.startsWith('Remove'))).toBe(true);
  const [bubble] = analysis.findings.filter(({ code }) => code === 'schedule/bubble');
  expect(fixes.of(await view(), bubble).isDone()).toBe(false);
  expect(titles(await ask({ only: ['quickfix'] }))).toEqual(expected(text));
});

test('a new text ends it: no fix of the older one is offered, and nothing more is tried', async () => {
  const { ask, documents, fixes, begun } = open(long);
  const asked = ask({ only: ['quickfix'] });
  while (begun() === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  documents.set(main, 2, `// One more line.\n${long}`);
  fixes.stop(main);
  expect(await asked).toBeNull();
  const later = (await ask({ only: ['quickfix'] })) ?? [];
  expect(titles(later)).toEqual(expected(long));
  for (const action of later) expect(textAfter(`// One more line.\n${long}`, action)).toContain('// One more line.\n');
});

test('nothing is found ahead for pipelines that take long', async () => {
  const { view, begun } = open(toy.replace('= 8 in 1..64', '= 80000 in 1..80000'), 0);
  await view();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(begun()).toBe(0);
});

test('a light bulb asked through the protocol has the fixes of the finding and the refactorings of the place', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const at = positionAt(toy, toy.indexOf('balance('));
    const actions = await client.request<CodeAction[]>('textDocument/codeAction', {
      textDocument: { uri: main },
      range: { start: at, end: at },
      context: { diagnostics: [], triggerKind: CodeActionTriggerKind.Invoked },
    });
    expect(titles(actions)).toEqual(['Write the balanced stages into the file']);
  });
});
