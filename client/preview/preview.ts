/** One preview: a page, in a tab or a docked view, that shows the plan of one file at a time. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { FromPage, ShownContents, ToPage } from '../../webview/protocol/messages.ts';
import { previewHtml } from '../../webview/protocol/page.ts';
import {
  methods,
  type CompletionAnswer,
  type CompletionRequest,
  type FileContents,
  type OriginAnswer,
  type OriginRequest,
  type Overrides,
  type PathGroup,
  type PlanAnswer,
  type PlanEdited,
  type PlanFound,
  type PlannedAnswer,
  type PlannedRequest,
  type PlanRequest,
} from '../../webview/protocol/requests.ts';
import type { LongRequests, Requests } from '../languageClient.ts';
import type { ServerState } from '../serverState.ts';
import { exportTimeline } from '../exportTimeline.ts';
import { cursorBlocks } from './cursorBlocks.ts';
import { createHelp } from './help.ts';
import { insert } from './insert.ts';
import { linesOf } from './lines.ts';
import { createRace } from './race.ts';
import { readFromPage } from './messages.ts';
import { setSyncModes, syncModes } from './modes.ts';
import { createOutbox } from './outbox.ts';
import { createPlans } from './plans.ts';
import type { Place } from './place.ts';
import { createMovedOrders } from './movedOrders.ts';
import { createOrders } from './orders.ts';
import { createFreshness } from './freshness.ts';
import { locate, show, writeEdits, writeParam } from './source.ts';

export interface Preview {
  readonly place: Place;
  /** The file on show; undefined while none has been active yet. */
  uri(): vscode.Uri | undefined;
  /** It shows the active file; otherwise it is pinned to its own. */
  isFollowing(): boolean;
  follow(following: boolean): void;
  /** Asks for the plan of the newest text and shows it. Of several calls only the answer of the last is shown. */
  refresh(): Promise<void>;
  /** Outlines what comes from these paths, the innermost text first. */
  highlight(groups: readonly PathGroup[]): void;
  /** The same for a cursor: outlines the blocks that the text there writes, if it writes any by itself. */
  outline(groups: readonly PathGroup[], at: vscode.Position): void;
  /** Shows another file, or another pipeline. */
  show(uri: vscode.Uri, pipeline?: string): void;
  /** The file has another text now. */
  edited(version: number): void;
  /** The file has another name now. */
  moved(to: vscode.Uri): void;
  /** The file was renamed or deleted by another program. */
  gone(renamed: vscode.Uri | undefined): void;
  /** Whether the cursor outlines blocks, and so on, may have changed. */
  modesChanged(): void;
  /** Opens the comparison, once the page has a timeline. */
  compare(): void;
  /** Opens the search for the fastest plan, and begins it. */
  findPlan(pipeline: string | undefined): void;
  /** What a search has found. */
  planFound(found: PlanFound): void;
  /** What the file of a search is now. */
  planEdited(edited: PlanEdited): void;
  /** Opens the search for a shorter order, once the page has a timeline. */
  findOrder(): void;
  /** The newest text that was shown. */
  text(): string | undefined;
}

export interface PreviewHost {
  readonly extension: vscode.Uri;
  readonly requests: Requests & LongRequests;
  readonly output: vscode.LogOutputChannel;
  serverState(): ServerState;
  restart(): void;
  /** The preview is about to put the cursor there: the selection that follows is not the user's. */
  revealing(uri: vscode.Uri, at: vscode.Position): void;
  /** The page has started, or started again, and shows nothing yet. */
  ready(preview: Preview): void;
  /** It follows from now on, or is pinned. */
  followed(preview: Preview): void;
  /** The preview shows another file, or its file has another name. */
  fileChanged(): void;
}

/** What a page of this extension may load, and nothing else. */
export const webviewOptions = (extension: vscode.Uri): vscode.WebviewOptions => ({
  enableScripts: true,
  localResourceRoots: [vscode.Uri.joinPath(extension, 'dist')],
});

const titleOf = (uri: vscode.Uri): string => uri.path.slice(uri.path.lastIndexOf('/') + 1);

/** Title of the tab that shows a file. */
export const previewTitle = (uri: vscode.Uri): string => `Preview ${titleOf(uri)}`;

