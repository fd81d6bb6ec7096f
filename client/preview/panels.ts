/** All previews: opens them, restores them after a reload, and keeps them in step with text, settings, cursor and active file. */
import * as vscode from 'vscode';
import type { Server } from '../languageClient.ts';
import type { PreviewState } from '../../webview/protocol/messages.ts';
import type { Drawing } from '../../webview/protocol/requests.ts';
import { readState } from '../../webview/protocol/state.ts';
import { namedDocument } from '../namedDocument.ts';
import { pipeDocument } from '../pipeDocument.ts';
import { besideColumn } from './besideColumn.ts';
import { cursorOutline } from './cursorOutline.ts';
import { previewEvents } from './events.ts';
import { tabPlace, viewPlace, type Place } from './place.ts';
import { createPreview, webviewOptions, type Shown } from './preview.ts';
import type { Preview, PreviewHost } from './self.ts';
import { previewTitle } from './titles.ts';

const viewType = 'pipewright.preview';
const dockedView = 'pipewright.dockedPreview';
/** Set while the preview that has the focus follows the active file: menus offer the other. */
const followsContext = 'pipewright.previewFollows';

export interface Previews extends vscode.Disposable {
  /** Shows the preview of a file to the side of the active editor. `another`: a new one, though there is one of this file. */
  open(uri: vscode.Uri, pipeline?: string, another?: boolean): void;
  /** Shows the comparison of a pipeline in the preview of its file. */
  compare(uri: vscode.Uri, pipeline?: string): void;
  /** Shows a file and another one side by side, in the preview of the first; without `other` the reader chooses it. */
  compareWith(uri: vscode.Uri, other?: vscode.Uri): Promise<void> | undefined;
  /** Shows a file next to a recorded run of it, in the preview of the file; without `run` the reader chooses it. */
  compareRun(uri: vscode.Uri, run?: readonly vscode.Uri[]): Promise<void> | undefined;
  /** Searches for the fastest plan of a pipeline, in the preview of its file. */
  findPlan(uri: vscode.Uri, pipeline?: string): void;
  /** Shows the search for a shorter order of a pipeline in the preview of its file. */
  findOrder(uri: vscode.Uri, pipeline?: string): void;
  /** Shows the preview of a file as a link says. */
  restore(uri: vscode.Uri, state: PreviewState): void;
  /** The preview that has the focus follows the active file, or is pinned to its own. */
  follow(following: boolean): void;
  /** The file of the preview that has the focus. */
  shownFile(): vscode.Uri | undefined;
  /** The PNG of a picture in base64, drawn by a preview of the file; undefined if it does not. */
  draw(uri: vscode.Uri, drawing: Drawing): Promise<string | undefined>;
  /** The server has started, or has stopped for good. */
  serverChanged(): void;
}

