import { parse } from '../../../grammar/index.ts';

/** One token or line of `text` gone, doubled, garbled or in place of another. */
export function damaged(text: string, how: number, at: number, other: number): string {
  const { tokens } = parse(text);
  const lines = text.split('\n');
  const token = tokens[at % tokens.length];
  const [before, after] = [text.slice(0, token.start), text.slice(token.end)];
  const written = text.slice(token.start, token.end);
  const spare = tokens[other % tokens.length];
  const garbled = [
    '',
    '0',
    '-1',
    '1e9',
    '{',
    '}',
    '(',
    ',',
    '"',
    'x',
    '=',
    '..',
    '%',
    '5GiB',
    '∞',
    'stage',
    '1f1b',
    'tensor',
    'overlap',
  ];
  switch (how) {
    case 0:
      return before + after;
    case 1:
      return `${before}${written} ${written}${after}`;
    case 2:
      return before + garbled[other % garbled.length] + after;
    case 3:
      return before + text.slice(spare.start, spare.end) + after;
    case 4:
      return lines.toSpliced(at % lines.length, 1).join('\n');
    case 5:
      return lines.toSpliced(at % lines.length, 0, lines[at % lines.length]).join('\n');
    default:
      return lines.with(at % lines.length, lines[other % lines.length]).join('\n');
  }
}
