/** What a file of a run gives: a part of one, or whole recordings. */
import type { RankTrace } from '../kineto/rankTrace.ts';
import type { TraceFault } from '../kineto/read.ts';
import type { LoggedRank, Recording } from '../../values/recording.ts';

export type RunPart =
  | { readonly traces: readonly RankTrace[] }
  | { readonly recordings: readonly Recording[] }
  /** `unlabelled`: it is a trace, and why it tells no more. */
  | { readonly logged: LoggedRank; readonly unlabelled?: TraceFault }
  | { readonly fault: TraceFault };

export interface RunReader {
  push(chunk: Uint8Array): TraceFault | undefined;
  end(): RunPart;
}
