/** Values of the editor's API as previews make and read them. */
import { URI, Utils } from 'vscode-uri';

export const Uri = Object.assign(URI, {
  joinPath: (base: URI, ...parts: string[]): URI => Utils.joinPath(base, ...parts),
});
export type Uri = URI;

export class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
  isEqual({ line, character }: Position): boolean {
    return this.line === line && this.character === character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(
    ...at: [start: Position, end: Position] | [line: number, character: number, line: number, character: number]
  ) {
    if (at.length === 2) [this.start, this.end] = at;
    else {
      this.start = new Position(at[0], at[1]);
      this.end = new Position(at[2], at[3]);
    }
  }
}

export class Selection extends Range {
  get active(): Position {
    return this.end;
  }
}

/** Edits of texts, which are made together. */
export class WorkspaceEdit {
  readonly edits: { readonly uri: URI; readonly range: Range; readonly newText: string }[] = [];
  replace(uri: URI, range: Range, newText: string): void {
    this.edits.push({ uri, range, newText });
  }
  insert(uri: URI, at: Position, newText: string): void {
    this.replace(uri, new Range(at, at), newText);
  }
}

export class Disposable {
  readonly dispose: () => void;
  constructor(dispose: () => void) {
    this.dispose = dispose;
  }
  static from(...all: readonly { dispose(): void }[]): Disposable {
    return new Disposable(() => {
      for (const each of all) each.dispose();
    });
  }
}

/** Listeners, and the call that reaches all of them. */
export function event<T>() {
  const listeners = new Set<(value: T) => void>();
  return {
    on(listener: (value: T) => void): Disposable {
      listeners.add(listener);
      return new Disposable(() => void listeners.delete(listener));
    },
    fire(value: T): void {
      for (const listener of listeners) listener(value);
    },
  };
}

export class CancellationTokenSource {
  readonly #cancelled = event<void>();
  readonly token: { isCancellationRequested: boolean; onCancellationRequested(listener: () => void): Disposable } = {
    isCancellationRequested: false,
    onCancellationRequested: (listener) => this.#cancelled.on(listener),
  };
  cancel(): void {
    if (this.token.isCancellationRequested) return;
    this.token.isCancellationRequested = true;
    this.#cancelled.fire();
  }
  dispose(): void {}
}

export class TabInputText {
  readonly uri: URI;
  constructor(uri: URI) {
    this.uri = uri;
  }
}

export class FileSystemError extends Error {
  readonly code = 'FileNotFound';
}

export const ViewColumn = { One: 1, Two: 2 } as const;
export const FileType = { File: 1, Directory: 2 } as const;
export const ConfigurationTarget = { Global: 1, Workspace: 2 } as const;
export const ProgressLocation = { Notification: 15 } as const;
export const QuickPickItemKind = { Separator: -1, Default: 0 } as const;
export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 } as const;
