import type { Program } from '../program.ts';
import type { Timing } from '../timeline.ts';

export interface Worker {
  readonly program: Program;
  readonly timing: Timing;
  /** Rows of `program` with which a minibatch enters: forwards that need no other stage. */
  readonly entries: Uint8Array;
  /** Bytes of one push or pull. */
  readonly bytes: number;
  /** Ends by slot where every minibatch is let in at once; absent where only a run in order of time tells. */
  readonly free?: Float64Array;
}
