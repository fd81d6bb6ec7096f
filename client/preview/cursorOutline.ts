import * as vscode from 'vscode';
import { methods, type PathsAnswer, type PathsRequest } from '../../webview/protocol/requests.ts';
import type { Requests } from '../languageClient.ts';
import { syncModes } from './modes.ts';
import type { Preview } from './self.ts';

/** Between a move of the cursor and its highlight: keys that repeat make one request. */
const cursorDelayMs = 80;

/** Outlines in the previews of a file what the text at its cursor makes. `of`: the previews of a file. */
export function cursorOutline(server: Requests, of: (uri: vscode.Uri) => readonly Preview[]) {
  let revealed: { readonly uri: string; readonly at: vscode.Position } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function outline(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    const { uri, version } = document;
    if (of(uri).length === 0 || !syncModes().outlineAtCursor) return;
    const { line, character } = editor.selection.active;
    const asked: PathsRequest = { uri: uri.toString(), position: { line, character } };
    const groups = await server.send<PathsAnswer>(methods.pathsAt, asked);
    const at = new vscode.Position(line, character);
    const moved = document.version !== version || !editor.selection.active.isEqual(at);
    if (groups === undefined || groups === null || moved) return;
    for (const preview of of(uri)) preview.outline(groups, at);
  }

  return {
    outline,
    /** A preview is about to put the cursor there: the selection that follows is not the user's. */
    revealing(uri: vscode.Uri, at: vscode.Position): void {
      revealed = { uri: uri.toString(), at };
    },
    moved({ textEditor, selections }: vscode.TextEditorSelectionChangeEvent): void {
      const { uri } = textEditor.document;
      const echo = revealed?.uri === uri.toString() && selections[0]?.active.isEqual(revealed.at) === true;
      revealed = undefined;
      clearTimeout(timer);
      if (!echo && of(uri).length > 0) timer = setTimeout(() => void outline(textEditor), cursorDelayMs);
    },
    dispose: (): void => clearTimeout(timer),
  };
}
