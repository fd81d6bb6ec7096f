/** All previews: opens them, restores them after a reload, and keeps them in step with text, settings and cursor. */
import * as vscode from 'vscode';
import { methods, type PathsAnswer, type PathsRequest, type PlanChanged } from '../../webview/protocol/requests.ts';
import type { Server } from '../languageClient.ts';
import { readState } from '../../webview/protocol/state.ts';
import { namedDocument } from '../namedDocument.ts';
import { createPreview, webviewOptions, type Preview, type PreviewHost } from './panel.ts';

const viewType = 'pipewright.preview';
/** Between a move of the cursor and its highlight: keys that repeat make one request. */
const cursorDelayMs = 80;

export interface Previews extends vscode.Disposable {
  /** Shows the preview of a file to the side of the active editor; one preview per file. */
  open(uri: vscode.Uri, pipeline?: string): void;
}

export function createPreviews(extension: vscode.Uri, server: Server, output: vscode.LogOutputChannel): Previews {
  const previews = new Map<string, Preview>();
  let revealed: { readonly uri: string; readonly at: vscode.Position } | undefined;
  let cursorTimer: NodeJS.Timeout | undefined;

  const host: PreviewHost = {
    extension,
    requests: server,
    output,
    revealing(uri, at) {
      revealed = { uri: uri.toString(), at };
    },
    ready(preview) {
      const editor = vscode.window.visibleTextEditors.find(
        (candidate) => candidate.document.uri.toString() === preview.uri.toString(),
      );
      if (editor !== undefined) void highlight(editor);
    },
  };

  function adopt(panel: vscode.WebviewPanel, uri: vscode.Uri, pipeline?: string): Preview {
    const preview = createPreview(host, panel, uri, pipeline);
    const key = uri.toString();
    previews.set(key, preview);
    panel.onDidDispose(() => {
      if (previews.get(key) === preview) previews.delete(key);
    });
    return preview;
  }

  async function highlight(editor: vscode.TextEditor): Promise<void> {
    const uri = editor.document.uri.toString();
    const preview = previews.get(uri);
    if (preview === undefined) return;
    const { line, character } = editor.selection.active;
    const { version } = editor.document;
    const asked: PathsRequest = { uri, position: { line, character } };
    const paths = await server.send<PathsAnswer>(methods.pathsAt, asked);
    const moved =
      editor.document.version !== version || !editor.selection.active.isEqual(new vscode.Position(line, character));
    if (paths !== undefined && paths !== null && !moved) preview.highlight(paths);
  }

  function selectionChanged({ textEditor, selections }: vscode.TextEditorSelectionChangeEvent): void {
    const uri = textEditor.document.uri.toString();
    const echo = revealed?.uri === uri && selections[0]?.active.isEqual(revealed.at) === true;
    revealed = undefined;
    clearTimeout(cursorTimer);
    if (!echo && previews.has(uri)) cursorTimer = setTimeout(() => void highlight(textEditor), cursorDelayMs);
  }

  const subscriptions = [
    server.client.onNotification(methods.planChanged, (changed: PlanChanged) => {
      // The server may spell a uri otherwise than the editor does.
      void previews.get(vscode.Uri.parse(changed.uri).toString())?.refresh();
    }),
    vscode.window.onDidChangeTextEditorSelection(selectionChanged),
    vscode.window.registerWebviewPanelSerializer(viewType, {
      async deserializeWebviewPanel(panel, raw: unknown) {
        const state = readState(raw);
        const uri = state === undefined ? undefined : namedDocument(state.uri);
        if (state === undefined || uri === undefined) {
          if (state !== undefined)
            output.warn(`A preview was not restored: ${JSON.stringify(state.uri)} is no file of it.`);
          panel.dispose();
          return;
        }
        panel.webview.options = webviewOptions(extension);
        adopt(panel, uri, state.pipeline);
      },
    }),
  ];

  return {
    open(uri, pipeline) {
      const known = previews.get(uri.toString());
      if (known !== undefined) {
        known.panel.reveal(undefined, true);
        if (pipeline !== undefined) known.choose(pipeline);
        return;
      }
      const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      // Hidden pages are not kept alive: their view is small and comes back in well under a second.
      const panel = vscode.window.createWebviewPanel(viewType, 'Preview', place, webviewOptions(extension));
      adopt(panel, uri, pipeline);
    },
    dispose() {
      clearTimeout(cursorTimer);
      for (const subscription of subscriptions) subscription.dispose();
      for (const preview of previews.values()) preview.panel.dispose();
    },
  };
}
