import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { closeAll, open } from './editor.ts';

suite('tasks and tools', () => {
  teardown(closeAll);

  test('tasks check all files of the folder, and the open one', async () => {
    await open('good.pipe');
    const tasks = await vscode.tasks.fetchTasks({ type: 'pipewright' });
    assert.deepEqual(tasks.map(({ name }) => name).toSorted(), ['check all .pipe files', 'check the open file']);
    const all = tasks.find(({ name }) => name === 'check all .pipe files');
    assert(all?.execution instanceof vscode.ProcessExecution);
    const [program, command, ...files] = all.execution.args;
    assert(existsSync(program));
    assert.equal(command, 'check');
    assert(files.includes('broken.pipe') && files.includes('good.pipe'), files.join(' '));
    assert.deepEqual(all.problemMatchers, ['$pipewright']);
  });

  test('extensions call the tools by name', async () => {
    await open('broken.pipe');
    // Of later editors than the types.
    const { lm } = vscode as unknown as {
      readonly lm?: {
        readonly invokeTool?: (
          name: string,
          options: { readonly input: object; readonly toolInvocationToken: undefined },
        ) => Promise<{ readonly content: readonly { readonly value: string }[] }>;
      };
    };
    assert(lm?.invokeTool !== undefined);
    const call = async (name: string, input: object): Promise<string> => {
      const answer = await lm.invokeTool?.(`pipewright_${name}`, { input, toolInvocationToken: undefined });
      return (answer?.content ?? []).map(({ value }) => value).join('');
    };
    assert.match(await call('check', { path: 'broken.pipe' }), /error \d+:\d+ name\/unknown/);
    assert.match(await call('explain', { name: 'bubble' }), /bubble/);
    // A file that is open is read as it is on the screen.
    const edit = new vscode.WorkspaceEdit();
    const { document } = await open('good.pipe');
    edit.insert(document.uri, new vscode.Position(0, 0), 'let wrong = misspelt\n');
    assert(await vscode.workspace.applyEdit(edit));
    assert.match(await call('check', { path: 'good.pipe' }), /error 1:\d+ name\/unknown/);
  });
});
