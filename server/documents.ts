/**
 * Open documents and what is known of each. Checking runs off the request path, in steps: between two steps the server
 * reads its input, and a check whose text is no longer the newest is dropped. Nothing here waits for a fixed time.
 */
import type { CancellationToken } from 'vscode-languageserver';
import { checkSteps, type Analysis } from '../engine/check.ts';
import type { EngineOptions } from '../engine/host.ts';
import { LineIndex, parse } from '../grammar/index.ts';
import { normal } from './uris.ts';
import type { Files, SyntaxView, View } from './view.ts';

export interface Documents {
  /** Opens a document or gives its newest text. Documents that import it are checked again. */
  set(uri: string, version: number, text: string): void;
  close(uri: string): void;
  /** The newest text of an open document. */
  text(uri: string): string | undefined;
  uris(): readonly string[];
  /** Checks again: these documents, or all. Their texts are what they were; something around them is not. */
  recheck(uris?: readonly string[]): void;
  /** Checks again the documents that import any of these files. */
  filesChanged(uris: readonly string[]): void;
  /** The newest text's tree, at once. */
  syntax(uri: string): SyntaxView | undefined;
  /** Everything about the newest text; undefined once closed or cancelled, or where checking failed. */
  view(uri: string, token: CancellationToken): Promise<View | undefined>;
}

export interface DocumentsHost {
  readonly files: Files;
  options(): EngineOptions;
  /** Checking starts once this is settled. */
  readonly ready: Promise<void>;
  /** `own` is false where the text did not change, only something around it. */
  checked(view: View, own: boolean): void;
  closed(uri: string): void;
  failed(uri: string, error: unknown): void;
}

interface State {
  readonly uri: string;
  text: string;
  version: number;
  /** Counts texts and rechecks; `done` is that of the last check that ended. */
  revision: number;
  done: number;
  own: boolean;
  syntax?: SyntaxView;
  view?: View;
  /** What the last check that succeeded left for the next. */
  earlier?: Analysis;
  waiting: (() => void)[];
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function createDocuments(host: DocumentsHost): Documents {
  const states = new Map<string, State>();
  let queue: State[] = [];
  let running = false;

  function request(state: State, first: boolean): void {
    state.revision += 1;
    queue = queue.filter((one) => one !== state);
    if (first) queue.unshift(state);
    else queue.push(state);
    if (!running) void run();
  }

  async function run(): Promise<void> {
    running = true;
    await host.ready;
    for (;;) {
      await nextTurn();
      const state = queue.shift();
      if (state === undefined) break;
      await checkOne(state);
    }
    running = false;
  }

  async function checkOne(state: State): Promise<void> {
    const { revision, own } = state;
    const current = () => states.get(state.uri) === state && state.revision === revision;
    if (!current()) return;
    try {
      const view = await analyse(state, current);
      if (view === undefined) return;
      state.view = view;
      state.earlier = view.analysis;
    } catch (error) {
      state.view = undefined;
      host.failed(state.uri, error);
    }
    state.done = revision;
    state.own = false;
    wake(state);
    try {
      if (state.view !== undefined) host.checked(state.view, own);
    } catch (error) {
      host.failed(state.uri, error);
    }
  }

  async function analyse(state: State, current: () => boolean): Promise<View | undefined> {
    const options = host.options();
    const base = syntaxOf(state);
    const earlier = { syntax: base.syntax, pipelines: state.earlier?.pipelines ?? [], jobs: state.earlier?.jobs };
    const steps = checkSteps({ uri: state.uri, text: state.text, host: host.files, options, earlier });
    for (;;) {
      const step = steps.next();
      if (step.done) return { ...base, analysis: step.value, files: host.files, options };
      await nextTurn();
      if (!current()) return undefined;
    }
  }

  function syntaxOf(state: State): SyntaxView {
    const { limits } = host.options();
    state.syntax ??= {
      uri: state.uri,
      version: state.version,
      syntax: parse(state.text, { size: limits.fileSize, faults: limits.findings }),
      lines: new LineIndex(state.text),
    };
    return state.syntax;
  }

  function filesChanged(uris: readonly string[]): void {
    const changed = new Set(uris.map(normal));
    for (const state of states.values()) {
      const imports = state.earlier?.resolution.imports ?? [];
      if (imports.some((uri) => uri !== state.uri && changed.has(normal(uri)))) request(state, false);
    }
  }

  return {
    set(uri, version, text) {
      const known = states.get(uri);
      const state: State = known ?? { uri, text, version, revision: 0, done: 0, own: true, waiting: [] };
      states.set(uri, state);
      Object.assign(state, { text, version, own: true, syntax: undefined });
      request(state, true);
      filesChanged([uri]);
    },
    close(uri) {
      const state = states.get(uri);
      if (state === undefined) return;
      states.delete(uri);
      queue = queue.filter((one) => one !== state);
      wake(state);
      host.closed(uri);
      filesChanged([uri]);
    },
    text: (uri) => states.get(uri)?.text,
    uris: () => [...states.keys()],
    recheck(uris = [...states.keys()]) {
      for (const uri of uris) {
        const state = states.get(uri);
        if (state === undefined) continue;
        state.syntax = undefined;
        request(state, false);
      }
    },
    filesChanged,
    syntax(uri) {
      const state = states.get(uri);
      return state === undefined ? undefined : syntaxOf(state);
    },
    async view(uri, token) {
      for (;;) {
        const state = states.get(uri);
        if (state === undefined || token.isCancellationRequested) return undefined;
        if (state.done === state.revision) return state.view;
        await changed(state, token);
      }
    },
  };
}

function wake(state: State): void {
  const waiting = state.waiting;
  state.waiting = [];
  for (const resume of waiting) resume();
}

function changed(state: State, token: CancellationToken): Promise<void> {
  return new Promise((resolve) => {
    const cancelled = token.onCancellationRequested(() => resolve());
    state.waiting.push(() => {
      cancelled.dispose();
      resolve();
    });
  });
}
