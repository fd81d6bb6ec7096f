/** A run of prose: a paragraph, a list item, a table cell, a comment or a message. */
export interface Passage {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Plain words: code and interpolated values are each replaced by `codeWord`. */
  readonly text: string;
  /** A cell of a table. */
  readonly cell?: true;
}

/** Stands in for code, so that a sentence keeps its length and the word list never matches code. */
export const codeWord = '§';
