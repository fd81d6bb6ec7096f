/** What the client says of itself, its workspace and its settings, and how they change. */
import {
  CodeLensRefreshRequest,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type ClientCapabilities,
  type Connection,
  type InitializeParams,
} from 'vscode-languageserver';
import type { EngineOptions } from '../engine/basics/host.ts';
import { methods, type InitializationOptions, type TrustChanged } from '../webview/protocol/requests.ts';
import { bundled } from './bundled.ts';
import { describe, type Log } from './handlers.ts';
import { at, editorOptions, readSettings } from './settings.ts';
import { createShown, type Shown } from './shown.ts';

/**
 * Milliseconds between two refreshes. VS Code asks for lenses when 250 ms have passed without a refresh, so more frequent ones put it off for
 * as long as they go on.
 */
const refreshPause = 1000;

/** The same for findings: several documents that are done at about the same time are asked about together. */
const findingsPause = 100;

export interface Configuration {
  readonly options: EngineOptions;
  readonly trusted: boolean;
  /** Uris of the workspace folders. */
  readonly folders: readonly string[];
  /** The client reads files for the server. */
  readonly readsFiles: boolean;
  /** Settled when the settings are known, or the client gives none. */
  readonly ready: Promise<void>;
  initialize(params: InitializeParams): InitializationOptions;
  /** Settings, trust or folders are not what they were. */
  onChange(listener: () => void): void;
  /** Files on disk changed. */
  onFiles(listener: (uris: readonly string[]) => void): void;
  /** Documents that the client asks to show something inside their text. */
  readonly shown: Shown;
  /** Whether the client asks for lenses again when it is asked to. */
  readonly refreshes: boolean;
  /** Asks the client to ask again for findings; undefined where it cannot be asked. */
  readonly refreshFindings: (() => void) | undefined;
  /** Asks the client to ask again for what it shows inside the text, once for all documents that are done at about the same time. */
  refresh(): void;
}

export function configure(connection: Connection, log: Log): Configuration {
  let options = editorOptions;
  let trusted = true;
  let folders: readonly string[] = [];
  let readsFiles = false;
  let client: ClientCapabilities = {};
  const shown = createShown();
  let changed = (): void => {};
  let settle = (): void => {};
  const ready = new Promise<void>((resolve) => {
    settle = resolve;
  });

  function apply(raw: unknown): void {
    const next = readSettings(raw, options);
    if (next === options) return;
    options = next;
    changed();
  }

  async function fetch(): Promise<void> {
    if (client.workspace?.configuration !== true) return;
    try {
      apply(await connection.workspace.getConfiguration('pipewright'));
    } catch (error) {
      log.error(`configuration: ${describe(error)}`);
    }
  }

  async function register(): Promise<void> {
    try {
      if (client.workspace?.didChangeConfiguration?.dynamicRegistration === true)
        await connection.client.register(DidChangeConfigurationNotification.type, { section: 'pipewright' });
      if (client.workspace?.didChangeWatchedFiles?.dynamicRegistration === true)
        await connection.client.register(DidChangeWatchedFilesNotification.type, {
          watchers: [{ globPattern: '**/*.{pipe,txt,json,yaml,yml,gz}' }],
        });
    } catch (error) {
      log.error(`registration: ${describe(error)}`);
    }
  }

  connection.onInitialized(() => {
    // A client that does not answer is not waited for.
    const late = setTimeout(settle, 500);
    void fetch().finally(() => {
      clearTimeout(late);
      settle();
    });
    void register();
    if (client.workspace?.workspaceFolders === true)
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const gone = new Set(removed.map((workspaceFolder) => workspaceFolder.uri));
        folders = [
          ...folders.filter((folder) => !gone.has(folder)),
          ...added.map((workspaceFolder) => workspaceFolder.uri),
        ];
        changed();
      });
  });
  connection.onDidChangeConfiguration(({ settings }) => {
    if (client.workspace?.configuration === true) void fetch();
    else apply(at(settings, 'pipewright'));
  });
  connection.onNotification(methods.trust, (params: TrustChanged) => {
    if (trusted === (params?.trusted === true)) return;
    trusted = params?.trusted === true;
    changed();
  });

  const quiet = (asked: Promise<void>) =>
    void asked.catch((error: unknown) => log.error(`refresh: ${describe(error)}`));
  const refreshFindings = bundled(() => quiet(connection.languages.diagnostics.refresh()), findingsPause);

  return {
    get options() {
      return options;
    },
    get trusted() {
      return trusted;
    },
    get folders() {
      return folders;
    },
    get readsFiles() {
      return readsFiles;
    },
    ready,
    initialize(params) {
      client = params.capabilities;
      folders =
        params.workspaceFolders?.map((workspaceFolder) => workspaceFolder.uri) ??
        (params.rootUri ? [params.rootUri] : []);
      const given: InitializationOptions =
        typeof params.initializationOptions === 'object' ? (params.initializationOptions ?? {}) : {};
      trusted = given.trusted !== false;
      readsFiles = given.files === true;
      apply(at(given, 'settings'));
      return {
        docs: typeof given.docs === 'string' ? given.docs : undefined,
        previews: given.previews === true,
        push: given.push === true,
      };
    },
    onChange(listener) {
      changed = listener;
    },
    onFiles(listener) {
      connection.onDidChangeWatchedFiles(({ changes }) => listener(changes.map((change) => change.uri)));
    },
    shown,
    get refreshes() {
      return client.workspace?.codeLens?.refreshSupport === true;
    },
    get refreshFindings() {
      return client.workspace?.diagnostics?.refreshSupport === true ? refreshFindings : undefined;
    },
    refresh: bundled(() => {
      shown.refreshed();
      if (client.workspace?.codeLens?.refreshSupport === true)
        quiet(connection.sendRequest(CodeLensRefreshRequest.type));
      if (client.workspace?.inlayHint?.refreshSupport === true) quiet(connection.languages.inlayHint.refresh());
    }, refreshPause),
  };
}
