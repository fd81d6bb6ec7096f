/** Tasks that run the command line of the extension: they find mistakes of files that are not open. */
import * as vscode from 'vscode';
import { environment } from './ownProgram.ts';

const type = 'pipewright';
/** Paths in a call of a program: Windows takes some 32,000 characters. */
const mostFiles = 300;

/** As `tasks.json` has it. Without `files` it checks all of the folder. */
interface Definition extends vscode.TaskDefinition {
  readonly files?: readonly string[];
}

export function registerTasks({ extensionUri }: vscode.ExtensionContext): vscode.Disposable {
  const program = vscode.Uri.joinPath(extensionUri, 'dist', 'cli.js').fsPath;

  function check(folder: vscode.WorkspaceFolder, name: string, definition: Definition, files: readonly string[]) {
    const execution = new vscode.ProcessExecution(process.execPath, [program, 'check', ...files], {
      cwd: folder.uri.fsPath,
      env: environment,
    });
    const task = new vscode.Task(definition, folder, name, type, execution, '$pipewright');
    task.group = vscode.TaskGroup.Test;
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent };
    return task;
  }

  return vscode.tasks.registerTaskProvider(type, {
    async provideTasks() {
      const found = (vscode.workspace.workspaceFolders ?? [])
        .filter(({ uri }) => uri.scheme === 'file')
        .map(async (folder) => {
          const files = await filesIn(folder);
          if (files.length === 0) return [];
          const open = ['${file}'];
          return [
            check(folder, 'check all .pipe files', { type }, files),
            check(folder, 'check the open file', { type, files: open }, open),
          ];
        });
      return (await Promise.all(found)).flat();
    },
    /** One of `tasks.json`: the editor keeps its name and what it says of the output. */
    async resolveTask({ name, definition, scope }) {
      const folder = typeof scope === 'object' ? scope : vscode.workspace.workspaceFolders?.[0];
      const { files } = definition as Definition;
      return folder === undefined ? undefined : check(folder, name, definition, files ?? (await filesIn(folder)));
    },
  });
}

/** Paths below the folder, in order. */
async function filesIn(folder: vscode.WorkspaceFolder): Promise<readonly string[]> {
  const pattern = new vscode.RelativePattern(folder, '**/*.pipe');
  const found = await vscode.workspace.findFiles(pattern, '**/node_modules/**', mostFiles);
  return found.map((uri) => vscode.workspace.asRelativePath(uri, false)).toSorted();
}
