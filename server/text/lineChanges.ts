import { diffLines } from 'diff';

/** Lines of a change that are named; a longer change is cut short. */
const most = 12;

/** Lines that differ between two texts: `- ` before what goes, then `+ ` before what comes. Equal lines are left out. */
export function lineChanges(before: string, after: string): readonly string[] {
  const parts = diffLines(before, after, { stripTrailingCr: true, ignoreNewlineAtEof: true });
  const linesOf = (mark: string, which: 'added' | 'removed'): readonly string[] =>
    parts
      .filter((part) => part[which])
      .flatMap(({ value }) => value.replace(/\n$/, '').split('\n'))
      .map((line) => `${mark} ${line.trim()}`);
  const lines = [...linesOf('-', 'removed'), ...linesOf('+', 'added')];
  return lines.length > most ? [...lines.slice(0, most - 1), '…'] : lines;
}
