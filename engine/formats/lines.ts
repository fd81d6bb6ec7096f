/** A line of a text, without its end. */
export interface Line {
  readonly text: string;
  /** Characters before it. */
  readonly start: number;
}

/** Lines of a text that end in LF, CRLF or CR, without lines of only white space. */
export function* linesOf(text: string): Generator<Line> {
  const ends = /\r\n|\n|\r/g;
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    const end = ends.exec(text);
    const line = text.slice(start, end?.index);
    if (line.trim() !== '') yield { text: line, start };
    if (end === null) return;
    start = ends.lastIndex;
  }
}
