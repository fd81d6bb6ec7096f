/** Asks for the files of a recorded run. */
import * as vscode from 'vscode';

const kinds = [
  { label: '$(file) Files…', description: 'a trace of each rank, a summary, logs of timers', folders: false },
  {
    label: '$(folder) Folder…',
    description: 'with the traces of all ranks, in folders or not',
    folders: true,
  },
] as const;

const extensions = ['json', 'gz', 'jsonl', 'csv', 'log', 'txt'];

/** Undefined if nothing was chosen. Not every dialog offers files and folders at once. */
export async function chooseRun(title: string): Promise<readonly vscode.Uri[] | undefined> {
  const picked = await vscode.window.showQuickPick(kinds, { title, placeHolder: 'Traces of the run' });
  if (picked === undefined) return undefined;
  const chosen = await vscode.window.showOpenDialog({
    title,
    openLabel: 'Read',
    canSelectFiles: !picked.folders,
    canSelectFolders: picked.folders,
    canSelectMany: true,
    ...(picked.folders ? {} : { filters: { 'Recorded runs': extensions, 'All files': ['*'] } }),
  });
  return chosen === undefined || chosen.length === 0 ? undefined : chosen;
}

/** A run by the name of its folder or of its first file. */
export function runTitle(uris: readonly vscode.Uri[]): string {
  const [first] = uris;
  const name = first.path.slice(first.path.lastIndexOf('/') + 1);
  return uris.length === 1 ? name : `${name} and ${uris.length - 1} more`;
}
