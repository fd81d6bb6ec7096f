import { diffLines } from 'diff';
import type { Edit } from '../../engine/fixes/proposal.ts';

/** More lines that go and come than this are replaced as a whole: finding the fewest would take too long. */
const most = 4_000;

/** Edits that make one text of the other, each of whole lines: what a reader accepts or refuses one by one. */
export function lineEdits(before: string, after: string): readonly Edit[] {
  const parts = diffLines(before, after, { maxEditLength: most });
  if (parts === undefined) return [{ start: 0, end: before.length, text: after }];
  const edits: Edit[] = [];
  let [start, end, text] = [0, 0, ''];
  // What goes and what comes at one place is one edit; what stays ends it.
  for (const { added, removed, value } of [...parts, { added: false, removed: false, value: '' }]) {
    if (added) text += value;
    else if (removed) end += value.length;
    else {
      if (end > start || text !== '') edits.push({ start, end, text });
      [start, end, text] = [end + value.length, end + value.length, ''];
    }
  }
  return edits;
}
