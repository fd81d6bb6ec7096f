import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, codeOf, errorsOf, open, openByUser, replace, until } from './editor.ts';

suite('diagnostics', () => {
  teardown(closeAll);

  test('one mistake shows one error, at its place, and the mend clears it', async () => {
    const editor = await open('broken.pipe');
    const { document } = editor;
    const errors = await until('an error', () => errorsOf(document.uri));
    assert.deepEqual(errors.map(codeOf), ['name/unknown']);
    assert.equal(document.getText(errors[0]?.range), 'toyy');
    assert.match(errors[0]?.message ?? '', /Did you mean "toy"\?/);
    await replace(editor, 'toyy', 'toy');
    await until('no error', () => errorsOf(document.uri).length === 0);
  });

  test('a quick fix mends the spelling', async () => {
    const { document } = await open('broken.pipe');
    const [error] = await until('an error', () => errorsOf(document.uri));
    assert(error);
    const actions = await until('a quick fix', () =>
      vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        document.uri,
        error.range,
        'quickfix',
        5,
      ),
    );
    const fix = actions.find(({ edit }) => edit?.get(document.uri).some(({ newText }) => newText === 'toy'));
    assert(fix?.edit, `of ${actions.map(({ title }) => title).join(', ')}`);
    assert(await vscode.workspace.applyEdit(fix.edit));
    await until('no error', () => errorsOf(document.uri).length === 0);
  });

  test('closing the file takes its diagnostics away', async () => {
    const document = await openByUser('syntax.pipe');
    await until('an error', () => errorsOf(document.uri));
    await closeAll();
    await until('no diagnostics', () => vscode.languages.getDiagnostics(document.uri).length === 0);
  });
});
