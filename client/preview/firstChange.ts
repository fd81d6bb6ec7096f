/** Longest text of a line that is quoted. */
const longest = 60;

/** The first line in which two texts differ: `line 12: schedule = 1f1b → schedule = zb_h1`. Undefined for equal texts. Pure. */
export function firstChange(before: string, after: string): string | undefined {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  for (let line = 0; line < Math.max(old.length, now.length); line += 1)
    if (old[line] !== now[line]) return `line ${line + 1}: ${quoted(old[line])} → ${quoted(now[line])}`;
  return undefined;
}

function quoted(line: string | undefined): string {
  if (line === undefined) return 'no such line';
  const text = line.trim().replaceAll(/\s+/g, ' ');
  if (text === '') return 'an empty line';
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
