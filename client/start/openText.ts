import * as vscode from 'vscode';

/** Opens a text as a new file that has no name yet, and its preview next to it. */
export async function openText(content: string): Promise<vscode.Uri> {
  const document = await vscode.workspace.openTextDocument({ language: 'pipe', content });
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand('pipewright.openPreview', document.uri);
  return document.uri;
}
