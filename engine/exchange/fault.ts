/** Something wrong in the text of a file of another format. */
export interface TextFault {
  /** Characters from the start of the text; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  /** A sentence: what is wrong and what would do. */
  readonly message: string;
}

/** Faults told of one file. */
export const mostTextFaults = 20;

/** Longest piece of a file that a message repeats. */
export const clipped = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
