/** Links that the editor hands to the extension: to pages of the documentation, and to views of files. */
import * as vscode from 'vscode';
import { openLink, type Restore } from './openLink.ts';
import { pageOpener } from './pages.ts';

export function openLinks(extension: vscode.Uri, restore: Restore): vscode.Disposable {
  const openPage = pageOpener(extension);
  return vscode.Disposable.from(
    // An extension has one handler.
    vscode.window.registerUriHandler({
      handleUri: (link) => (link.path.startsWith('/docs/') ? openPage(link) : openLink(link, restore)),
    }),
    vscode.commands.registerCommand('pipewright.openPage', (link: unknown) =>
      typeof link === 'string' ? openPage(vscode.Uri.parse(link)) : undefined,
    ),
  );
}
