/** What a preview offers for a file without a pipeline: examples, files of other programs, and the guides of the package. */
import * as vscode from 'vscode';
import type { FromPage } from '../../webview/protocol/messages.ts';
import { methods, type ImportAnswer, type ImportRequest } from '../../webview/protocol/requests.ts';
import type { Requests } from '../languageClient.ts';

export type InsertMessage = Extract<
  FromPage,
  { readonly type: 'insertExample' | 'importSchedule' | 'openExamples' | 'openGuide' }
>;

export interface InsertHost {
  readonly extension: vscode.Uri;
  readonly requests: Requests;
  uri(): vscode.Uri | undefined;
}

const decoder = new TextDecoder();
/** A larger file is no schedule that anyone wants in a text. */
const mostBytes = 32 * 2 ** 20;

export async function insert(message: InsertMessage, host: InsertHost): Promise<void> {
  switch (message.type) {
    case 'insertExample':
      return insertExample(message.name, host);
    case 'importSchedule':
      return importSchedule(host);
    case 'openExamples':
      return openExamples(host.extension);
    case 'openGuide': {
      const guide = vscode.Uri.joinPath(host.extension, 'docs', 'language.md');
      await vscode.commands.executeCommand('markdown.showPreview', guide);
    }
  }
}

async function examplesOf(extension: vscode.Uri): Promise<readonly string[]> {
  const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(extension, 'examples'));
  return entries.flatMap(([name, type]) => (type === vscode.FileType.File && name.endsWith('.pipe') ? [name] : []));
}

/** The name comes from a page: only files of the folder count. */
async function insertExample(name: string, { extension, uri }: InsertHost): Promise<void> {
  const file = uri();
  const wanted = `${name}.pipe`;
  if (file === undefined || !(await examplesOf(extension)).includes(wanted)) return;
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension, 'examples', wanted));
  await insertText(file, decoder.decode(bytes));
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
  const [chosen] =
    (await vscode.window.showOpenDialog({
      title: 'Import a schedule, profile or configuration',
      openLabel: 'Import',
      defaultUri: file.scheme === 'untitled' ? undefined : vscode.Uri.joinPath(file, '..'),
      filters: {
        'Schedules (CSV), profiles, configurations': ['csv', 'txt', 'json', 'yaml', 'yml', 'sh'],
        'All files': ['*'],
      },
    })) ?? [];
  if (chosen !== undefined) await importFile(chosen, file, requests);
}

/** Inserts a file of another program as `.pipe` text, or tells what is wrong with it. */
async function importFile(chosen: vscode.Uri, file: vscode.Uri, requests: Requests): Promise<void> {
  const name = chosen.path.slice(chosen.path.lastIndexOf('/') + 1);
  const { size } = await vscode.workspace.fs.stat(chosen);
  if (size > mostBytes) {
    void vscode.window.showErrorMessage(`${name} was not imported: it has more than ${mostBytes / 2 ** 20} MiB.`);
    return;
  }
  const asked: ImportRequest = {
    uri: chosen.toString(),
    text: decoder.decode(await vscode.workspace.fs.readFile(chosen)),
  };
  const answer = await requests.send<ImportAnswer>(methods.import, asked);
  if (answer === undefined || answer === null) return;
  if ('problem' in answer) void vscode.window.showErrorMessage(`${name} was not imported: ${answer.problem}`);
  else if (!(await insertText(file, answer.pipe)))
    void vscode.window.showErrorMessage(`${name} was not imported: the file has just changed. Import it again.`);
}

async function openExamples(extension: vscode.Uri): Promise<void> {
  const chosen = await vscode.window.showQuickPick([...(await examplesOf(extension))], { title: 'Examples' });
  if (chosen !== undefined)
    await vscode.window.showTextDocument(vscode.Uri.joinPath(extension, 'examples', chosen), { preview: true });
}
