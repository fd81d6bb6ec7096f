import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { at, closeAll, codeOf, open, replace, until } from './editor.ts';

const run = <T>(command: string, ...args: readonly unknown[]): Promise<T> =>
  Promise.resolve(vscode.commands.executeCommand<T>(command, ...args));

suite('language features', () => {
  teardown(closeAll);

  test('hover explains a policy with the figures of the file', async () => {
    const { document } = await open('good.pipe');
    const hovers = await until('a hover', () =>
      run<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, at(document, '1f1b', 1)),
    );
    const text = hovers
      .flatMap(({ contents }) => contents.map((one) => (typeof one === 'string' ? one : one.value)))
      .join('\n');
    assert.match(text, /1F1B|1f1b/);
  });

  test('completion offers what fits and nothing else', async () => {
    const editor = await open('good.pipe');
    await replace(editor, 'schedule     = 1f1b', 'schedule     = ');
    const { document } = editor;
    const position = at(document, 'schedule     = ', 'schedule     = '.length);
    const labels = await until('policies', async () => {
      const list = await run<vscode.CompletionList>('vscode.executeCompletionItemProvider', document.uri, position);
      const found = list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
      return found.includes('1f1b') && found;
    });
    for (const wanted of ['gpipe', 'zb_h1']) assert(labels.includes(wanted), `${wanted} among ${labels.join(', ')}`);
    for (const other of ['model', 'v100', 'layer']) assert(!labels.includes(other), `${other} is no schedule`);
  });

  test('definition and references of a device', async () => {
    const { document } = await open('good.pipe');
    const use = at(document, '= v100', 2);
    const places = await until('a definition', () =>
      run<(vscode.Location | vscode.LocationLink)[]>('vscode.executeDefinitionProvider', document.uri, use),
    );
    const [place] = places;
    assert(place);
    const range = 'targetRange' in place ? (place.targetSelectionRange ?? place.targetRange) : place.range;
    assert.equal(document.getText(range), 'v100');
    const references = await run<vscode.Location[]>('vscode.executeReferenceProvider', document.uri, use);
    assert.equal(references.length, 2);
  });

  test('rename changes a declaration and its uses', async () => {
    const { document } = await open('good.pipe');
    const edit = await until('an edit', () =>
      run<vscode.WorkspaceEdit>(
        'vscode.executeDocumentRenameProvider',
        document.uri,
        at(document, 'device v100', 8),
        'a100',
      ),
    );
    assert(await vscode.workspace.applyEdit(edit));
    assert(!document.getText().includes('v100'));
    assert.equal(document.getText().split('a100').length - 1, 2);
  });

  test('formatting lays out an untidy line', async () => {
    const editor = await open('good.pipe');
    await replace(editor, 'device v100 { memory = 16GiB }', 'device   v100 {memory=16GiB}');
    const { document } = editor;
    const edits = await until('edits', () =>
      run<vscode.TextEdit[]>('vscode.executeFormatDocumentProvider', document.uri, { tabSize: 2, insertSpaces: true }),
    );
    const workspaceEdit = new vscode.WorkspaceEdit();
    workspaceEdit.set(document.uri, edits);
    assert(await vscode.workspace.applyEdit(workspaceEdit));
    assert.match(document.getText(), /^device v100 \{ memory = 16GiB \}$/m);
  });

  test('the code lens of a pipeline shows its figures and opens the preview', async () => {
    const { document } = await open('good.pipe');
    const lenses = await until('a lens', () =>
      run<vscode.CodeLens[]>('vscode.executeCodeLensProvider', document.uri, 10),
    );
    const lens = lenses.find(({ command }) => command?.command === 'pipewright.openPreview');
    // 1F1B on equal stages: (p - 1) / (m + p - 1) = 3/11 without transfers (Narayanan et al. 2021, section 2.2).
    assert.match(lens?.command?.title ?? '', /iteration .*bubble 2[78]\.\d\s?%/);
  });

  test('outline, folding, colours and links come from the server', async () => {
    const { document } = await open('good.pipe');
    const symbols = await until('symbols', () =>
      run<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', document.uri),
    );
    for (const name of ['toy', 'v100', 'box', 'train'])
      assert(
        symbols.some((symbol) => symbol.name === name),
        name,
      );
    const folds = await run<vscode.FoldingRange[]>('vscode.executeFoldingRangeProvider', document.uri);
    assert(folds.length >= 3);
    const tokens = await until('tokens', () =>
      run<vscode.SemanticTokens>('vscode.provideDocumentSemanticTokens', document.uri),
    );
    assert(tokens.data.length >= 5 * 10);
  });

  test('settings change what is reported', async () => {
    const { document } = await open('good.pipe');
    const settings = vscode.workspace.getConfiguration('pipewright', document.uri);
    const bubble = () =>
      vscode.languages.getDiagnostics(document.uri).find((diagnostic) => codeOf(diagnostic) === 'schedule/bubble');
    try {
      await settings.update('diagnostics.bubble', 0.05, vscode.ConfigurationTarget.Workspace);
      await until('a warning', () => bubble()?.severity === vscode.DiagnosticSeverity.Warning);
    } finally {
      await settings.update('diagnostics.bubble', undefined, vscode.ConfigurationTarget.Workspace);
    }
    await until('no warning', () => bubble()?.severity !== vscode.DiagnosticSeverity.Warning);
  });
});
