import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { commandLine, extensionFolder } from './commandLine.ts';
import { closeAll, until } from './editor.ts';

const plan = `model m {
  layer a { forward = 20ms  backward = 12ms }
  layer b { forward = 7ms  backward = 12ms }
}
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b }
`;

suite('recorded runs', () => {
  let uri: vscode.Uri;
  const traces = (name: string): vscode.Uri[] =>
    [0, 1].map((rank) =>
      vscode.Uri.file(path.join(extensionFolder(), 'test/unit/runs/recorded', `${name}.rank${rank}.json.gz`)),
    );

  setup(async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert(folder);
    uri = vscode.Uri.joinPath(folder.uri, 'measured.pipe');
    await vscode.workspace.fs.writeFile(uri, Buffer.from(plan));
    await vscode.window.showTextDocument(uri);
  });
  teardown(async () => {
    // Only the editor with the focus is taken back to what is on disk.
    await vscode.window.showTextDocument(uri);
    await closeAll();
    await vscode.workspace.fs.delete(uri);
  });
  const diffs = (): vscode.TabInputTextDiff[] =>
    vscode.window.tabGroups.all.flatMap(({ tabs }) =>
      tabs.flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input] : [])),
    );
  const text = async () => (await vscode.workspace.openTextDocument(uri)).getText();

  test('the calibrated file is shown before it is written, and is what the command line writes', async () => {
    const written = commandLine(
      'calibrate',
      uri.fsPath,
      '--with',
      ...traces('mlp_1f1b_p2').map(({ fsPath }) => fsPath),
    );
    void vscode.commands.executeCommand('pipewright.calibrate', uri, 't', traces('mlp_1f1b_p2'));
    const diff = await until('the diff', () => diffs()[0]);
    const shown = await vscode.workspace.openTextDocument(diff.modified);
    assert.equal(shown.languageId, 'pipe');
    assert.equal(shown.getText(), written);
    assert.equal(await text(), plan);
    await vscode.commands.executeCommand('pipewright.acceptCalibration');
    assert.equal(diffs().length, 0);
    assert.equal(await text(), written);
  });

  test('a run of another pipeline changes nothing', async () => {
    // A message says why, in the words of the command line; nobody answers it.
    void vscode.commands.executeCommand('pipewright.calibrate', uri, 't', traces('mlp_dualpipe_v_p2'));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    assert.equal(diffs().length, 0);
    assert.equal(await text(), plan);
  });

  test('the head of a pipeline offers it, and the preview shows a run beside the file', async () => {
    const document = await vscode.workspace.openTextDocument(uri);
    const at = document.positionAt(plan.indexOf('pipeline t') + 3);
    const actions = await until('an action', async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        uri,
        new vscode.Range(at, at),
      );
      return found.filter(({ command }) => command?.command === 'pipewright.calibrate');
    });
    assert.equal(actions[0].title, 'Calibrate t with a recorded run…');
    assert.deepEqual(actions[0].command?.arguments, [uri.toString(), 't']);
    await vscode.commands.executeCommand('pipewright.compareRun', uri, traces('mlp_1f1b_p2'));
    await until('a preview', () =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label === 'Preview measured.pipe')),
    );
  });
});
