import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, errorsOf, open, replace, until } from './editor.ts';

suite('language server', () => {
  teardown(closeAll);

  test('a restart keeps diagnostics true', async () => {
    const editor = await open('broken.pipe');
    const { uri } = editor.document;
    await until('an error', () => errorsOf(uri));
    await vscode.commands.executeCommand('pipewright.restartServer');
    await until('the error again', () => errorsOf(uri));
    await replace(editor, 'toyy', 'toy');
    await until('no error', () => errorsOf(uri).length === 0);
  });

  test('restarts that overlap leave one server', async () => {
    const editor = await open('broken.pipe');
    const { uri } = editor.document;
    await until('an error', () => errorsOf(uri));
    await Promise.allSettled([1, 2, 3].map(() => vscode.commands.executeCommand('pipewright.restartServer')));
    const errors = await until('the error again', () => errorsOf(uri));
    assert.equal(errors.length, 1);
  });
});
