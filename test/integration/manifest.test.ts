import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, open, until } from './editor.ts';

suite('activation', () => {
  teardown(closeAll);

  test('a .pipe file has the language and starts the extension', async () => {
    const { document } = await open('good.pipe');
    assert.equal(document.languageId, 'pipe');
    const extension = vscode.extensions.getExtension('pipewright.pipewright');
    assert(extension);
    await until('activation', () => extension.isActive);
  });

  test('every command of the manifest exists', async () => {
    await open('good.pipe');
    const extension = vscode.extensions.getExtension('pipewright.pipewright');
    await extension?.activate();
    const contributed: { command: string }[] = extension?.packageJSON.contributes.commands;
    const known = await vscode.commands.getCommands(true);
    assert.deepEqual(
      contributed.filter(({ command }) => !known.includes(command)),
      [],
    );
    assert(contributed.length > 0);
  });

  test('settings have the defaults of the engine', () => {
    const settings = vscode.workspace.getConfiguration('pipewright');
    assert.equal(settings.get('limits.operations'), 4_000_000);
    assert.equal(settings.get('diagnostics.headroom'), null);
    assert.equal(settings.get('diagnostics.bubble'), 0.3);
    assert.equal(settings.get('memory.context'), 1.5);
  });
});
