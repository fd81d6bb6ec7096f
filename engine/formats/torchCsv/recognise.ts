import { readCell } from './cell.ts';

/** Cells looked at: a table begins with some action long before. */
const mostCells = 100_000;

/** Whether any of a text's first cells is an action of a PyTorch table, or one of its old letters. A text of blanks alone counts as one. */
export function isTorchTable(text: string): boolean {
  let looked = 0;
  let none = true;
  for (const [cell] of text.matchAll(/[^,\r\n]+/g)) {
    const bare = cell.replace(/^\ufeff/, '').trim();
    if (bare === '' || bare === '""') continue;
    const read = readCell(bare.replace(/^"(.*)"$/, '$1').trim());
    if (!('message' in read) || read.oldLetters === true) return true;
    none = false;
    looked += 1;
    if (looked >= mostCells) return false;
  }
  return none;
}
