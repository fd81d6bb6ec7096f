import type * as vscode from 'vscode';

/** The name of a file without its folders. */
export const titleOf = (uri: vscode.Uri): string => uri.path.slice(uri.path.lastIndexOf('/') + 1);

/** Title of the tab that shows a file. */
export const previewTitle = (uri: vscode.Uri): string => `Preview ${titleOf(uri)}`;
