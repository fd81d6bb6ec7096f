import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, open, until } from './editor.ts';

const tabs = (): vscode.Tab[] =>
  vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('pipewright.preview'));
const labels = (): string[] => tabs().map(({ label }) => label);
const columns = (): vscode.ViewColumn[] => tabs().map(({ group }) => group.viewColumn);
const textTabs = (uri: vscode.Uri): vscode.Tab[] =>
  vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());

async function previewOf(name: string): Promise<vscode.TextEditor> {
  const editor = await open(name);
  await vscode.commands.executeCommand('pipewright.openPreview');
  await until('a preview', () => labels().includes(`Preview ${name}`));
  return editor;
}

/** Gives the focus to the preview's tab, as a click on it does. */
async function focusPreview(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.focusSecondEditorGroup');
  await until(
    'the focus in the preview',
    () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview,
  );
}

suite('previews and files', () => {
  teardown(closeAll);

  test('a preview that follows shows the active file; pinned again it stays', async () => {
    await previewOf('good.pipe');
    await focusPreview();
    await vscode.commands.executeCommand('pipewright.followActiveFile');
    await open('broken.pipe');
    await until('the other file', () => labels().includes('Preview broken.pipe'));
    assert.equal(tabs().length, 1);
    await focusPreview();
    await vscode.commands.executeCommand('pipewright.pinPreview');
    await open('good.pipe');
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.deepEqual(labels(), ['Preview broken.pipe']);
  });

  test('a preview that shows another file under its own does not follow, so that the text of both can be edited', async () => {
    const { document } = await previewOf('good.pipe');
    await focusPreview();
    await vscode.commands.executeCommand('pipewright.followActiveFile');
    const other = vscode.Uri.joinPath(document.uri, '..', 'broken.pipe');
    await vscode.commands.executeCommand('pipewright.comparePreview', document.uri, other);
    await open('broken.pipe');
    await new Promise((resolve) => setTimeout(resolve, 2000));
    assert.deepEqual(labels(), ['Preview good.pipe']);
  });

  test('a file may have several previews', async () => {
    await previewOf('good.pipe');
    await vscode.commands.executeCommand('pipewright.openAnotherPreview');
    await until('two previews', () => labels().length === 2);
    assert.deepEqual(new Set(labels()), new Set(['Preview good.pipe']));
    // Next to each other: neither covers the other, or the text.
    assert.deepEqual(columns(), [vscode.ViewColumn.Two, vscode.ViewColumn.Three]);
  });

  test('a preview follows its file when it is renamed in the editor, or its folder is', async () => {
    const { document } = await previewOf('good.pipe');
    const folder = vscode.Uri.joinPath(document.uri, '..');
    const there = (name: string) => vscode.Uri.joinPath(folder, name);
    await vscode.workspace.fs.copy(document.uri, there('plans/first.pipe'), { overwrite: true });
    await open('plans/first.pipe');
    await vscode.commands.executeCommand('pipewright.openPreview');
    await until('its preview', () => labels().includes('Preview first.pipe'));
    const rename = async (from: string, to: string) => {
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(there(from), there(to));
      assert(await vscode.workspace.applyEdit(edit));
    };
    await rename('plans/first.pipe', 'plans/second.pipe');
    await until('the new name', () => labels().includes('Preview second.pipe'));
    await rename('plans', 'older');
    await rename('older/second.pipe', 'older/third.pipe');
    await until('the name in the renamed folder', () => labels().includes('Preview third.pipe'));
    await closeAll();
    await vscode.workspace.fs.delete(there('older'), { recursive: true });
  });

  test('the docked view opens and leaves the tabs alone', async () => {
    await open('good.pipe');
    await vscode.commands.executeCommand('pipewright.dockedPreview.focus');
    assert.deepEqual(labels(), []);
    await vscode.commands.executeCommand('workbench.action.closePanel');
  });

  test('the editor of a maximised preview is still in sight of the extension', async () => {
    // What `show` relies on: it moves the cursor there without activating the editor.
    const { document } = await previewOf('good.pipe');
    await focusPreview();
    await vscode.commands.executeCommand('workbench.action.toggleMaximizeEditorGroup');
    const editor = vscode.window.visibleTextEditors.find((candidate) => candidate.document === document);
    assert(editor, 'the text is a visible editor');
    editor.selection = new vscode.Selection(3, 0, 3, 0);
    assert.equal(textTabs(document.uri).length, 1);
    assert(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview);
    await vscode.commands.executeCommand('workbench.action.toggleMaximizeEditorGroup');
  });
});
