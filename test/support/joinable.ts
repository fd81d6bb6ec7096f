/** Ranges in written rows that one range could say. */

const operation = String.raw`(\w+)\[(\d+)(?:\.\.(\d+))?((?:, [^\]]*)?)\]`;

/** `B[0], B[1..5]`: neighbours that could be `B[0..5]`. Items of functions, such as the lanes of a `zip`, are no neighbours. */
export function joinable(text: string): readonly string[] {
  const plain = text.replaceAll(/\w+\([^()]*\)/gu, 'call');
  const found: string[] = [];
  const pairs = new RegExp(String.raw`(?<=^|[\s,=;{])${operation}(?=,\s*${operation})`, 'gu');
  for (const [first, letter, from, to = from, rest, other, next, , tail] of plain.matchAll(pairs))
    if (letter === other && rest === tail && Number(next) === Number(to) + 1) found.push(`${first}, ${other}[${next}`);
  return found;
}
