/** One preview: a page, in a tab or a docked view, that shows the plan of one file at a time. */
import * as vscode from 'vscode';
import { base64 } from '../../platform/common/base64.ts';
import { previewHtml } from '../../webview/protocol/page.ts';
import { chooseBesideRun } from './chooseBeside.ts';
import type { PreviewContext } from './context.ts';
import type { PreviewMemory } from './memory.ts';
import { readFromPage } from './messages.ts';
import { createOutbox } from './outbox.ts';
import type { Place } from './place.ts';
import { receive } from './receive.ts';
import { makeParts, type Preview, type PreviewHost, type Self } from './self.ts';
import { follow, postModes, refresh, rename, restore, showFile } from './showing.ts';
import { titleOf } from './titles.ts';

/** What a page of this extension may load, and nothing else. */
export const webviewOptions = (extension: vscode.Uri): vscode.WebviewOptions => ({
  enableScripts: true,
  localResourceRoots: [vscode.Uri.joinPath(extension, 'dist')],
});

/** What a new preview shows. */
export interface Shown {
  readonly uri: vscode.Uri | undefined;
  readonly pipeline?: string;
  readonly following: boolean;
}

export function createPreview(host: PreviewHost, place: Place, first: Shown): Preview {
  const memory: PreviewMemory = {
    uri: first.uri,
    chosen: first.pipeline,
    following: first.following,
    overrides: {},
    text: undefined,
    renamed: undefined,
    key: undefined,
    linked: undefined,
    asked: 0,
  };
  const outbox = createOutbox((message) => void place.webview.postMessage(message));
  const context: PreviewContext = {
    requests: host.requests,
    uri: () => memory.uri,
    overrides: () => memory.overrides,
    setOverrides(next) {
      memory.overrides = next;
    },
    post: (message) => outbox.post(message),
    refresh: () => refresh(self),
  };
  const self: Self = { host, place, memory, outbox, context, parts: makeParts(context, memory) };
  const preview = previewOf(self);
  rename(self);
  listen(self, preview);
  place.webview.html = pageOf(host, place);
  return preview;
}

function previewOf(self: Self): Preview {
  const { context, memory, outbox, parts, place } = self;
  const preview: Preview = {
    place,
    uri: context.uri,
    isFollowing: () => memory.following,
    follow: (following) => follow(self, preview, following),
    refresh: context.refresh,
    highlight(groups) {
      parts.cursor.forget();
      outbox.post({ type: 'highlight', groups });
    },
    outline: parts.cursor.moved,
    show: (uri, pipeline) => showFile(self, uri, pipeline),
    restore: (state) => restore(self, state),
    edited(version) {
      parts.help.edited(version);
      parts.plans.textChanged(version);
      parts.orders.edited();
      if (place.isVisible()) parts.freshness.edited(version);
    },
    moved(to) {
      if (memory.uri === undefined) return;
      const from = memory.uri.toString();
      memory.uri = to;
      rename(self);
      outbox.post({ type: 'moved', from, uri: to.toString(), title: titleOf(to) });
      void context.refresh();
    },
    gone(renamed) {
      memory.renamed = renamed;
      void context.refresh();
    },
    modesChanged: () => postModes(self),
    text: () => memory.text,
    beside: parts.beside,
    async chooseBeside(known) {
      await parts.beside.choose(known);
      // The editor gives the focus of its lists back to no part of a page.
      place.focus();
    },
    compareRun: async (uris) => {
      const chosen = uris === undefined ? await chooseBesideRun() : { run: uris };
      if (chosen !== undefined) await preview.chooseBeside(chosen);
    },
    compare: () => outbox.post({ type: 'compare' }),
    findPlan: (pipeline) => outbox.post({ type: 'plans', ...(pipeline === undefined ? {} : { pipeline }) }),
    planFound: parts.plans.found,
    planEdited: parts.plans.edited,
    findOrder: () => outbox.post({ type: 'findOrder' }),
    draw: parts.pictures.draw,
  };
  return preview;
}

function listen(self: Self, preview: Preview): void {
  const { host, outbox, parts, place } = self;
  place.webview.onDidReceiveMessage((raw: unknown) => {
    const message = readFromPage(raw);
    if (message === undefined) host.output.warn('preview: dropped a message that the protocol does not define');
    else
      Promise.resolve(receive(self, preview, message)).catch((error: unknown) =>
        host.output.error(`preview: ${String(error)}`),
      );
  });
  // A page that is hidden is thrown away and starts again when it is shown: what is posted meanwhile waits for its `ready`.
  place.onVisibility(() => {
    if (place.isVisible()) return;
    outbox.closed();
    parts.orders.forget();
    parts.freshness.forget();
  });
  place.onClosed(() => {
    parts.orders.forget();
    parts.freshness.forget();
    parts.pictures.closed();
    parts.plans.closed();
  });
}

/** The page with its bundles, for this webview alone. */
function pageOf({ extension }: PreviewHost, { webview }: Place): string {
  const resource = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extension, 'dist', name)).toString();
  return previewHtml({
    nonce: base64(crypto.getRandomValues(new Uint8Array(24))),
    cspSource: webview.cspSource,
    scriptUri: resource('preview.js'),
    styleUri: resource('preview.css'),
  });
}
