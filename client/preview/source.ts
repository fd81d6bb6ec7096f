/** Between a preview and the text that it shows: jumps, and values written into the file. */
import * as vscode from 'vscode';
import {
  methods,
  type LocateAnswer,
  type LocateRequest,
  type ParamEditAnswer,
  type ParamEditRequest,
  type Range,
  type TextEdit,
} from '../../webview/protocol/requests.ts';
import type { Requests } from '../languageClient.ts';

export const toRange = ({ start, end }: Range): vscode.Range =>
  new vscode.Range(start.line, start.character, end.line, end.character);

/** A place in a text. */
export interface Target {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

/** The place in the text that a path of the plan comes from now. */
export async function locate(requests: Requests, uri: vscode.Uri, path: string): Promise<Target | undefined> {
  const asked: LocateRequest = { uri: uri.toString(), path };
  const answer = await requests.send<LocateAnswer>(methods.locate, asked);
  return answer ? { uri: vscode.Uri.parse(answer.uri), range: toRange(answer.range) } : undefined;
}

/**
 * Puts the cursor at a range, in the editor that already shows its file, wherever that is; never in a second tab of it. An editor
 * in sight is not activated unless it gets the focus: that would end the view of a maximised preview.
 */
export async function show(
  place: Target,
  preserveFocus: boolean,
  besides: vscode.ViewColumn | undefined,
): Promise<void> {
  const inSight = editorOf(place.uri);
  if (preserveFocus && inSight !== undefined) {
    putCursor(inSight, place.range);
    return;
  }
  const viewColumn =
    columnOf(place.uri) ?? (besides === vscode.ViewColumn.One ? vscode.ViewColumn.Two : vscode.ViewColumn.One);
  const document = await vscode.workspace.openTextDocument(place.uri);
  const editor = await vscode.window.showTextDocument(document, { viewColumn, preserveFocus });
  putCursor(editor, place.range);
}

/** The caret alone, since the next key would replace a selection. Scrolls only if the line is out of sight. */
function putCursor(editor: vscode.TextEditor, range: vscode.Range): void {
  editor.selection = new vscode.Selection(range.start, range.start);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

const editorOf = (uri: vscode.Uri): vscode.TextEditor | undefined =>
  vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());

/** The column of the tab that has a file; undefined if none has it. */
export function columnOf(uri: vscode.Uri): vscode.ViewColumn | undefined {
  const wanted = uri.toString();
  const visible = editorOf(uri)?.viewColumn;
  if (visible !== undefined) return visible;
  return vscode.window.tabGroups.all.find((group) =>
    group.tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === wanted),
  )?.viewColumn;
}

/** Writes edits of one version as a change that is undone at once. False where the file has changed meanwhile. */
export async function writeEdits(uri: vscode.Uri, version: number, edits: readonly TextEdit[]): Promise<boolean> {
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.version !== version) return false;
  const change = new vscode.WorkspaceEdit();
  for (const { range, newText } of edits) change.replace(uri, toRange(range), newText);
  return vscode.workspace.applyEdit(change);
}

/** Writes a param's value as one edit that can be undone. False where the file has changed meanwhile or has no literal there. */
export async function writeParam(requests: Requests, uri: vscode.Uri, name: string, value: number): Promise<boolean> {
  const asked: ParamEditRequest = { uri: uri.toString(), name, value };
  const answer = await requests.send<ParamEditAnswer>(methods.paramEdit, asked);
  return answer ? writeEdits(uri, answer.version, [answer]) : false;
}
