/** Something wrong in the text of a file of another format. */
export interface TextFault {
  /** Characters from the start of the text; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  /**
   * A sentence: what was expected here. In a file that a `.pipe` file names it never repeats the file's text: a path may lead to
   * a secret, and messages end in logs that others read.
   */
  readonly message: string;
}

/** Most faults reported for one file. */
export const mostTextFaults = 20;

/** A piece of a file as a message repeats it: its first 40 characters, or `most`. */
export const clipped = (text: string, most = 40): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
