import type { NamedRuns } from '../server/runs/namedRuns.ts';
import type { RunFiles } from '../platform/node/runs/readRuns.ts';
import type { Summary } from './summary/summary.ts';

/** Everything that a command may do to the outside. Tests pass their own; `nodeIo` is the real one. */
export interface Io extends RunFiles {
  /** Text of a file or of standard input (`-`), or why there is none. */
  readText(path: string): { readonly text: string } | { readonly problem: string };
  /** Runs that files name. Absent: the command does not read them. */
  readonly runs?: NamedRuns;
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
  /** Takes the answer of `--summary` in place of the output. `most`: entries of each list. */
  summarised?(summary: Summary, most: number): void;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
}
