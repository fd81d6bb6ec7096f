import { expect, test } from 'vitest';
import type { CodeAction, CodeLens, InlayHint } from 'vscode-languageserver';
import { analyse } from '../../support/analyse.ts';
import { applyEdits, main, offsetOf, positionAt, withClient } from '../../support/server.ts';
import { staged, toy } from './samples.ts';

const document = { textDocument: { uri: main } };
const whole = (text: string) => ({ start: { line: 0, character: 0 }, end: positionAt(text, text.length) });

test('the lens of a pipeline has its figures and opens the preview', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const [lens, ...others] = await client.request<CodeLens[]>('textDocument/codeLens', document);
    expect(others).toEqual([]);
    // (m + p − 1)(F + B) = 11 · 24 ms, idle (p − 1) / (m + p − 1) = 3 / 11; 2 layers: 4 in flight · 1 GiB + 2 · 512 MiB.
    expect(lens?.command?.title).toBe('iteration 264 ms · bubble 27.3 % · peak 5 GiB of 16 GiB');
    expect(lens?.command?.command).toBe('pipewright.openPreview');
    expect(lens?.command?.arguments).toEqual([main, 'train']);
    expect(toy.split('\n')[lens?.range.start.line ?? 0]).toMatch(/^pipeline train/);
  });
});

test('what the engine derived stands in the text as hints', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const hints = await client.request<InlayHint[]>('textDocument/inlayHint', { ...document, range: whole(toy) });
    const cut = hints.find((hint) => offsetOf(toy, hint.position) === toy.indexOf('balance(4)') + 'balance(4)'.length);
    expect(cut?.label).toMatch(/2.*2.*2.*2/);
    const none = await client.request<InlayHint[]>('textDocument/inlayHint', {
      ...document,
      range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
    });
    expect(none).toEqual([]);
  });
});

test('behind a plan stands what the planner says, and what the simulation makes of it', async () => {
  const text = toy.replace('balance(4)', 'plan(dapple)');
  await withClient(async (client) => {
    client.open(main, text);
    const hints = await client.request<InlayHint[]>('textDocument/inlayHint', { ...document, range: whole(text) });
    const at = text.indexOf('plan(dapple)') + 'plan(dapple)'.length;
    const plan = hints.find((hint) => offsetOf(text, hint.position) === at);
    expect(plan?.label).toMatch(/^\d stages?: [^a-z]+, planned [\d.]+ \S+, simulated [\d.]+ \S+$/);
  });
});

async function actionsAt(text: string, place: string, only?: readonly string[]): Promise<readonly CodeAction[]> {
  let found: readonly CodeAction[] = [];
  await withClient(async (client) => {
    client.open(main, text);
    const at = positionAt(text, text.indexOf(place));
    found =
      (await client.request<CodeAction[] | null>('textDocument/codeAction', {
        ...document,
        range: { start: at, end: at },
        context: { diagnostics: [], only },
      })) ?? [];
  });
  return found;
}

function applied(text: string, action: CodeAction): string {
  const [change] = action.edit?.documentChanges ?? [];
  const edits = change !== undefined && 'edits' in change ? change.edits : [];
  return applyEdits(
    text,
    edits.flatMap((edit) => ('newText' in edit ? [edit] : [])),
  );
}

test('a wrong spelling is mended by its fix', async () => {
  const text = toy.replace('= 1f1b', '= 1f1bb');
  const [fix] = await actionsAt(text, '1f1bb');
  expect(fix?.kind).toBe('quickfix');
  expect(fix?.diagnostics?.[0]?.code).toBe('name/unknown');
  expect(fix && applied(text, fix)).toBe(toy);
  expect(await actionsAt(text, '1f1bb', ['refactor'])).toEqual([]);
  expect((await actionsAt(text, '1f1bb', ['quickfix'])).length).toBeGreaterThan(0);
});

test('the balanced cut is written out by a refactoring that keeps every figure', async () => {
  const [action] = (await actionsAt(toy, 'balance(4)', ['refactor.rewrite'])).filter(
    (codeAction) => codeAction.kind === 'refactor.rewrite',
  );
  const after = analyse(action === undefined ? '' : applied(toy, action));
  const before = analyse(toy);
  expect(after.findings.filter((finding) => finding.severity === 'error')).toEqual([]);
  expect(after.syntax.text).toContain('stage ');
  expect(after.pipelines[0]?.run?.timeline.makespan).toBe(before.pipelines[0]?.run?.timeline.makespan);
});

test('nothing is offered where nothing is wrong', async () => {
  expect(await actionsAt(staged, 'card', ['quickfix'])).toEqual([]);
});
