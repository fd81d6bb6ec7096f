/** Zero-based; `character` counts UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

const lineFeed = 10;
const carriageReturn = 13;

/** Line and column of an offset and back. `\n`, `\r\n` and `\r` end a line. */
export class LineIndex {
  /** Offset of the first character of each line. */
  readonly starts: readonly number[];
  readonly text: string;

  constructor(text: string) {
    const starts = [0];
    // Searching for one character takes a fraction of the time of looking at each.
    if (!text.includes('\r')) {
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    } else {
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        if (unit === lineFeed) starts.push(i + 1);
        else if (unit === carriageReturn && text.charCodeAt(i + 1) !== lineFeed) starts.push(i + 1);
      }
    }
    this.starts = starts;
    this.text = text;
  }

  get lineCount(): number {
    return this.starts.length;
  }

  /** An offset outside the text is taken as its nearest end. */
  positionAt(offset: number): Position {
    const inside = Math.min(Math.max(Number.isNaN(offset) ? 0 : Math.trunc(offset), 0), this.text.length);
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= inside) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: inside - (this.starts[low] ?? 0) };
  }

  /** A position past the end of its line is taken as the end of that line, before its line break. */
  offsetAt(position: Position): number {
    const line = Math.trunc(position.line);
    if (line < 0 || Number.isNaN(line)) return 0;
    const start = this.starts[line];
    if (start === undefined) return this.text.length;
    const character = Number.isNaN(position.character) ? 0 : Math.max(Math.trunc(position.character), 0);
    return Math.min(start + character, this.lineEnd(line));
  }

  /** Offset of the end of a line, its line break left out. */
  lineEnd(line: number): number {
    const next = this.starts[line + 1];
    if (next === undefined) return this.text.length;
    const feed = this.text.charCodeAt(next - 1) === lineFeed;
    return feed && this.text.charCodeAt(next - 2) === carriageReturn ? next - 2 : next - 1;
  }
}
