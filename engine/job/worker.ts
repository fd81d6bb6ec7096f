import type { Program } from '../values/program.ts';
import type { Timing } from '../values/timeline.ts';

export interface Worker {
  readonly program: Program;
  readonly timing: Timing;
  /** Rows of `program` with which a minibatch enters: forwards that need no other stage. */
  readonly entries: Uint8Array;
  /** Bytes of one push or pull. */
  readonly bytes: number;
  /** Ends by slot if every minibatch is admitted at once; absent if only a run in order of time finds them. */
  readonly free?: Float64Array;
}
