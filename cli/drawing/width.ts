/** Text on a terminal: the columns that it takes. */

/** Characters that take two columns: East Asian wide and full-width ones, and emoji (Unicode 16, UAX #11). */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const noWidth = /^[\p{Mn}\p{Me}\p{Cf}]/u;

/** Columns of `text`, which must be `printable`. */
export function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += noWidth.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}

/** The text, or as much of its start as `columns` hold with an ellipsis. */
export function clip(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let used = 0;
  let shown = '';
  for (const character of text) {
    used += width(character);
    if (used > columns - 1) break;
    shown += character;
  }
  return `${shown}…`;
}
