/** What a preview offers for a file without a pipeline: examples, files of other programs, and the guides of the package. */
import * as vscode from 'vscode';
import type { FromPage } from '../../webview/protocol/messages.ts';
import type { Requests } from '../languageClient.ts';
import { chosenImport } from '../start/chosenImport.ts';
import { examplesOf, exampleText, openExample } from '../start/examples.ts';

export type InsertMessage = Extract<
  FromPage,
  { readonly type: 'insertExample' | 'importSchedule' | 'openExamples' | 'openGuide' }
>;

export interface InsertHost {
  readonly extension: vscode.Uri;
  readonly requests: Requests;
  uri(): vscode.Uri | undefined;
}

export async function insert(message: InsertMessage, host: InsertHost): Promise<void> {
  switch (message.type) {
    case 'insertExample':
      return insertExample(message.name, host);
    case 'importSchedule':
      return importSchedule(host);
    case 'openExamples':
      return openExample(host.extension);
    case 'openGuide': {
      const guide = vscode.Uri.joinPath(host.extension, 'docs', 'language.md');
      await vscode.commands.executeCommand('markdown.showPreview', guide);
    }
  }
}

/** The name comes from a page: only files of the folder count. */
async function insertExample(name: string, { extension, uri }: InsertHost): Promise<void> {
  const file = uri();
  const wanted = `${name}.pipe`;
  if (file === undefined || !(await examplesOf(extension)).includes(wanted)) return;
  await insertText(file, await exampleText(extension, wanted));
}

/** One edit that can be undone: at the cursor if its line is blank, otherwise at the end of the text. */
export async function insertText(uri: vscode.Uri, text: string): Promise<boolean> {
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = vscode.window.visibleTextEditors.find((candidate) => candidate.document === document);
  const cursor = editor?.selection.active;
  const blank = cursor !== undefined && document.lineAt(cursor.line).isEmptyOrWhitespace;
  const at = blank ? cursor : document.lineAt(document.lineCount - 1).range.end;
  const before = document.getText(new vscode.Range(new vscode.Position(0, 0), at));
  const after = document.getText(new vscode.Range(at, document.lineAt(document.lineCount - 1).range.end));
  const gap = before.trim() === '' ? '' : before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  const tail = after.trim() === '' ? '\n' : '\n\n';
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, at, `${gap}${text.trimEnd()}${tail}`);
  return vscode.workspace.applyEdit(edit);
}

async function importSchedule({ requests, uri }: InsertHost): Promise<void> {
  const file = uri();
  if (file === undefined) return;
  const read = await chosenImport(requests, file.scheme === 'untitled' ? undefined : vscode.Uri.joinPath(file, '..'));
  if (read === undefined || (await insertText(file, read.pipe))) return;
  void vscode.window.showErrorMessage(`${read.name} was not imported: the file has just changed. Import it again.`);
}
