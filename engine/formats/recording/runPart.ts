/** What a file of a run gives: a part of one, or whole recordings. */
import type { RankTrace } from '../kineto/rankTrace.ts';
import type { TraceFault } from '../kineto/read.ts';
import type { Recording } from '../../values/recording.ts';

export type RunPart =
  | { readonly traces: readonly RankTrace[] }
  | { readonly recordings: readonly Recording[] }
  | { readonly fault: TraceFault };

export interface RunReader {
  push(chunk: Uint8Array): TraceFault | undefined;
  end(): RunPart;
}
