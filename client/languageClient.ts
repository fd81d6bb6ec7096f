import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  ProgressType,
  RevealOutputChannelOn,
  State,
  type BaseLanguageClient,
  type ErrorHandler,
  type LanguageClientOptions,
} from 'vscode-languageclient';
import { methods, type InitializationOptions, type TrustChanged } from '../webview/protocol/requests.ts';
import { pageLinks } from './pageLinks.ts';
import { pagesFolder } from './pages.ts';
import { answerFileRequests } from './fileRequests.ts';
import { isServedHere } from './served.ts';
import { restartAfter, restartLimit, type ServerState } from './serverState.ts';

/** Asks the server once it is running. Answers `undefined` where it is not, or where the request failed or was cancelled. */
export interface Requests {
  send<T>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<T | undefined>;
  /** Tells the server something, if it runs. */
  notify(method: string, params: unknown): void;
}

/** Asks for what takes long. */
export interface LongRequests {
  /** As `send`, and hears partial results until there is an answer. */
  follow<T>(
    method: string,
    params: object,
    onPartial: (partial: unknown) => void,
    token: vscode.CancellationToken,
  ): Promise<T | undefined>;
}

export interface Server extends Requests, LongRequests, vscode.Disposable {
  readonly client: BaseLanguageClient;
  start(): Promise<void>;
  /** Stops it, whatever state it is in, and starts it afresh. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  state(): ServerState;
}

/** The client of a server that is not started yet: a process, or a worker. */
export type MakeClient = (extension: vscode.Uri, options: LanguageClientOptions) => BaseLanguageClient;

/** The language server outside the extension's thread. Calls `changed` on every change of its state. */
export function createServer(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
  makeClient: MakeClient,
  tell: (state: ServerState) => void,
): Server {
  let now: ServerState = { kind: 'starting' };
  const changed = (state: ServerState): void => {
    now = state;
    tell(state);
  };
  const watcher = vscode.workspace.createFileSystemWatcher('**/*.{pipe,txt,json,yaml,yml}');
  const handler = restartingHandler(changed);
  const options: LanguageClientOptions = {
    documentSelector: [{ language: 'pipe' }],
    synchronize: { fileEvents: watcher },
    initializationOptions: (): InitializationOptions => ({
      trusted: vscode.workspace.isTrusted,
      docs: pagesFolder(context.extension.id),
      previews: true,
      // VS Code asks only about documents that it shows, and findings come in several steps.
      push: true,
      files: true,
    }),
    outputChannel: output,
    // A panel or a message that takes the focus helps nobody; the status bar says it.
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    errorHandler: handler,
    initializationFailedHandler: () => false,
    // Hovers show text of other people's files: no link in them runs a command.
    markdown: { isTrusted: false, supportHtml: false },
    middleware: {
      ...pageLinks(pagesFolder(context.extension.id)),
      didOpen: (document, next) => (isServedHere(document.uri.scheme) ? next(document) : Promise.resolve()),
    },
  };
  const client = makeClient(context.extensionUri, options);
  const log = client.error.bind(client);
  // A message for each request that an ended server leaves unanswered, and for each start that fails, would stay for ever.
  client.error = (message, data) => log(message, data, false);
  const listeners = [
    watcher,
    answerFileRequests(client, context.extensionUri),
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) changed({ kind: 'running' });
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      const trust: TrustChanged = { trusted: true };
      if (client.state === State.Running) void client.sendNotification(methods.trust, trust);
    }),
  ];

  let restarting = Promise.resolve();

  async function start(): Promise<void> {
    changed({ kind: 'starting' });
    try {
      await client.start();
    } catch (error) {
      output.error(error instanceof Error ? error : String(error));
      changed({ kind: 'stopped', reason: 'It did not start.' });
    }
  }

  async function stop(): Promise<void> {
    if (client.state === State.Stopped) return;
    try {
      await client.stop();
    } catch (error) {
      // A server that is hung or already gone cannot say goodbye.
      output.warn(String(error));
    }
  }

  async function send<T>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<T | undefined> {
    if (client.state === State.Stopped) return undefined;
    try {
      return await (token === undefined
        ? client.sendRequest<T>(method, params)
        : client.sendRequest<T>(method, params, token));
    } catch (error) {
      output.debug(`${method}: ${String(error)}`);
      return undefined;
    }
  }
  let followed = 0;

  return {
    client,
    start,
    stop,
    state: () => now,
    restart() {
      // One after the other, however often it is asked for.
      restarting = restarting.then(async () => {
        await stop();
        handler.forget();
        await start();
      });
      return restarting;
    },
    send,
    async follow<T>(
      method: string,
      params: object,
      onPartial: (partial: unknown) => void,
      token: vscode.CancellationToken,
    ): Promise<T | undefined> {
      followed += 1;
      const partialResultToken = `pipewright-${followed}`;
      const listening = client.onProgress(new ProgressType<unknown>(), partialResultToken, (partial) => {
        if (!token.isCancellationRequested) onPartial(partial);
      });
      try {
        return await send<T>(method, { ...params, partialResultToken }, token);
      } finally {
        listening.dispose();
      }
    },
    notify(method, params) {
      if (client.state === State.Running) void client.sendNotification(method, params);
    },
    dispose() {
      for (const listener of listeners) listener.dispose();
    },
  };
}

/** Starts the server again after a crash, without a message, until it has crashed too often in a short time. */
function restartingHandler(changed: (state: ServerState) => void): ErrorHandler & { readonly forget: () => void } {
  let ends: readonly number[] = [];
  return {
    forget() {
      ends = [];
    },
    error: () => ({ action: ErrorAction.Continue, handled: true }),
    closed() {
      const next = restartAfter(ends, Date.now());
      ends = next.ends;
      if (next.restart) {
        changed({ kind: 'restarting', attempt: ends.length });
        return { action: CloseAction.Restart, handled: true };
      }
      changed({
        kind: 'stopped',
        reason: `It ended ${ends.length} times within ${restartLimit.windowMs / 60_000} minutes.`,
      });
      return { action: CloseAction.DoNotRestart, handled: true };
    },
  };
}
