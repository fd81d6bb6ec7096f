/** Zero-based; `character` counts UTF-16 code units unless the index of the lines says otherwise. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** The unit of `character`: code units of UTF-16, bytes of UTF-8, or whole characters (UTF-32). */
export type PositionEncoding = 'utf-16' | 'utf-8' | 'utf-32';

const lineFeed = 10;
const carriageReturn = 13;

/** Line and column of an offset and back. `\n`, `\r\n` and `\r` end a line. */
export class LineIndex {
  /** Offset of the first character of each line. */
  readonly starts: readonly number[];
  readonly text: string;
  readonly encoding: PositionEncoding;

  constructor(text: string, encoding: PositionEncoding = 'utf-16') {
    this.encoding = encoding;
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
    return { line: low, character: this.#counted(this.starts[low] ?? 0, inside) };
  }

  /** A position past the end of its line is taken as the end of that line, before its line break. */
  offsetAt(position: Position): number {
    const line = Math.trunc(position.line);
    if (line < 0 || Number.isNaN(line)) return 0;
    const start = this.starts[line];
    if (start === undefined) return this.text.length;
    const character = Number.isNaN(position.character) ? 0 : Math.max(Math.trunc(position.character), 0);
    const end = this.lineEnd(line);
    return this.encoding === 'utf-16' ? Math.min(start + character, end) : this.#offsetOf(start, end, character);
  }

  /** What `character` is at `end` on a line that begins at `start`. A surrogate whose other half is not before `end` is a character, too. */
  #counted(start: number, end: number): number {
    if (this.encoding === 'utf-16') return end - start;
    let counted = 0;
    for (let at = start; at < end; at += this.#units(at, end)) counted += this.#width(at, end);
    return counted;
  }

  /** In the middle of a character: the offset of its start. */
  #offsetOf(start: number, end: number, character: number): number {
    let at = start;
    for (let rest = character - this.#width(at, end); at < end && rest >= 0; rest -= this.#width(at, end))
      at += this.#units(at, end);
    return at;
  }

  #point(at: number, end: number): number {
    return at + 1 < end ? (this.text.codePointAt(at) ?? 0) : this.text.charCodeAt(at);
  }

  #units(at: number, end: number): number {
    return this.#point(at, end) > 0xffff ? 2 : 1;
  }

  #width(at: number, end: number): number {
    if (this.encoding === 'utf-32') return 1;
    const point = this.#point(at, end);
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }

  /** Offset of the end of a line, its line break left out. */
  lineEnd(line: number): number {
    const next = this.starts[line + 1];
    if (next === undefined) return this.text.length;
    const feed = this.text.charCodeAt(next - 1) === lineFeed;
    return feed && this.text.charCodeAt(next - 2) === carriageReturn ? next - 2 : next - 1;
  }
}
