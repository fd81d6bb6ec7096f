/** The order that a search found. Plain data: it may go to another thread. */
import type { Switches } from './construct.ts';
import type { Words } from './problem.ts';

export interface Answer {
  readonly words: Words;
  /** Ticks to the end of the last step. */
  readonly makespan: number;
  /** Ticks between the first start and the last end of the device where that is longest. */
  readonly span: number;
  /** What made it: the order of a named policy, or the construction under these switches. */
  readonly by: { readonly name: string } | Switches;
  /** Ticks that no makespan and no span within the limits can be under. */
  readonly least: number;
  readonly leastSpan: number;
}
