/** Measured times of a collective: a line for each size. */

export interface MeasuredTable {
  readonly bytes: readonly number[];
  readonly seconds: readonly number[];
}

/** `line` counts from 1. */
export type TableProblem = { readonly line: number } & (
  | { readonly kind: 'columns'; readonly found: number }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'order'; readonly bytes: number; readonly before: number }
  /** The last point is faster than the one before it. Larger sizes would take less and less time. */
  | { readonly kind: 'faster'; readonly seconds: number; readonly before: number }
  | { readonly kind: 'points'; readonly found: number }
);

/**
 * Lines of `bytes, seconds`, with rising bytes. Commas, semicolons, tabs or spaces separate the two.
 * Empty lines and comments (`#`) are skipped, and so is a first line without a digit. At least two points are needed.
 */
export function readTable(text: string): MeasuredTable | TableProblem {
  const bytes: number[] = [];
  const seconds: number[] = [];
  const lines = text.split(/\r\n|\r|\n/);
  let started = false;
  let lastLine = 0;
  for (const [index, whole] of lines.entries()) {
    const content = whole.replace(/#.*/, '').trim();
    if (content === '') continue;
    const line = index + 1;
    if (!started && !/\d/.test(content)) {
      started = true;
      continue;
    }
    started = true;
    const cells = content.split(/\s*[,;]\s*|\s+/).filter((cell) => cell !== '');
    if (cells.length !== 2) return { line, kind: 'columns', found: cells.length };
    const wrong = cells.find((cell) => !isFigure(cell));
    if (wrong !== undefined) return { line, kind: 'number', text: wrong };
    const [size, time] = cells.map(Number);
    const last = bytes.length - 1;
    if (last >= 0 && size <= bytes[last]) return { line, kind: 'order', bytes: size, before: bytes[last] };
    lastLine = line;
    bytes.push(size);
    seconds.push(time);
  }
  if (bytes.length < 2) return { line: lines.length, kind: 'points', found: bytes.length };
  const [before, last] = seconds.slice(-2);
  if (last < before) return { line: lastLine, kind: 'faster', seconds: last, before };
  return { bytes, seconds };
}

/** A finite number that is not negative. */
const isFigure = (cell: string): boolean =>
  /^\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell) && Number.isFinite(Number(cell));