/** `focusChanged`: called with the file of the preview that has the focus, or with undefined if none has. */
export function createPreviews(
  { extensionUri: extension, extension: { id } }: vscode.ExtensionContext,
  server: Server,
  { output, calibrate }: Pick<PreviewHost, 'output' | 'calibrate'>,
  focusChanged: (uri: vscode.Uri | undefined) => void,
): Previews {
  const previews = new Set<Preview>();
  /** The last `.pipe` file that had the focus. */
  let lastActive = activeFile();

  const host: PreviewHost = {
    extension,
    id,
    requests: server,
    output,
    calibrate,
    serverState: server.state,
    restart: () => void server.restart(),
    revealing: (uri, at) => cursor.revealing(uri, at),
    ready(preview) {
      const editor = vscode.window.visibleTextEditors.find((candidate) => shows(preview, candidate.document.uri));
      if (editor !== undefined) void cursor.outline(editor);
    },
    followed(preview) {
      if (preview.isFollowing() && lastActive !== undefined) preview.show(lastActive);
      updateContext();
    },
    fileChanged: updateContext,
  };

  const shows = (preview: Preview, uri: vscode.Uri): boolean => preview.uri()?.toString() === uri.toString();
  const of = (uri: vscode.Uri): Preview[] => [...previews].filter((preview) => shows(preview, uri));
  const cursor = cursorOutline(server, of);
  const focused = (): Preview | undefined =>
    [...previews].find(({ place }) => place.kind === 'tab' && place.isActive());

  function adopt(place: Place, shown: Shown): Preview {
    const preview = createPreview(host, place, shown);
    previews.add(preview);
    place.onClosed(() => {
      previews.delete(preview);
      updateContext();
    });
    place.onVisibility(updateContext);
    updateContext();
    return preview;
  }

  function updateContext(): void {
    const preview = focused();
    focusChanged(preview?.uri());
    void vscode.commands.executeCommand('setContext', followsContext, preview?.isFollowing() ?? false);
  }

  function activeChanged(): void {
    const uri = activeFile();
    if (uri === undefined) return;
    lastActive = uri;
    for (const preview of previews)
      if (preview.isFollowing() && !preview.beside.isOpen() && !shows(preview, uri)) preview.show(uri);
  }

  const subscriptions = [
    ...previewEvents(server, previews, of),
    vscode.window.onDidChangeTextEditorSelection(cursor.moved),
    vscode.window.onDidChangeActiveTextEditor(activeChanged),
    vscode.window.registerWebviewPanelSerializer(viewType, {
      async deserializeWebviewPanel(panel, raw: unknown) {
        const state = readState(raw);
        const uri = state === undefined ? titled(panel.title) : namedDocument(state.uri);
        if (uri === undefined) {
          if (state !== undefined)
            output.warn(`A preview was not restored: ${JSON.stringify(state.uri)} is no file of it.`);
          panel.dispose();
          return;
        }
        panel.webview.options = webviewOptions(extension);
        adopt(tabPlace(panel, extension), { uri, pipeline: state?.pipeline, following: state?.following === true });
      },
    }),
    vscode.window.registerWebviewViewProvider(dockedView, {
      resolveWebviewView(view) {
        view.webview.options = webviewOptions(extension);
        adopt(viewPlace(view), { uri: lastActive, following: true });
      },
    }),
  ];

  function open(uri: vscode.Uri, pipeline?: string, another = false): void {
    const known = another ? undefined : of(uri).find(({ place }) => place.kind === 'tab');
    if (known !== undefined) {
      known.place.reveal();
      if (pipeline !== undefined) known.show(uri, pipeline);
      return;
    }
    const column = { viewColumn: newColumn(), preserveFocus: true };
    // Hidden pages are not kept alive: their view is small and comes back in well under a second.
    const panel = vscode.window.createWebviewPanel(viewType, 'Preview', column, webviewOptions(extension));
    adopt(tabPlace(panel, extension), { uri, pipeline, following: false });
  }

  function newColumn(): number {
    const active = vscode.window.tabGroups.activeTabGroup.viewColumn;
    return besideColumn(
      active,
      [...previews].flatMap(({ place }) => (place.isVisible() ? (place.column() ?? []) : [])),
    );
  }

  function opened(uri: vscode.Uri, pipeline: string | undefined): Preview | undefined {
    open(uri, pipeline);
    return of(uri).find(({ place }) => place.kind === 'tab');
  }

  return {
    open,
    compare: (uri, pipeline) => opened(uri, pipeline)?.compare(),
    compareWith: (uri, other) => opened(uri, undefined)?.chooseBeside(other === undefined ? undefined : { uri: other }),
    compareRun: (uri, run) => opened(uri, undefined)?.compareRun(run),
    findPlan: (uri, pipeline) => opened(uri, pipeline)?.findPlan(pipeline),
    findOrder: (uri, pipeline) => opened(uri, pipeline)?.findOrder(),
    draw(uri, drawing) {
      const shown = of(uri).find(({ place }) => place.isVisible()) ?? opened(uri, undefined);
      return shown?.draw(drawing) ?? Promise.resolve(undefined);
    },
    restore: (uri, state) => opened(uri, state.pipeline)?.restore(state),
    follow: (following) => focused()?.follow(following),
    shownFile: () => focused()?.uri(),
    serverChanged() {
      for (const preview of previews) {
        void preview.refresh();
        void preview.beside.refresh();
      }
    },
    dispose() {
      cursor.dispose();
      for (const subscription of subscriptions) subscription.dispose();
      // Their tabs stay: the extension host also ends when its window is reloaded, and they are to come back with it.
    },
  };
}

/** The open file of a preview whose state the editor has lost: it happens when a window is reloaded together with a file to open. */
const titled = (title: string): vscode.Uri | undefined =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : [])))
    .find((uri) => uri.path.endsWith('.pipe') && previewTitle(uri) === title);

function activeFile(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && pipeDocument(document) ? document.uri : undefined;
}
