/** The page of the grammar: what the parser has, and enough to read every example. */
import { join } from 'node:path';
import type { IToken } from 'chevrotain';
import { tokenMatcher } from 'chevrotain';
import { describe, expect, test } from 'vitest';
import { parse } from '../../../grammar/index.ts';
import { tokenize } from '../../../grammar/lexer.ts';
import { grammarPage, grammarRules, type Part } from '../../../scripts/grammarPage.ts';
import { reservedNames } from '../../../engine/language/reservedNames.ts';
import { exampleNames, exampleText } from '../../support/example.ts';

const root = join(import.meta.dirname, '../../..');

// `npx vitest run test/unit/grammar -u` writes it again.
test('the page is made from the rules of the parser', async () => {
  await expect(grammarPage()).toMatchFileSnapshot(join(root, 'docs/grammar.md'));
});

test('the page names every rule, every reserved name, and nothing that only recovery reads', () => {
  const page = grammarPage();
  for (const name of grammarRules().keys()) expect(page).toMatch(new RegExp(`^${name} =`, 'm'));
  for (const { name } of reservedNames) expect(page).toContain(`\`${name}\``);
  expect(page).not.toContain('Stray');
});

/** Reads tokens by the rules of the page alone: the first alternative that fits, as much as fits. */
function reads(text: string): boolean {
  const rules = grammarRules();
  const tokens: readonly IToken[] = tokenize(text).stream;
  const known = new Map<string, number>();
  const end = (part: Part, at: number): number => {
    switch (part.kind) {
      case 'token':
        return at < tokens.length && tokenMatcher(tokens[at], part.type) ? at + 1 : -1;
      case 'rule': {
        const key = `${part.name} ${at}`;
        const found = known.get(key) ?? end(rules.get(part.name) ?? { kind: 'choice', parts: [] }, at);
        known.set(key, found);
        return found;
      }
      case 'sequence':
        return part.parts.reduce((from, each) => (from < 0 ? from : end(each, from)), at);
      case 'choice':
        return part.parts.reduce((best, each) => (best >= 0 ? best : end(each, at)), -1);
      case 'optional': {
        const found = end(part.part, at);
        return found < 0 ? at : found;
      }
      case 'many':
      case 'some': {
        let from = part.kind === 'some' ? end(part.part, at) : at;
        for (let next = from; next >= 0;) {
          from = next;
          next = end(part.part, from);
          if (next === from) break;
        }
        return from;
      }
    }
  };
  return end({ kind: 'rule', name: 'file' }, 0) === tokens.length;
}

describe('the rules of the page', () => {
  const whole = exampleNames.filter((name) => parse(exampleText(name)).errors.length === 0);
  test('there are examples without a fault', () => expect(whole.length).toBeGreaterThan(80));
  test.each(whole)('read %s', (name) => {
    expect(reads(exampleText(name))).toBe(true);
  });

  test.each([
    'let a = ',
    'let a = 1 +',
    'let a = (1',
    'model m { layer a[2 { } }',
    'import { a b } from "x.pipe"',
    'import { a } "x.pipe"',
    'pipeline p schedule = 1f1b',
    'expect p { bubble < }',
    'param m in 1..4',
    'model m { } }',
    '; ,',
  ])('refuse %s, as the parser does', (text) => {
    expect(parse(text).errors).not.toEqual([]);
    expect(reads(text)).toBe(false);
  });
});
