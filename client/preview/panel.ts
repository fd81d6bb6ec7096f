/** One preview: a webview panel that shows the plan of one file. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { FromPage, ToPage } from '../../webview/protocol/messages.ts';
import { previewHtml } from '../../webview/protocol/page.ts';
import { methods, type Overrides, type PlanAnswer, type PlanRequest } from '../../webview/protocol/requests.ts';
import type { Requests } from '../languageClient.ts';
import { readFromPage } from './messages.ts';
import { createOutbox } from './outbox.ts';
import { locate, show, writeParam } from './source.ts';

export interface Preview {
  readonly uri: vscode.Uri;
  readonly panel: vscode.WebviewPanel;
  /** Asks for the plan of the newest text and shows it. Of several calls only the answer of the last is shown. */
  refresh(): Promise<void>;
  /** Outlines the blocks of these paths. */
  highlight(paths: readonly string[]): void;
  /** Shows this pipeline of the file. */
  choose(pipeline: string): void;
}

export interface PreviewHost {
  readonly extension: vscode.Uri;
  readonly requests: Requests;
  readonly output: vscode.LogOutputChannel;
  /** The preview is about to put the cursor there: the selection that follows is not the user's. */
  revealing(uri: vscode.Uri, at: vscode.Position): void;
  /** The page has started, or started again, and shows nothing yet. */
  ready(preview: Preview): void;
}

/** What a panel of this file may load, and nothing else. */
export const webviewOptions = (extension: vscode.Uri): vscode.WebviewOptions => ({
  enableScripts: true,
  localResourceRoots: [vscode.Uri.joinPath(extension, 'dist')],
});

export function createPreview(
  host: PreviewHost,
  panel: vscode.WebviewPanel,
  uri: vscode.Uri,
  pipeline?: string,
): Preview {
  const { requests, output } = host;
  const title = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  const outbox = createOutbox((message) => void panel.webview.postMessage(message));
  let overrides: Overrides = {};
  let chosen = pipeline;
  let asked = 0;

  async function refresh(): Promise<void> {
    asked += 1;
    const mine = asked;
    const request: PlanRequest = { uri: uri.toString(), overrides };
    const found = await opened(uri);
    const answer = found ? await requests.send<PlanAnswer>(methods.plan, request) : undefined;
    if (mine !== asked) return;
    outbox.post(found ? messageOf(answer) : broken(`${title} cannot be opened. It may have been renamed or deleted.`));
    chosen = undefined;
  }

  // Numbered by the preview: the versions of a document start again when it is closed and opened.
  const broken = (message: string): ToPage => ({ type: 'broken', uri: uri.toString(), version: asked, message });

  function messageOf(answer: PlanAnswer | undefined): ToPage {
    if (answer === undefined)
      return broken('The language server does not answer. Run "Pipewright: Restart Language Server".');
    if (answer.plan === undefined) return broken(answer.problem?.message ?? `${title} cannot be planned.`);
    return {
      type: 'plan',
      uri: uri.toString(),
      title,
      version: asked,
      plan: answer.plan,
      overrides,
      options: answer.options,
      pipeline: chosen,
    };
  }

  async function reveal(path: string, preserveFocus: boolean): Promise<void> {
    const place = await locate(requests, uri, path);
    if (place === undefined) return;
    host.revealing(place.uri, place.range.start);
    await show(place, preserveFocus, panel.viewColumn);
  }

  async function apply(name: string, value: number): Promise<void> {
    if (!(await writeParam(requests, uri, name, value))) {
      void vscode.window.setStatusBarMessage(
        `$(warning) ${name} was not written: ${title} does not set it to a number, or has just changed.`,
        5000,
      );
      return;
    }
    const { [name]: _, ...rest } = overrides;
    overrides = rest;
    await refresh();
  }

  function receive(message: FromPage): Promise<void> | void {
    switch (message.type) {
      case 'ready':
        if (message.state?.uri === uri.toString()) overrides = message.state.overrides ?? overrides;
        outbox.ready();
        host.ready(preview);
        return refresh();
      case 'reveal':
        return reveal(message.path, message.preserveFocus);
      case 'try':
        overrides = message.overrides;
        return refresh();
      case 'apply':
        return apply(message.name, message.value);
      case 'error':
        output.error(`preview of ${title}: ${message.message}`);
        return undefined;
    }
  }

  const preview: Preview = {
    uri,
    panel,
    refresh,
    highlight: (paths) => outbox.post({ type: 'highlight', paths }),
    choose(name) {
      chosen = name;
      void refresh();
    },
  };
  panel.title = `Preview ${title}`;
  panel.iconPath = vscode.Uri.joinPath(host.extension, 'images', 'icon.png');
  panel.webview.onDidReceiveMessage((raw: unknown) => {
    const message = readFromPage(raw);
    if (message === undefined) output.warn(`preview of ${title}: dropped a message that the protocol does not define`);
    else
      Promise.resolve(receive(message)).catch((error: unknown) =>
        output.error(`preview of ${title}: ${String(error)}`),
      );
  });
  // A page that is hidden is thrown away and starts again when it is shown: what is posted meanwhile waits for its `ready`.
  panel.onDidChangeViewState(() => {
    if (!panel.visible) outbox.closed();
  });
  const dist = vscode.Uri.joinPath(host.extension, 'dist');
  const resource = (name: string) => panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  panel.webview.html = previewHtml({
    nonce: randomBytes(24).toString('base64url'),
    cspSource: panel.webview.cspSource,
    scriptUri: resource('preview.js'),
    styleUri: resource('preview.css'),
  });
  return preview;
}

/** The server knows open documents only, and a restored preview may come before its file's editor. False where there is no such file. */
async function opened(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.openTextDocument(uri);
    return true;
  } catch {
    return false;
  }
}
