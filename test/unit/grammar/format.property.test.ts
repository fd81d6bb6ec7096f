import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { format, parse } from '../../../grammar/index.ts';
import { goodFile } from './arbitraries.ts';
import { good } from './good.ts';
import { shape } from './shape.ts';

const formatted = (text: string, width?: number): string => {
  const result = format(parse(text), { width });
  if (!result.ok) throw new Error(`${result.fault.message} in ${JSON.stringify(text)}`);
  return result.text;
};

/** What a formatter may not touch. */
const essence = (text: string): unknown => {
  const file = parse(text);
  // Where the comments stand decides which of them document something, so the documentation is compared with the tree.
  return {
    tokens: file.tokens.map((token) => token.text),
    comments: file.comments.map((comment) => comment.text.trimEnd()),
    tree: shape(file).replace(/\/"(?:[^"\\]|\\.)*"\/ /g, ''),
  };
};

const keepsAll = (text: string, width?: number): void => {
  const once = formatted(text, width);
  expect(essence(once)).toEqual(essence(text));
  expect(formatted(once, width)).toBe(once);
  expect(once.replaceAll(/\/\*[\s\S]*?\*\//g, '#')).not.toMatch(/[ \t](?:\r?\n|$)/);
  if (once !== '') expect(once).toMatch(/\n$/);
};

describe('format', () => {
  it('keeps tokens, comments and tree, and leaves alone what it has formatted', () => {
    fc.assert(
      fc.property(goodFile, fc.constantFrom(100, 100, 40, 10), (text, width) => keepsAll(text, width)),
      { numRuns: 400 },
    );
  });

  const word = fc.constantFrom('a', 'model', 'expect', 'let', 'param', 'import', 'layer', 'stage', 'link');
  const rest = fc.constantFrom(
    '= 3',
    '= x, let',
    '= 2, model',
    '{ }',
    '{ a = 1 }',
    '{ a = 1\nb = 2 }',
    '[2] = 3',
    '(x) = 2',
  );
  const gap = fc.constantFrom(' ', ' ', '\n', ' /* z\n */ ', ' // c\n', '; ');
  const entry = fc.tuple(word, fc.oneof(fc.constant(''), word), rest, gap).map((parts) => parts.join(' '));
  const nested = fc
    .array(entry, { minLength: 1, maxLength: 5 })
    .map((entries) => `model m { ${entries.join('')} }`)
    .filter((text) => parse(text).errors.length === 0);
  it('writes no fault where there was none, or refuses', () => {
    fc.assert(
      fc.property(nested, fc.constantFrom(100, 20), (text, width) => {
        if (format(parse(text), { width }).ok) keepsAll(text, width);
      }),
      { numRuns: 400 },
    );
  });

  const examples = path.resolve(import.meta.dirname, '../../../examples');
  const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.pipe'));
  it.each(files)('keeps %s', (file) => {
    const text = readFileSync(path.join(examples, file), 'utf8');
    if (parse(text).errors.length === 0) keepsAll(text);
    else expect(format(parse(text)).ok).toBe(false);
  });

  it('keeps a file of every construct', () => keepsAll(good));
});
