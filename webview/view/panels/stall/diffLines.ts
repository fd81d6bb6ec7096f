/** The part of a fix's lines that changes, so that it is in sight in a narrow card. */

/** Letters of a line that a narrow card shows. */
const enough = 46;
/** Operations of a row that are shown around what changes. */
const around = 1;
/** Operations that are shown at each end of a longer change. */
const atEnds = 2;
const cut = '…';

/** `- row(2) = …, F[1], B[0], …`: lines that are taken out and put in, in pairs, without the operations that both share. Pure. */
export function shortDiff(lines: readonly string[]): readonly string[] {
  const removed = lines.filter((line) => line.startsWith('-'));
  const added = lines.filter((line) => line.startsWith('+'));
  // Lines that have no counterpart change as a whole.
  if (removed.length !== added.length || removed.length + added.length < lines.length) return lines;
  const [less, more] = [pairs(removed, added), pairs(added, removed)];
  return [...less, ...more];
}

const pairs = (lines: readonly string[], others: readonly string[]): readonly string[] =>
  lines.map((line, index) => (line.length <= enough ? line : shortLine(line, others[index])));

function shortLine(line: string, other: string): string {
  const [head, items] = parts(line);
  const [otherHead, others] = parts(other);
  if (head.slice(1) !== otherHead.slice(1)) return line;
  const shortest = Math.min(items.length, others.length);
  let before = 0;
  while (before < shortest && items[before] === others[before]) before += 1;
  let after = 0;
  while (after < shortest - before && items[items.length - 1 - after] === others[others.length - 1 - after]) after += 1;
  const from = Math.max(0, before - around);
  const to = Math.min(items.length, items.length - after + around);
  const kept = items.slice(from, to);
  const ends = around + atEnds;
  const inside = kept.length > 2 * ends + 1 ? [...kept.slice(0, ends), cut, ...kept.slice(-ends)] : kept;
  return head + [...(from > 0 ? [cut] : []), ...inside, ...(to < items.length ? [cut] : [])].join(', ');
}

/** `- row(2) = `, and the operations of its list. */
function parts(line: string): readonly [string, readonly string[]] {
  const start = line.indexOf('= ') + 1;
  return start === 0
    ? [line.slice(0, 2), line.slice(2).split(', ')]
    : [line.slice(0, start + 1), line.slice(start + 1).split(', ')];
}