/** What a new preview shows. */
export interface Shown {
  readonly uri: vscode.Uri | undefined;
  readonly pipeline?: string;
  readonly following: boolean;
}

/** Milliseconds after an edit without a plan of the newest text, before the page says so. */
const patience = 400;

export function createPreview(host: PreviewHost, place: Place, first: Shown): Preview {
  const { requests, output } = host;
  const { webview } = place;
  const outbox = createOutbox((message) => void webview.postMessage(message));
  let { uri, pipeline: chosen, following } = first;
  let overrides: Overrides = {};
  let asked = 0;
  let text: string | undefined;
  /** The file is gone, and this one appeared with its text. */
  let renamed: vscode.Uri | undefined;

  const race = createRace({
    requests,
    uri: () => uri,
    overrides: () => overrides,
    post: (message) => outbox.post(message),
  });
  const help = createHelp({
    requests,
    uri: () => uri,
    overrides: () => overrides,
    post: (message) => outbox.post(message),
    refresh,
  });

  const cursor = cursorBlocks({
    requests,
    uri: () => uri,
    overrides: () => overrides,
    post: (message) => outbox.post(message),
  });

  const movedOrders = createMovedOrders({
    requests,
    uri: () => uri,
    overrides: () => overrides,
    post: (message) => outbox.post(message),
    refresh,
  });

  const plans = createPlans({
    requests,
    uri: () => uri,
    overrides: () => overrides,
    setOverrides: (next) => {
      overrides = next;
    },
    post: (message) => outbox.post(message),
    refresh,
  });
  /** Key of the plan that the page has. */
  let key: string | undefined;
  const freshness = createFreshness({
    planned: () => requests.send<PlannedAnswer>(methods.planned, { uri: String(uri) } satisfies PlannedRequest),
    shown: () => key,
    refresh,
    tell: (late) => outbox.post({ type: 'late', late }),
    later(act) {
      const timer = setTimeout(act, patience);
      return () => clearTimeout(timer);
    },
  });
  const orders = createOrders({ requests, uri: () => uri, post: (message) => outbox.post(message) });

  async function refresh(): Promise<void> {
    asked += 1;
    const mine = asked;
    const file = uri;
    if (file === undefined) return outbox.post({ type: 'idle' });
    const document = await opened(file);
    if (document === undefined) {
      if (mine === asked) outbox.post(gone(file));
      return;
    }
    const tried = triedIn(document.version);
    const request: PlanRequest = { uri: file.toString(), overrides, trial: tried?.trial };
    const answer = await requests.send<PlanAnswer>(methods.plan, request);
    if (mine !== asked) return;
    text = document.getText();
    key = answer?.key;
    outbox.post(messageOf(file, answer, tried?.title));
    cursor.again();
    if (answer !== undefined) chosen = undefined;
  }

  /** What is on show that the file does not have. */
  const triedIn = (version: number) => help.tried(version) ?? movedOrders.tried(version) ?? plans.tried(version);

  const gone = (file: vscode.Uri): ToPage => ({
    type: 'gone',
    uri: file.toString(),
    title: titleOf(file),
    version: asked,
    ...(renamed === undefined ? {} : { renamed: titleOf(renamed) }),
  });

  // Numbered by the preview: the versions of a document start again when it is closed and opened.
  function messageOf(file: vscode.Uri, answer: PlanAnswer | undefined, trying: string | undefined): ToPage {
    const of = { uri: file.toString(), version: asked };
    const title = titleOf(file);
    if (answer === undefined || answer === null) {
      const state = host.serverState();
      return state.kind === 'stopped'
        ? { type: 'stopped', ...of, message: `The language server has stopped. ${state.reason}` }
        : { type: 'broken', ...of, message: 'The language server is starting.' };
    }
    const { plan, problem, options, contents, schedules, orders: found } = answer;
    if (plan === undefined)
      return { type: 'broken', ...of, message: problem?.message ?? `${title} has no plan.`, range: problem?.range };
    return {
      type: 'plan',
      ...of,
      title,
      plan,
      overrides,
      options,
      pipeline: chosen,
      trying,
      contents: shownContents(contents),
      schedules,
      orders: found,
    };
  }

  async function reveal({ path, preserveFocus, explicit }: Extract<FromPage, { readonly type: 'reveal' }>) {
    const click = preserveFocus && explicit !== true;
    if (uri === undefined || (click && !syncModes().revealOnClick)) return;
    const target = await locate(requests, uri, path);
    if (target !== undefined) await go(target, preserveFocus);
  }

  async function answerOrigin(request: number, path: string): Promise<void> {
    const file = uri;
    const document = file === undefined ? undefined : await opened(file);
    if (file === undefined || document === undefined) return;
    const { trial } = help.tried(document.version) ?? plans.tried(document.version) ?? {};
    const asked: OriginRequest = { uri: file.toString(), overrides, trial, path };
    const answer = await requests.send<OriginAnswer>(methods.origin, asked);
    outbox.post({ type: 'origin', request, lines: answer?.lines ?? [] });
  }

  async function answerLines(request: number, paths: readonly string[]): Promise<void> {
    if (uri !== undefined) outbox.post({ type: 'lines', request, lines: await linesOf(requests, uri, paths) });
  }

  async function go(
    target: { readonly uri: vscode.Uri; readonly range: vscode.Range },
    preserveFocus: boolean,
  ): Promise<void> {
    host.revealing(target.uri, target.range.start);
    await show(target, preserveFocus, place.column());
  }

  async function apply(name: string, value: number): Promise<void> {
    if (uri === undefined) return;
    if (!(await writeParam(requests, uri, name, value))) {
      void vscode.window.setStatusBarMessage(
        `$(warning) ${name} was not written: ${titleOf(uri)} does not set it to a number, or has just changed.`,
        5000,
      );
      return;
    }
    const { [name]: _, ...rest } = overrides;
    overrides = rest;
    await refresh();
  }

  async function writeMissing(pipeline: string): Promise<void> {
    if (uri === undefined) return;
    const asked: CompletionRequest = { uri: uri.toString(), pipeline };
    const answer = await requests.send<CompletionAnswer>(methods.completion, asked);
    if (answer && (await writeEdits(uri, answer.version, answer.edits))) return;
    const reason = answer ? 'the file has just changed' : 'no text for these rows runs, or it would be very long';
    void vscode.window.setStatusBarMessage(`$(warning) The missing operations were not written: ${reason}.`, 5000);
  }

  /** Asks anew: what the page shows may be older than the text. */
  async function addPipeline(): Promise<void> {
    if (uri === undefined) return;
    const request: PlanRequest = { uri: uri.toString() };
    const answer = await requests.send<PlanAnswer>(methods.plan, request);
    const edit = answer?.contents?.addition?.edit;
    if (edit !== undefined && (await writeEdits(uri, answer?.version ?? -1, [edit]))) return;
    void vscode.window.setStatusBarMessage('$(warning) No pipeline was added: the file has just changed.', 5000);
  }

  function showFile(next: vscode.Uri, pipeline?: string): void {
    if (uri?.toString() !== next.toString()) {
      plans.leave();
      overrides = {};
      text = undefined;
      renamed = undefined;
      help.forget();
      movedOrders.forget();
      orders.forget();
      freshness.forget();
      cursor.forget();
    }
    const isOther = uri?.toString() !== next.toString();
    uri = next;
    if (isOther) plans.resume();
    if (pipeline !== undefined) chosen = pipeline;
    title();
    void refresh();
  }

  function title(): void {
    const name = uri === undefined ? undefined : titleOf(uri);
    if (place.kind === 'view') place.rename(name ?? '');
    else place.rename(uri === undefined ? 'Preview' : previewTitle(uri));
    host.fileChanged();
  }

  function follow(next: boolean): void {
    if (place.kind === 'view' || following === next) return;
    following = next;
    postModes();
    host.followed(preview);
  }

  function postModes(): void {
    outbox.post({ type: 'modes', docked: place.kind === 'view', following, ...syncModes() });
  }

  function receive(message: FromPage): Promise<void> | Thenable<void> | void {
    switch (message.type) {
      case 'ready':
        if (uri !== undefined && message.state?.uri === uri.toString())
          overrides = message.state.overrides ?? overrides;
        postModes();
        orders.forget();
        freshness.forget();
        plans.resume();
        outbox.ready();
        host.ready(preview);
        return refresh();
      case 'reveal':
        return reveal(message);
      case 'goto': {
        const at = new vscode.Position(message.line, message.character);
        return uri === undefined ? undefined : go({ uri, range: new vscode.Range(at, at) }, false);
      }
      case 'try':
        overrides = message.overrides;
        return refresh();
      case 'apply':
        return apply(message.name, message.value);
      case 'lines':
        return answerLines(message.request, message.paths);
      case 'writeMissing':
        return writeMissing(message.pipeline);
      case 'origin':
        return answerOrigin(message.request, message.path);
      case 'help':
      case 'showFix':
      case 'applyFix':
        return help.receive(message);
      case 'moveSlot':
      case 'moveInRow':
      case 'endMove':
        return movedOrders.receive(message);
      case 'searchOrder':
      case 'stopOrder':
      case 'endOrder':
      case 'keepOrder':
        return orders.receive(message);
      case 'export':
        return uri === undefined
          ? undefined
          : exportTimeline(requests, {
              uri: uri.toString(),
              overrides,
              pipeline: message.pipeline,
              state: message.state,
            });
      case 'race':
      case 'sweep':
      case 'endRace':
      case 'adopt':
        return race.receive(message);
      case 'findPlan':
      case 'stopPlan':
      case 'planView':
      case 'writePlan':
      case 'showPlan':
      case 'savePlan':
        return plans.receive(message);
      case 'sync':
        if (message.following !== undefined) follow(message.following);
        return setSyncModes(message);
      case 'restart':
        return host.restart();
      case 'openRenamed':
        return renamed === undefined ? undefined : showFile(renamed);
      case 'close':
        return place.close();
      case 'addPipeline':
        return addPipeline();
      case 'insertExample':
      case 'importSchedule':
      case 'openExamples':
      case 'openGuide':
        return insert(message, { extension: host.extension, requests, uri: () => uri });
      case 'error':
        output.error(`preview of ${uri === undefined ? 'no file' : titleOf(uri)}: ${message.message}`);
        return undefined;
    }
  }

  const preview: Preview = {
    place,
    uri: () => uri,
    isFollowing: () => following,
    follow,
    refresh,
    highlight(groups) {
      cursor.forget();
      outbox.post({ type: 'highlight', groups });
    },
    outline: cursor.moved,
    show: showFile,
    edited(version) {
      help.edited(version);
      plans.textChanged(version);
      orders.edited();
      if (place.isVisible()) freshness.edited(version);
    },
    moved(to) {
      if (uri === undefined) return;
      const from = uri.toString();
      uri = to;
      title();
      outbox.post({ type: 'moved', from, uri: to.toString(), title: titleOf(to) });
      void refresh();
    },
    gone(other) {
      renamed = other;
      void refresh();
    },
    modesChanged: postModes,
    text: () => text,
    compare: () => outbox.post({ type: 'compare' }),
    findPlan: (pipeline) => outbox.post({ type: 'plans', ...(pipeline === undefined ? {} : { pipeline }) }),
    planFound: plans.found,
    planEdited: plans.edited,
    findOrder: () => outbox.post({ type: 'findOrder' }),
  };
  title();
  webview.onDidReceiveMessage((raw: unknown) => {
    const message = readFromPage(raw);
    if (message === undefined) output.warn('preview: dropped a message that the protocol does not define');
    else Promise.resolve(receive(message)).catch((error: unknown) => output.error(`preview: ${String(error)}`));
  });
  // A page that is hidden is thrown away and starts again when it is shown: what is posted meanwhile waits for its `ready`.
  place.onVisibility(() => {
    if (place.isVisible()) return;
    outbox.closed();
    orders.forget();
    freshness.forget();
  });
  place.onClosed(() => {
    orders.forget();
    freshness.forget();
    plans.closed();
  });
  const dist = vscode.Uri.joinPath(host.extension, 'dist');
  const resource = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  webview.html = previewHtml({
    nonce: randomBytes(24).toString('base64url'),
    cspSource: webview.cspSource,
    scriptUri: resource('preview.js'),
    styleUri: resource('preview.css'),
  });
  return preview;
}

/** The page names the addition; its edit stays here. */
function shownContents(contents: FileContents | undefined): ShownContents | undefined {
  if (contents?.addition === undefined) return contents;
  const { declared, addition } = contents;
  return { declared, addition: { title: addition.title, assumptions: addition.assumptions } };
}

/** The server knows open documents only, and a restored preview may come before its file's editor. Undefined where there is no such file. */
async function opened(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}
