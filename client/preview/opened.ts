import * as vscode from 'vscode';

/** The server knows open documents only, and a restored preview may come before its file's editor. Undefined where there is no such file. */
export async function opened(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}
