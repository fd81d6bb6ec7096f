/** What is asked of the files of one run, and what they say. */

export interface RunAsked {
  readonly paths: readonly string[];
  /** Steps to leave out. */
  readonly skip: number;
  /** Only these ranks. */
  readonly ranks?: ReadonlySet<number>;
  /** A file that is cut off is read as far as it is whole. */
  readonly partial: boolean;
}

/** What was read, as its summary: the steps that are used, and no others. */
export type RunRead =
  | {
      readonly text: string;
      /** Global ranks of each pipeline: replicas. */
      readonly pipelines: readonly (readonly number[])[];
      /** Steps that are in the text, of the first pipeline, and steps that did not fit. */
      readonly steps: number;
      readonly left: number;
      /** What the files lack, with its place. */
      readonly remarks: readonly string[];
    }
  /** `partial`: it can be read as far as it is whole. `ambiguous`: the ranks of one pipeline have to be named. */
  | { readonly problem: string; readonly partial?: true; readonly ambiguous?: true };

/** How far the reading is. */
export interface RunShare {
  readonly share: number;
  readonly what: string;
}
