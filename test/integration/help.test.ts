import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createHelp, type PreviewHelp } from '../../client/preview/help.ts';
import type { ToPage } from '../../webview/protocol/messages.ts';
import type { HelpAnswer } from '../../webview/protocol/requests.ts';
import { at, closeAll, open } from './editor.ts';

interface Asked {
  readonly editor: vscode.TextEditor;
  readonly help: PreviewHelp;
  readonly posted: readonly ToPage[];
  /** Title of the fix on show, for each time that the plan was shown again. */
  readonly refreshed: readonly (string | undefined)[];
}

/** A preview that has asked for fixes of its file: the only one uses zb_h1. */
async function asked(): Promise<Asked> {
  const editor = await open('good.pipe');
  const { document } = editor;
  const start = at(document, '= 1f1b', 2);
  const figures = { iteration: 1, throughput: 1, bubble: 0, peak: 1, capacity: 1, fits: true };
  const answer: HelpAnswer = {
    version: document.version,
    fixes: [
      {
        title: 'Use zb_h1',
        edits: [{ range: { start, end: start.translate(0, 4) }, newText: 'zb_h1' }],
        effect: figures,
        diff: [],
      },
    ],
  };
  const posted: ToPage[] = [];
  const refreshed: (string | undefined)[] = [];
  const help = createHelp({
    requests: { send: <T>() => Promise.resolve(answer as T), notify: () => undefined },
    uri: () => document.uri,
    overrides: () => ({}),
    post: (message) => posted.push(message),
    // As a preview does: what is tried is for the version that the document has now.
    refresh: () => {
      refreshed.push(help.tried(document.version)?.title);
      return Promise.resolve();
    },
  });
  await help.receive({ type: 'help', request: 1, pipeline: 'train', about: 'bubble' });
  return { editor, help, posted, refreshed };
}

const insertAbove = (editor: vscode.TextEditor) =>
  editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '// above\n'));

suite('fixes that a preview asked for', () => {
  teardown(closeAll);

  test('a fix is shown, then applied as one edit', async () => {
    const { editor, help, posted } = await asked();
    const { document } = editor;
    assert.deepEqual(
      posted.map(({ type }) => type),
      ['fixes'],
    );
    await help.receive({ type: 'showFix', request: 1, index: 0 });
    assert.equal(help.tried(document.version)?.title, 'Use zb_h1');
    await help.receive({ type: 'applyFix', request: 1, index: 0 });
    assert.match(document.getText(), /schedule {5}= zb_h1/);
    await vscode.commands.executeCommand('undo');
    assert.match(document.getText(), /schedule {5}= 1f1b/);
  });

  test('after an edit between the two, nothing is written into text that has moved', async () => {
    const { editor, help } = await asked();
    const { document } = editor;
    await help.receive({ type: 'showFix', request: 1, index: 0 });
    await insertAbove(editor);
    const text = document.getText();
    assert.equal(help.tried(document.version), undefined);
    await help.receive({ type: 'applyFix', request: 1, index: 0 });
    assert.equal(document.getText(), text);
    await help.receive({ type: 'showFix', request: 1, index: 0 });
    assert.equal(help.tried(document.version), undefined);
  });

  test('an edit that arrives while the fix is on its way keeps it out', async () => {
    const { editor, help } = await asked();
    const { document } = editor;
    const before = document.getText();
    const applied = help.receive({ type: 'applyFix', request: 1, index: 0 });
    await Promise.all([insertAbove(editor), applied]);
    // Either the fix came first and whole, or the edit did and the fix was left out.
    const both = [before, before.replace('= 1f1b', '= zb_h1')].map((text) => `// above\n${text}`);
    assert(both.includes(document.getText()), document.getText());
  });

  test('an edit ends the show of a fix, once', async () => {
    const { editor, help, refreshed } = await asked();
    await help.receive({ type: 'showFix', request: 1, index: 0 });
    help.edited(editor.document.version);
    assert.deepEqual(refreshed, ['Use zb_h1']);
    await insertAbove(editor);
    help.edited(editor.document.version);
    help.edited(editor.document.version);
    assert.deepEqual(refreshed, ['Use zb_h1', undefined]);
  });

  test('a fix of an older answer is not written', async () => {
    const { editor, help } = await asked();
    const before = editor.document.getText();
    await help.receive({ type: 'help', request: 2, pipeline: 'train', about: 'bubble' });
    await help.receive({ type: 'applyFix', request: 1, index: 0 });
    assert.equal(editor.document.getText(), before);
  });
});
