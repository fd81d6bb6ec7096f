/** Columns of editors are counted from 1; the editor has no more than these. */
const last = 9;

/**
 * The column of a new preview: next to the active editor, and beyond previews that are in sight there, which it would cover. If the
 * last column is taken, too, it opens over what is in that.
 */
export function besideColumn(active: number, previews: readonly number[]): number {
  let column = active + 1;
  while (previews.includes(column) && column < last) column += 1;
  return Math.min(last, column);
}
