import * as vscode from 'vscode';
import type { PreviewState } from '../../webview/protocol/messages.ts';
import { writeLink } from '../viewLink.ts';
import { titleOf } from './titles.ts';

/** Puts a link to a view on the clipboard. */
export async function copyLink(id: string, view: PreviewState): Promise<void> {
  const uri = vscode.Uri.parse(view.uri);
  if (vscode.workspace.getWorkspaceFolder(uri) === undefined) {
    void vscode.window.showErrorMessage(
      `Links lead to files in the folders of a window. Open the folder of ${titleOf(uri)} first.`,
    );
    return;
  }
  const path = vscode.workspace.asRelativePath(uri);
  await vscode.env.clipboard.writeText(writeLink(vscode.env.uriScheme, id, { path, view }));
  void vscode.window.setStatusBarMessage('$(check) Copied the link to this view', 5000);
}
