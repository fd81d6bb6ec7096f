import * as vscode from 'vscode';
import { mayPreview } from './documentUris.ts';
import { isServedHere } from './served.ts';

/** The document of a uri that came as text; undefined for one whose preview must not be opened. */
export function namedDocument(text: string): vscode.Uri | undefined {
  let uri: vscode.Uri;
  try {
    uri = vscode.Uri.parse(text, true);
  } catch {
    return undefined;
  }
  const { window, workspace } = vscode;
  const key = uri.toString();
  const inTab = window.tabGroups.all.some(({ tabs }) =>
    tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === key),
  );
  const around = {
    isServed: isServedHere(uri.scheme),
    isOpen: inTab || workspace.textDocuments.some((document) => document.uri.toString() === key),
    inWorkspace: workspace.getWorkspaceFolder(uri) !== undefined,
    hasFolders: (workspace.workspaceFolders?.length ?? 0) > 0,
  };
  return mayPreview(uri, around) ? uri : undefined;
}
