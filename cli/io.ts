import type { ByteStream } from './runs/byteStream.ts';

/** Everything that a command may do to the outside. Tests pass their own; `nodeIo` is the real one. */
export interface Io {
  /** Text of a file or of standard input (`-`), or why there is none. */
  readText(path: string): { readonly text: string } | { readonly problem: string };
  /** Bytes of a file as they are read, decompressed where it is compressed with gzip. */
  openBytes(path: string): ByteStream | { readonly problem: string };
  /** Paths of the files in a folder and below, in order; undefined for what is no folder. */
  filesIn(path: string): readonly string[] | undefined;
  /** Folder that `--root` names. Absent: each file has its project. */
  readonly root?: string;
  /** The folder in which the files that the file at `path` names are read. */
  projectOf(path: string): string;
  /** Whether a path leads into a folder. */
  leadsInto(path: string, folder: string): boolean;
  /** Replaces a file's text, or its bytes; a text in parts is written part by part. Answers why it could not, or nothing. */
  writeText(path: string, text: string | Uint8Array | Iterable<string>): string | undefined;
  /** Standard output. Resolves when the text is taken; a reader that has gone away (`| head`) is no error. */
  out(text: string | Uint8Array): Promise<void>;
  err(text: string): Promise<void>;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  /** Columns of the terminal, or a plain 100 where there is none. */
  readonly columns: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Folder that holds `package.json` and `docs/`. */
  readonly packageRoot: string;
  /** Calls `stop` when the user interrupts (Ctrl+C) or a scheduler ends the job (SIGTERM); the answer takes that back. Absent: either ends the program. */
  onInterrupt?(stop: () => void): () => void;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
}
