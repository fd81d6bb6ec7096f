import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from '../../../grammar/index.ts';
import { analyse, breaches } from './holds.ts';

const folder = resolve(import.meta.dirname, '../../../examples/systems');
const examples = readdirSync(folder).map((name) => readFileSync(resolve(folder, name), 'utf8'));

/** One token or line of `text` gone, doubled, garbled or in place of another. */
function damaged(text: string, how: number, at: number, other: number): string {
  const { tokens } = parse(text);
  const lines = text.split('\n');
  const token = tokens[at % tokens.length];
  const [before, after] = [text.slice(0, token.start), text.slice(token.end)];
  const written = text.slice(token.start, token.end);
  const spare = tokens[other % tokens.length];
  const garbled = ['', '0', '-1', '1e9', '{', '}', '(', ',', '"', 'x', '=', '..', '%', '5GiB', '∞', 'stage', '1f1b'];
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

it('an example with one token or line damaged is read to its end, and what is wrong has its place', () => {
  fc.assert(
    fc.property(fc.constantFrom(...examples), fc.nat(6), fc.nat(2000), fc.nat(2000), (text, how, at, other) => {
      const broken = damaged(text, how, at, other);
      expect(breaches(broken), broken).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

it('the examples themselves hold, and have no error', () => {
  for (const text of examples) {
    expect(breaches(text)).toEqual([]);
    expect(analyse(text).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  }
});
