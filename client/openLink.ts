/** Opens a link to a view: its file, if a folder of this window has it, and the preview as the link says. */
import * as vscode from 'vscode';
import type { PreviewState } from '../webview/protocol/messages.ts';
import { linkTarget } from './linkTarget.ts';
import { columnOf } from './preview/source.ts';

export type Restore = (uri: vscode.Uri, state: PreviewState) => void;

export async function openLink(link: vscode.Uri, restore: Restore): Promise<void> {
  const { isTrusted, workspaceFolders: folders = [] } = vscode.workspace;
  const target = await linkTarget(link, { isTrusted, folders, join: vscode.Uri.joinPath, isFile });
  if ('problem' in target) {
    void vscode.window.showErrorMessage(target.problem);
    return;
  }
  const { uri, view } = target;
  const document = await vscode.workspace.openTextDocument(uri);
  const viewColumn = columnOf(uri) ?? vscode.ViewColumn.One;
  await vscode.window.showTextDocument(document, { viewColumn, preview: false });
  restore(uri, { ...view, uri: uri.toString() });
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}
