/** Files around the open documents, by their uris, on a disk or at the client. */
import type { EngineHost, RunAnswer } from '../../engine/basics/host.ts';

export type FileAnswer = ReturnType<EngineHost['read']>;

export interface StoreHost {
  readonly openUris: () => readonly string[];
  /** Uris of the workspace folders. */
  readonly folders: () => readonly string[];
  readonly trusted: () => boolean;
  /** Most bytes that a file may have. */
  readonly sizeLimit: () => number;
  /** What the run at a path says, which the file at `uri` names. Absent: none is read. */
  readonly findRun?: (uri: string, path: string, ranks: readonly number[]) => RunAnswer | undefined;
}

export interface FileStore {
  /** Within what the workspace's trust allows. */
  read(uri: string): FileAnswer;
  /** A recorded run. Absent: none is read. */
  run?(uri: string, ranks: readonly number[]): RunAnswer | undefined;
  /** Names in a folder; folders end with a slash. */
  list(folder: string): readonly string[];
  /** Uris of `.pipe` files in a folder and below, at most some thousand, as they are found. Undefined: none was found for a moment. */
  below(folder: string): Iterable<string | undefined>;
}

/** Files that have been asked for: until they arrive, they are answered as files that do not exist. */
export interface Arriving {
  /** How many such answers were given so far. */
  count(): number;
  /** Settled when everything is there that has been asked for by now. */
  settled(): Promise<void>;
}

/** What a search for files in a workspace looks at most at. */
export const mostFiles = 2_000;
export const mostFolders = 500;
export const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git', 'out', 'dist']);
