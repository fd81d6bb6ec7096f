/** The language server in a worker: starts it, and starts it again when the reader asks for it. */
import type { LongRequests, Requests } from '../../../client/languageClient.ts';
import type { ServerState } from '../../../client/serverState.ts';
import type { InitializationOptions } from '../../../webview/protocol/requests.ts';
import { type Cancels, connect, type Connection, type Port } from './connection.ts';
import type { Texts } from './texts.ts';

export interface PlaygroundServer extends Requests, LongRequests {
  readonly client: { onNotification(method: string, heard: (params: never) => void): { dispose(): void } };
  state(): ServerState;
  start(): Promise<void>;
  restart(): Promise<void>;
}

/** A worker that can be ended. */
type Started = Port & {
  addEventListener(type: 'error', listener: (event: { readonly message: string }) => void): void;
  terminate(): void;
};

export interface ServerHost {
  startWorker(): Started;
  readonly texts: Texts;
  /** Before anything is asked: answers requests of the server. */
  connected(connection: Connection): void;
  changed(state: ServerState): void;
}

/** What this page shows of what the server offers. */
const capabilities = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    synchronization: {},
    publishDiagnostics: { relatedInformation: true },
    completion: {
      completionItem: { snippetSupport: true, documentationFormat: ['markdown'], labelDetailsSupport: true },
    },
    hover: { contentFormat: ['markdown'] },
    signatureHelp: { signatureInformation: { documentationFormat: ['markdown'] } },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor', 'source'] } },
      dataSupport: true,
      resolveSupport: { properties: ['edit'] },
    },
    formatting: {},
  },
  workspace: { workspaceEdit: { documentChanges: true } },
} as const;

export function createServer(host: ServerHost): PlaygroundServer {
  const heard = new Map<string, Set<(params: never) => void>>();
  let state: ServerState = { kind: 'starting' };
  let worker: Started | undefined;
  let connection: Connection | undefined;
  let followed = 0;

  function tell(next: ServerState): void {
    state = next;
    host.changed(next);
  }

  async function start(): Promise<void> {
    tell({ kind: 'starting' });
    const mine = host.startWorker();
    worker = mine;
    const to = connect(mine);
    mine.addEventListener('error', ({ message }) => {
      if (worker !== mine) return;
      connection = undefined;
      tell({ kind: 'stopped', reason: message === '' ? 'Its script was not loaded.' : message });
    });
    host.connected(to);
    for (const [method, all] of heard) for (const listener of all) to.onNotification(method, listener as () => void);
    const initializationOptions: InitializationOptions = { trusted: true, previews: true, push: true, files: true };
    await to.request('initialize', { processId: null, rootUri: null, capabilities, initializationOptions });
    to.notify('initialized', {});
    connection = to;
    for (const { uri, version, text } of host.texts.all())
      to.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'pipe', version, text } });
    tell({ kind: 'running' });
  }

  host.texts.follow({
    opened: ({ uri, version, text }) =>
      connection?.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'pipe', version, text } }),
    changed: ({ uri, version, text }) =>
      connection?.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] }),
    closed: (uri) => connection?.notify('textDocument/didClose', { textDocument: { uri } }),
  });

  async function send<T>(method: string, params: unknown, token?: Cancels): Promise<T | undefined> {
    try {
      return await connection?.request<T>(method, params, token);
    } catch {
      // Refused, or cancelled: there is no answer.
      return undefined;
    }
  }

  return {
    client: {
      onNotification(method, listener) {
        const all = heard.get(method) ?? new Set();
        heard.set(method, all.add(listener));
        const end = connection?.onNotification(method, listener as () => void);
        return {
          dispose() {
            all.delete(listener);
            end?.();
          },
        };
      },
    },
    state: () => state,
    start,
    async restart() {
      worker?.terminate();
      connection = undefined;
      await start();
    },
    send,
    async follow<T>(method: string, params: object, onPartial: (partial: unknown) => void, token: Cancels) {
      followed += 1;
      const partialResultToken = `playground-${followed}`;
      const end = connection?.onNotification('$/progress', (progress) => {
        const { token: of, value } = progress as { readonly token: unknown; readonly value: unknown };
        if (of === partialResultToken && !token.isCancellationRequested) onPartial(value);
      });
      try {
        return await send<T>(method, { ...params, partialResultToken }, token);
      } finally {
        end?.();
      }
    },
    notify: (method, params) => connection?.notify(method, params),
  };
}
