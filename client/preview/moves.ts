/** Files that were renamed or deleted, inside the editor or outside it. */
import * as vscode from 'vscode';

export interface MovesHost {
  /** The file of a preview has another name now. */
  moved(from: vscode.Uri, to: vscode.Uri): void;
  /** The file is gone. `renamed`: a file that appeared at the same time with the same text. */
  deleted(uri: vscode.Uri, renamed: vscode.Uri | undefined): void;
  /** The file is there (again). */
  created(uri: vscode.Uri): void;
  /** The newest text that a preview showed of the file; undefined if there is none. */
  textOf(uri: vscode.Uri): string | undefined;
}

/** Other programs rename by deleting one name and creating another, in any order, within this time. */
const renameMs = 1000;

export function watchMoves(host: MovesHost): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/*.pipe', false, true, false);
  let created: readonly { readonly uri: vscode.Uri; readonly at: number }[] = [];

  const recent = () => created.filter(({ at }) => Date.now() - at < 2 * renameMs);

  async function renamed(text: string | undefined): Promise<vscode.Uri | undefined> {
    if (text === undefined) return undefined;
    for (const { uri } of recent()) {
      try {
        if (new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)) === text) return uri;
      } catch {
        // Gone again.
      }
    }
    return undefined;
  }

  async function deleted(uri: vscode.Uri): Promise<void> {
    const text = host.textOf(uri);
    await new Promise((resolve) => setTimeout(resolve, renameMs));
    // Programs that save by replacing the file delete it for a moment.
    if (await exists(uri)) return;
    host.deleted(uri, await renamed(text));
  }

  return vscode.Disposable.from(
    watcher,
    watcher.onDidCreate((uri) => {
      created = [...recent(), { uri, at: Date.now() }];
      host.created(uri);
    }),
    watcher.onDidDelete((uri) => void deleted(uri)),
    vscode.workspace.onDidRenameFiles(({ files }) => {
      for (const { oldUri, newUri } of files) host.moved(oldUri, newUri);
    }),
  );
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
