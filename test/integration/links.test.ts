import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, until } from './editor.ts';

const tabs = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
/** As the editor does with all links of its scheme: the extension gets it. */
const openLink = (rest: string) =>
  vscode.commands.executeCommand(
    'vscode.open',
    vscode.Uri.parse(`${vscode.env.uriScheme}://pipewright.pipewright/${rest}`),
  );

suite('links to views', () => {
  setup(closeAll);
  teardown(closeAll);

  test('a link opens its file of the workspace and the preview beside it', async () => {
    await openLink('view/good.pipe?pipeline=train&from=0.05&to=0.1&set=microbatches:16&select=block:F:0:3');
    await until('the preview', () => tabs().some(({ label }) => label === 'Preview good.pipe'));
    const [text] = tabs().flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri.path] : []));
    assert.match(text ?? '', /\/good\.pipe$/);
    // Nothing is written.
    assert(vscode.workspace.textDocuments.every(({ isDirty }) => !isDirty));
  });

  test('nonsense, and files that no folder has, open nothing', async () => {
    for (const rest of [
      'view/../../etc/passwd.pipe',
      'view//etc/a.pipe',
      'view/none.pipe',
      'view/good.pipe?select=x',
      'view/good.pipe?command=workbench.action.closeWindow',
      'command/workbench.action.files.newUntitledFile',
    ])
      await openLink(rest);
    // The last one is followed after all others.
    await openLink('view/good.pipe');
    await until('the preview', () => tabs().some(({ label }) => label === 'Preview good.pipe'));
    assert.deepEqual(
      tabs().map(({ label }) => label),
      ['good.pipe', 'Preview good.pipe'],
    );
  });
});
