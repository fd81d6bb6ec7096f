import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { patience } from '../host/patience.ts';

const limitMs = patience(45_000);

/** Asks again until there is an answer that is neither undefined, false nor empty. */
export async function until<T>(
  what: string,
  ask: () => PromiseLike<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const end = Date.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      const empty = answer === undefined || answer === false || (Array.isArray(answer) && answer.length === 0);
      if (!empty) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${limitMs} ms; last ${String(last)}`);
    await delay(50);
  }
}

function fileUri(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert(folder, 'a folder is open');
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Opens a file of the workspace in an editor. */
export async function open(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(fileUri(name), { viewColumn: vscode.ViewColumn.One });
}

/** As a click in the explorer opens it. What an extension opens stays open for minutes after its editor is closed. */
export async function openByUser(name: string): Promise<vscode.TextDocument> {
  const uri = fileUri(name);
  await vscode.commands.executeCommand('vscode.open', uri);
  return until('an editor', () => {
    const document = vscode.window.activeTextEditor?.document;
    return document?.uri.toString() === uri.toString() && document;
  });
}

/** Where `text` starts in the document, `offset` characters on. */
export function at(document: vscode.TextDocument, text: string, offset = 0): vscode.Position {
  const index = document.getText().indexOf(text);
  assert(index >= 0, `the file holds "${text}"`);
  return document.positionAt(index + offset);
}

export async function replace(editor: vscode.TextEditor, before: string, after: string): Promise<void> {
  const start = at(editor.document, before);
  const range = new vscode.Range(start, editor.document.positionAt(editor.document.offsetAt(start) + before.length));
  assert(await editor.edit((edit) => edit.replace(range, after)));
}

/** Takes the file back to what is on disk and closes all editors. */
export async function closeAll(): Promise<void> {
  while (vscode.window.activeTextEditor?.document.isDirty)
    await vscode.commands.executeCommand('workbench.action.files.revert');
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

export const codeOf = (diagnostic: vscode.Diagnostic): string =>
  String(typeof diagnostic.code === 'object' ? diagnostic.code.value : diagnostic.code);

export const errorsOf = (uri: vscode.Uri): vscode.Diagnostic[] =>
  vscode.languages.getDiagnostics(uri).filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error);
