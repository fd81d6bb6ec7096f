/** A client of the real server: two connected streams, the real protocol on both ends. */
import { PassThrough } from 'node:stream';
import {
  createConnection,
  createMessageConnection,
  ProgressType,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import type {
  ClientCapabilities,
  Position,
  PublishDiagnosticsParams,
  Range,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver';
import { LineIndex } from '../../grammar/index.ts';
import { nodePlatform } from '../../platform/node/platform.ts';
import { startServer, type ServerOptions } from '../../server/server.ts';
import { answerFromDisk } from './clientDisk.ts';
import { uri } from './host.ts';
import { warmThreads } from './threads.ts';

export interface ClientOptions {
  readonly folders?: readonly string[];
  readonly initialization?: unknown;
  readonly capabilities?: ClientCapabilities;
  readonly files?: ServerOptions['files'];
  /** The server works ahead of requests, as it does for editors. */
  readonly ahead?: ServerOptions['ahead'];
  /** Milliseconds that a request takes before its progress is shown. */
  readonly patience?: number;
  /** Answers `workspace/configuration`. */
  readonly settings?: unknown;
}

/** What an edit does in one file. */
export const editsIn = ({ documentChanges = [] }: WorkspaceEdit, uri: string): TextEdit[] =>
  documentChanges.flatMap((change) =>
    'textDocument' in change && change.textDocument.uri === uri ? (change.edits as TextEdit[]) : [],
  );

export interface Client {
  /** The answer to `initialize`. */
  readonly initialized: unknown;
  open(uri: string, text: string): void;
  /** Replaces the whole text. */
  change(uri: string, text: string): void;
  /** One incremental change. */
  edit(uri: string, range: Range, text: string): void;
  close(uri: string): void;
  text(uri: string): string;
  version(uri: string): number;
  request<R>(method: string, params: unknown): Promise<R>;
  /** The token of the next progress that the server creates. */
  created(): Promise<unknown>;
  /** What `$/progress` carries for a token, from now on; `tell` hears it, too. */
  progress(token: string, tell?: (value: unknown) => void): readonly unknown[];
  notify(method: string, params: unknown): void;
  /** The diagnostics of the newest version, once they are there. */
  diagnostics(uri: string): Promise<PublishDiagnosticsParams>;
  /** All that was published so far, in order. */
  readonly published: readonly PublishDiagnosticsParams[];
  readonly notifications: readonly { readonly method: string; readonly params: unknown }[];
  /** Methods that the server asked the client for, in order. */
  readonly asked: readonly string[];
  /** What the server logged as an error. */
  readonly errors: readonly string[];
  stop(): void;
}

const everything: ClientCapabilities = {
  textDocument: {
    completion: { completionItem: { snippetSupport: true } },
    definition: { linkSupport: true },
    publishDiagnostics: { relatedInformation: true },
  },
  workspace: { workspaceEdit: { documentChanges: true }, textDocumentContent: {} },
};

/** `PIPEWRIGHT_FILES=client`: the server has no disk, and this client reads files for it, as an editor in a browser does. */
const readsFiles = process.env['PIPEWRIGHT_FILES'] === 'client';
const platform = readsFiles ? { ...nodePlatform, disk: undefined } : nodePlatform;

export async function startClient(options: ClientOptions = {}): Promise<Client> {
  const up = new PassThrough();
  const down = new PassThrough();
  const server = startServer(
    createConnection(ProposedFeatures.all, new StreamMessageReader(up), new StreamMessageWriter(down)),
    {
      platform,
      docs: 'file:///docs/',
      files: options.files,
      ahead: options.ahead,
      patience: options.patience,
      threads: warmThreads,
    },
  );
  const connection = createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  const open = new Map<string, { version: number; text: string }>();
  // A file that is opened again has a new version: what was published of it before is not taken for the new text.
  const versions = new Map<string, number>();
  const published: PublishDiagnosticsParams[] = [];
  const notifications: { method: string; params: unknown }[] = [];
  const errors: string[] = [];
  let waiting: (() => void)[] = [];
  connection.onNotification((method: string, params: unknown) => {
    if (method === 'textDocument/publishDiagnostics') published.push(params as PublishDiagnosticsParams);
    else if (method === 'window/logMessage') errors.push((params as { message: string }).message);
    else notifications.push({ method, params });
    const ready = waiting;
    waiting = [];
    for (const resume of ready) resume();
  });
  const asked: string[] = [];
  let tellCreated: ((token: unknown) => void) | undefined;
  connection.onRequest((method: string, params: unknown) => {
    const read = answerFromDisk(method, params);
    if (read !== undefined) return read;
    asked.push(method);
    if (method === 'window/workDoneProgress/create') tellCreated?.((params as { token: unknown }).token);
    return method === 'workspace/configuration' ? [options.settings ?? null] : null;
  });
  connection.listen();
  const initialized = await connection.sendRequest('initialize', {
    processId: null,
    rootUri: null,
    capabilities: { ...everything, ...options.capabilities },
    workspaceFolders: options.folders?.map((uri) => ({ uri, name: uri })) ?? null,
    initializationOptions: readsFiles ? { files: true, ...(options.initialization as object) } : options.initialization,
  });
  void connection.sendNotification('initialized', {});

  const documentOf = (uri: string) => {
    const found = open.get(uri);
    if (found === undefined) throw new Error(`${uri} is not open`);
    return found;
  };
  const send = (method: string, params: unknown) => void connection.sendNotification(method, params);
  const client: Client = {
    initialized,
    published,
    notifications,
    asked,
    errors,
    open(uri, text) {
      const version = (versions.get(uri) ?? 0) + 1;
      open.set(uri, { version, text });
      send('textDocument/didOpen', { textDocument: { uri, languageId: 'pipe', version, text } });
    },
    change(uri, text) {
      const known = documentOf(uri);
      open.set(uri, { version: known.version + 1, text });
      send('textDocument/didChange', { textDocument: { uri, version: known.version + 1 }, contentChanges: [{ text }] });
    },
    edit(uri, range, text) {
      const known = documentOf(uri);
      const lines = new LineIndex(known.text);
      const next =
        known.text.slice(0, lines.offsetAt(range.start)) + text + known.text.slice(lines.offsetAt(range.end));
      open.set(uri, { version: known.version + 1, text: next });
      send('textDocument/didChange', {
        textDocument: { uri, version: known.version + 1 },
        contentChanges: [{ range, text }],
      });
    },
    close(uri) {
      versions.set(uri, documentOf(uri).version);
      open.delete(uri);
      send('textDocument/didClose', { textDocument: { uri } });
    },
    text: (uri) => documentOf(uri).text,
    version: (uri) => documentOf(uri).version,
    request: (method, params) => connection.sendRequest(method, params),
    created: () =>
      new Promise((resolve) => {
        tellCreated = resolve;
      }),
    progress(token, tell) {
      const heard: unknown[] = [];
      connection.onProgress(new ProgressType<unknown>(), token, (value) => {
        heard.push(value);
        tell?.(value);
      });
      return heard;
    },
    notify: send,
    async diagnostics(uri) {
      for (;;) {
        const { version } = documentOf(uri);
        const found = published.findLast((candidate) => candidate.uri === uri);
        if (found?.version === version) return found;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    stop() {
      connection.dispose();
      server.dispose();
    },
  };
  return client;
}

/** Runs with a client of its own. An error that the server logs fails the test. */
export async function withClient<Result>(
  work: (client: Client) => Promise<Result>,
  options: ClientOptions = {},
): Promise<Result> {
  const client = await startClient(options);
  try {
    const result = await work(client);
    if (client.errors.length > 0) throw new Error(client.errors.join('\n'));
    return result;
  } finally {
    client.stop();
  }
}

/** The file that tests open. */
export const main = uri;
export const positionAt = (text: string, offset: number): Position => new LineIndex(text).positionAt(offset);
export const offsetOf = (text: string, position: Position): number => new LineIndex(text).offsetAt(position);
export const slice = (text: string, range: Range): string =>
  text.slice(offsetOf(text, range.start), offsetOf(text, range.end));

/** The text after edits that do not overlap, in any order. */
export const applyEdits = (text: string, edits: readonly TextEdit[]): string =>
  edits
    .map((edit) => ({
      start: offsetOf(text, edit.range.start),
      end: offsetOf(text, edit.range.end),
      newText: edit.newText,
    }))
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, each) => done.slice(0, each.start) + each.newText + done.slice(each.end), text);
