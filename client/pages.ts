/** Pages of the documentation, rendered next to the file. Links of diagnostics and hovers lead here instead of to the Markdown. */
import * as vscode from 'vscode';
import { pagePath } from './pagePath.ts';

/** Uri of the folder of pages, with a slash at the end. The editor hands links to it to this extension. */
export const pagesFolder = (extension: string): string => `${vscode.env.uriScheme}://${extension}/docs/`;

/** Opens the page that a link names; nothing for a link to anything else. */
export const pageOpener = (extension: vscode.Uri) =>
  async function open(link: vscode.Uri): Promise<void> {
    const path = pagePath(link.path);
    if (path === undefined) return;
    const page = vscode.Uri.joinPath(extension, path).with({ fragment: link.fragment });
    // A page that is opened from a page takes its place: to the side of the files, not one column further.
    if (isPageShown()) await vscode.commands.executeCommand('workbench.action.focusFirstEditorGroup');
    try {
      await vscode.commands.executeCommand('markdown.showPreviewToSide', page);
    } catch {
      // The editor's Markdown extension is switched off.
      await vscode.window.showTextDocument(page, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    }
  };

/** Whether the tab with the focus is a rendered page. */
function isPageShown(): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputWebview && input.viewType.includes('markdown.preview');
}
