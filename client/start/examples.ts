/** *Open Example…*: files that come with the extension, and what each shows. */
import * as vscode from 'vscode';
import { firstSentence } from './firstSentence.ts';

const folderOf = (extension: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(extension, 'examples');

export async function exampleText(extension: vscode.Uri, file: string): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folderOf(extension), file)));
}

/** Names of the files. */
export async function examplesOf(extension: vscode.Uri): Promise<readonly string[]> {
  const entries = await vscode.workspace.fs.readDirectory(folderOf(extension));
  return entries.flatMap(([name, type]) => (type === vscode.FileType.File && name.endsWith('.pipe') ? [name] : []));
}

export async function openExample(extension: vscode.Uri): Promise<void> {
  const files = await examplesOf(extension);
  const choices = await Promise.all(
    files.map(async (label) => ({ label, detail: firstSentence(await exampleText(extension, label)) })),
  );
  const chosen = await vscode.window.showQuickPick(choices, { title: 'Examples', matchOnDetail: true });
  if (chosen !== undefined)
    await vscode.window.showTextDocument(vscode.Uri.joinPath(folderOf(extension), chosen.label), { preview: true });
}
