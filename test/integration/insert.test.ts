import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { insert, type InsertHost, insertText } from '../../client/preview/insert.ts';
import { closeAll, open } from './editor.ts';

function hostOf(editor: vscode.TextEditor): InsertHost {
  const extension = vscode.extensions.all.find(({ id }) => id.endsWith('.pipewright'));
  assert(extension, 'the extension is there');
  const requests = { send: () => Promise.resolve(undefined), notify: () => undefined };
  return { extension: extension.extensionUri, requests, uri: () => editor.document.uri };
}

suite('text inserted by the preview', () => {
  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await closeAll();
  });

  test('an example is inserted after the text, as one edit that undo takes back', async () => {
    const editor = await open('good.pipe');
    const before = editor.document.getText();
    editor.selection = new vscode.Selection(0, 1, 0, 1);
    await insert({ type: 'insertExample', name: 'quickstart' }, hostOf(editor));
    const after = editor.document.getText();
    assert.ok(after.startsWith(before.trimEnd()));
    assert.match(after, /\n\n\/\/\/ Eight equal layers on four 16 GiB GPUs\.\n[^]*expect train \{[^}]*\}\n$/);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), before);
  });

  test('on a blank line it is inserted there', async () => {
    const editor = await open('good.pipe');
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '\n'));
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    const rest = editor.document.getText().trimStart();
    assert.ok(await insertText(editor.document.uri, '// new\n'));
    assert.equal(editor.document.getText().replace(/\n{2,}/, '\n\n'), `// new\n\n${rest}`);
  });

  test('a name that is none of the examples inserts nothing', async () => {
    const editor = await open('good.pipe');
    const before = editor.document.getText();
    for (const name of ['../package', 'none', 'profiles'])
      await insert({ type: 'insertExample', name }, hostOf(editor));
    assert.equal(editor.document.getText(), before);
  });
});
