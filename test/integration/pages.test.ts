import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { at, closeAll, errorsOf, open, until } from './editor.ts';

/** The rendered pages that are open, with their columns. */
const pages = (): readonly { label: string; column: vscode.ViewColumn }[] =>
  vscode.window.tabGroups.all.flatMap(({ tabs, viewColumn }) =>
    tabs
      .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.includes('markdown'))
      .map(({ label }) => ({ label, column: viewColumn })),
  );

/** Files that are open as text. */
const texts = (): readonly string[] =>
  vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri.path.replace(/.*\//, '')] : [])),
  );

async function shows(file: string, page: RegExp): Promise<void> {
  const [shown] = await until('a page', () => pages());
  assert.match(shown?.label ?? '', page);
  assert.notEqual(shown?.column, vscode.ViewColumn.One);
  // The file stays, and no Markdown is opened as text.
  assert.deepEqual(texts(), [file]);
}

suite('pages of the documentation', () => {
  teardown(closeAll);

  test('the link of a diagnostic opens the rendered page next to the file', async () => {
    const { document } = await open('broken.pipe');
    const [error] = await until('an error', () => errorsOf(document.uri));
    const target = typeof error?.code === 'object' ? error.code.target : undefined;
    assert(target);
    // A link that the editor hands to the extension, as it does with all links of this scheme.
    assert.equal(target.scheme, vscode.env.uriScheme);
    assert.equal(target.authority, 'pipewright.pipewright');
    await vscode.commands.executeCommand('vscode.open', target);
    await shows('broken.pipe', /unknown/);
  });

  test('the link of a hover opens the rendered page next to the file, and the text of the hover runs no command', async () => {
    const { document } = await open('good.pipe');
    const hovers = await until('a hover', () =>
      vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        at(document, '1f1b', 1),
      ),
    );
    const contents = hovers
      .flatMap((hover) => hover.contents)
      .filter((content) => content instanceof vscode.MarkdownString);
    const trusted = contents.filter(({ isTrusted }) => isTrusted !== undefined && isTrusted !== false);
    assert.deepEqual(
      trusted.map(({ isTrusted }) => isTrusted),
      [{ enabledCommands: ['pipewright.openPage'] }],
    );
    const [, link = ''] = /\]\((command:[^)]+)\)/.exec(trusted[0]?.value ?? '') ?? [];
    const { scheme, path, query } = vscode.Uri.parse(link);
    assert.equal(scheme, 'command');
    await vscode.commands.executeCommand(path, ...(JSON.parse(query) as unknown[]));
    await shows('good.pipe', /1f1b/);
  });

  test('a page that is opened from a page takes its place', async () => {
    await open('good.pipe');
    const page = (name: string) => `${vscode.env.uriScheme}://pipewright.pipewright/docs/schedules/${name}.md`;
    await vscode.commands.executeCommand('pipewright.openPage', page('1f1b'));
    await shows('good.pipe', /1f1b/);
    await vscode.commands.executeCommand('workbench.action.focusSecondEditorGroup');
    await vscode.commands.executeCommand('pipewright.openPage', page('gpipe'));
    await until('the second page', () => pages().some(({ label }) => /gpipe/.test(label)) || undefined);
    assert.deepEqual([...new Set(pages().map(({ column }) => column))], [vscode.ViewColumn.Two]);
  });

  test('a command opens nothing but pages', async () => {
    await open('good.pipe');
    for (const link of ['file:///etc/passwd', 'x://y/docs/../package.json', 'command:workbench.action.quit', 7])
      await vscode.commands.executeCommand('pipewright.openPage', link);
    assert.deepEqual(pages(), []);
    assert.deepEqual(texts(), ['good.pipe']);
  });
});
