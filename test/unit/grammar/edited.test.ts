/** A tree that is taken from an earlier one is the tree of the text. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { asRead, parse, type SyntaxFile, tokensOf } from '../../../grammar/index.ts';
import { plainTree } from '../../support/plainTree.ts';
import * as fc from '../../support/property.ts';
import { goodFile, soup } from './arbitraries.ts';

const examples = path.join(import.meta.dirname, '../../../examples');
const texts = readdirSync(examples, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.pipe'))
  .map((name) => readFileSync(path.join(examples, name), 'utf8'));
const files = fc.oneof(
  fc.constantFrom(...texts),
  fc.array(goodFile, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('\n')),
  // Mistakes of other declarations stay where they are.
  fc.array(fc.oneof(goodFile, soup), { minLength: 2, maxLength: 8 }).map((parts) => parts.join('\n')),
);
const pieces = fc.oneof(
  fc.constantFrom(
    '',
    '',
    'x',
    '1',
    ' ',
    '\n',
    '}',
    '{',
    '(',
    ')',
    '"',
    '/*',
    '*/',
    '///',
    '\n/// a',
    ';',
    '@',
    ',',
    '= 3',
  ),
  fc.constantFrom(
    '\nlet a = 2\n',
    'model m {',
    '\nschedule s {\n',
    ' in ',
    '\r',
    '\n+ 2',
    '4ms',
    'search p {\n a in 1..2',
  ),
  soup,
);
const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(12), inserted: pieces });

function edited(text: string, { at, length, inserted }: { at: number; length: number; inserted: string }): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + inserted + text.slice(start + length);
}

describe('the tree of an edited text', () => {
  it('is the same with and without the tree before, edit after edit', () => {
    fc.assert(
      fc.property(files, fc.array(edit, { minLength: 1, maxLength: 6 }), (text, edits) => {
        let now = text;
        let tree = parse(text);
        for (const each of edits) {
          now = edited(now, each);
          const before = JSON.stringify(plainTree(tree));
          const next = parse(now, {}, tree);
          expect(plainTree(next)).toStrictEqual(parse(now));
          // Whoever holds the tree of the text before may go on reading it.
          expect(JSON.stringify(plainTree(tree))).toBe(before);
          tree = next;
        }
      }),
      { numRuns: 50 },
    );
  });
});

test('the tree is the same after many edits of which nobody looks at the tokens', () => {
  fc.assert(
    fc.property(files, fc.array(edit, { minLength: 70, maxLength: 90 }), (text, edits) => {
      let now = text;
      let tree = parse(text);
      for (const each of edits) {
        now = edited(now, each);
        tree = parse(now, {}, tree);
      }
      const fresh = parse(now);
      for (const [at, declaration] of tree.declarations.entries())
        expect(tokensOf(tree, declaration)).toEqual(tokensOf(fresh, fresh.declarations[at]));
      expect(plainTree(tree)).toStrictEqual(fresh);
      expect(tokensOf(tree, tree.declarations[0] ?? { first: 0, last: -1, start: 0, end: 0 })).toEqual(
        tree.declarations.slice(0, 1).flatMap(({ first, last }) => fresh.tokens.slice(first, last + 1)),
      );
    }),
    { numRuns: 10 },
  );
  // Each comment is a stretch of its own: more of them than a list keeps.
  const source = Array.from({ length: 100 }, (_, at) => `let n${at} = ${at} // a\n`).join('');
  let now = source;
  let tree = parse(now);
  for (let at = 0; at < 100; at += 1) {
    now = now.replace(`let n${at} = ${at} // a`, `let n${at} = ${at} + 1 // b\n// c`);
    tree = parse(now, {}, tree);
  }
  expect(plainTree(tree)).toStrictEqual(parse(now));
});

test('a block that an edit opens takes in what follows, up to a brace far below', () => {
  const lets = Array.from({ length: 8 }, (_, at) => `let n${at} = ${at}\n`).join('\n');
  const text = `model a { }\n\n${lets}}\n`;
  const opened = text.replace('let n1', 'schedule s {\nlet n1');
  expect(plainTree(parse(opened, {}, parse(text)))).toStrictEqual(parse(opened));
  expect(parse(opened).declarations).toHaveLength(3);
});

describe('what an edit leaves as it was', () => {
  const source = Array.from(
    { length: 40 },
    (_, at) => `/// Number ${at}.\nmodel m${at} {\n  layer a { forward = ${at}ms }\n}\n`,
  ).join('\n');
  const tree = parse(source);
  const shared = (next: SyntaxFile) => next.declarations.filter((one) => tree.declarations.includes(one)).length;

  it('is the same object above the edit, and below it if nothing moves', () => {
    const longer = parse(source.replace('forward = 20ms', 'forward = 200ms'), {}, tree);
    expect(shared(longer)).toBe(20);
    const same = parse(source.replace('forward = 20ms', 'forward = 99ms'), {}, tree);
    expect(shared(same)).toBe(38);
    expect(same.tokens.filter((token) => tree.tokens.includes(token))).toHaveLength(37 * 11);
  });

  it('is as it was read wherever it moves to, with the same text and documentation', () => {
    let next = tree;
    for (const [from, to] of [
      ['forward = 20ms', 'forward = 200ms'],
      ['/// Number 10.', '/// Number 10, again.'],
      ['model m5 {', '// a\nmodel m5 {'],
    ])
      next = parse(next.text.replace(from, to), {}, next);
    const read = next.declarations.map(asRead);
    expect(read.filter((one) => tree.declarations.includes(one))).toHaveLength(35);
    for (const [at, one] of read.entries()) {
      const { start, end } = next.declarations[at];
      if (tree.declarations[at] === one) expect(next.text.slice(start, end)).toBe(source.slice(one.start, one.end));
      expect(next.declarations[at]).toHaveProperty('doc', one.kind === 'skipped' ? undefined : one.doc);
    }
  });

  it('is taken over around a mistake, and next to one elsewhere', () => {
    const wrong = parse(source.replace('forward = 20ms', 'forward = '), {}, tree);
    expect(wrong.errors).toHaveLength(1);
    expect(shared(wrong)).toBe(20);
    const again = parse(wrong.text.replace('forward = 30ms', 'forward = 31ms'), {}, wrong);
    expect(again.declarations.filter((one) => wrong.declarations.includes(one))).toHaveLength(38);
    expect(plainTree(again)).toStrictEqual(parse(again.text));
  });
});
