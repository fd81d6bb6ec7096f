/** A search in parts, as a job of another program writes it: what each part is asked, and how many parts there are. */
export interface Job {
  /** Arguments of `pipewright` for a part, but for its number and its threads. */
  readonly options: readonly string[];
  /** What follows the options: the file. */
  readonly operands: readonly string[];
  /** Arguments of `pipewright` that show the front of all parts. */
  readonly merge: readonly string[];
  readonly parts: number;
  /** Threads of a part; undefined if the call does not say. */
  readonly threads: number | undefined;
}

export const partThreads = 4;
