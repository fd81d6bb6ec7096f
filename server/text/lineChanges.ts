/** Lines of a change that are named; a longer change is cut short. */
const most = 12;

/** Lines that differ between two texts: `- ` before what goes, `+ ` before what comes. Equal lines around them are left out. */
export function lineChanges(before: string, after: string): readonly string[] {
  const [old, young] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let same = 0;
  const shorter = Math.min(old.length, young.length) - start;
  while (same < shorter && old[old.length - 1 - same] === young[young.length - 1 - same]) same += 1;
  const gone = old.slice(start, old.length - same);
  const come = young.slice(start, young.length - same);
  // In a change of as many lines, a line that stays stands between two places that change.
  const differ = (line: string, index: number, other: readonly string[]) =>
    gone.length !== come.length || line !== other[index];
  const lines = [
    ...gone.filter((line, index) => differ(line, index, come)).map((line) => `- ${line.trim()}`),
    ...come.filter((line, index) => differ(line, index, gone)).map((line) => `+ ${line.trim()}`),
  ];
  return lines.length > most ? [...lines.slice(0, most - 1), '…'] : lines;
}
