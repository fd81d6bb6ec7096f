/** Opens a link to a view: its file, if a folder of this window has it, and the preview as the link says. */
import * as vscode from 'vscode';
import type { PreviewState } from '../webview/protocol/messages.ts';
import { columnOf } from './preview/source.ts';
import { quoted, readLink } from './viewLink.ts';

export type Restore = (uri: vscode.Uri, state: PreviewState) => void;

export async function openLink({ path, query }: vscode.Uri, restore: Restore): Promise<void> {
  const link = readLink(path, query);
  if ('problem' in link) return refuse(link.problem);
  const file = quoted(link.path);
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  if (!isTrusted) return refuse(`Trust this workspace, then open the link to ${file} again.`);
  const uri = await inFolders(link.path, workspaceFolders);
  if (uri === undefined) return refuse(`Open the folder that has ${file}, then open the link again.`);
  const document = await vscode.workspace.openTextDocument(uri);
  const viewColumn = columnOf(uri) ?? vscode.ViewColumn.One;
  await vscode.window.showTextDocument(document, { viewColumn, preview: false });
  restore(uri, { ...link.view, uri: uri.toString() });
}

/** The first file with this path in a folder. In a window with several folders, a path may begin with the name of one. */
async function inFolders(path: string, folders: readonly vscode.WorkspaceFolder[]): Promise<vscode.Uri | undefined> {
  const [first, ...rest] = path.split('/');
  const named = folders.filter(({ name }) => name === first && rest.length > 0);
  const places = [
    ...named.map(({ uri }) => vscode.Uri.joinPath(uri, ...rest)),
    ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, path)),
  ];
  for (const place of places) if (await isFile(place)) return place;
  return undefined;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

function refuse(sentence: string): void {
  void vscode.window.showErrorMessage(sentence);
}
