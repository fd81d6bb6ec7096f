import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, open, until } from './editor.ts';

const tabs = (): vscode.Tab[] =>
  vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('pipewright.preview'));

suite('preview', () => {
  teardown(closeAll);

  test('the command opens one preview a file, beside it, and leaves the focus in the text', async () => {
    const editor = await open('good.pipe');
    await vscode.commands.executeCommand('pipewright.openPreview');
    const [tab] = await until('a preview', tabs);
    assert.equal(tab?.label, 'Preview good.pipe');
    assert.equal(tab?.group.viewColumn, vscode.ViewColumn.Two);
    assert.equal(vscode.window.activeTextEditor?.document, editor.document);
    await vscode.commands.executeCommand('pipewright.openPreview');
    assert.equal(tabs().length, 1);
  });

  test('a code lens passes the file and the pipeline', async () => {
    const { document } = await open('good.pipe');
    await vscode.commands.executeCommand('pipewright.openPreview', document.uri.toString(), 'train');
    await until('a preview', tabs);
  });

  test('two files have two previews', async () => {
    for (const name of ['good.pipe', 'broken.pipe']) {
      await open(name);
      await vscode.commands.executeCommand('pipewright.openPreview');
    }
    await until('two previews', () => tabs().length === 2);
    const columns = tabs().map(({ group }) => group.viewColumn);
    assert.deepEqual(
      columns.toSorted((a, b) => (a ?? 0) - (b ?? 0)),
      [vscode.ViewColumn.Two, vscode.ViewColumn.Three],
    );
    assert.deepEqual(
      tabs().map(({ group, isActive }) => isActive && group.tabs.length === 1),
      [true, true],
      'the second covers neither the first nor a text',
    );
  });

  test('without a .pipe file it opens nothing', async () => {
    await vscode.commands.executeCommand('pipewright.openPreview');
    assert.deepEqual(tabs(), []);
  });
});
