import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { at, closeAll, open, until } from './editor.ts';

suite('built-in policies', () => {
  teardown(closeAll);

  test('go to definition leads to a read-only document of the policy', async () => {
    const { document } = await open('good.pipe');
    const places = await until('a definition', () =>
      vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
        'vscode.executeDefinitionProvider',
        document.uri,
        at(document, '1f1b', 1),
      ),
    );
    const [place] = places;
    assert(place);
    const uri = 'targetUri' in place ? place.targetUri : place.uri;
    assert.equal(uri.scheme, 'pipewright-policy');
    const policy = await vscode.workspace.openTextDocument(uri);
    assert.equal(policy.languageId, 'pipe');
    assert.match(policy.getText(), /1F1B|1f1b/);
    assert(!policy.getText().includes('There is nothing at'));
  });

  test('an unknown name says so', async () => {
    await open('good.pipe');
    const policy = await vscode.workspace.openTextDocument(vscode.Uri.parse('pipewright-policy:/nothing.pipe'));
    assert.match(policy.getText(), /There is nothing at pipewright-policy:\/nothing\.pipe/);
  });
});
