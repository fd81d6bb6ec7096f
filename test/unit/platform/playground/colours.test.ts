/** The playground colours a text as the grammar says. */
import { readFileSync } from 'node:fs';
import { classHighlighter, highlightTree } from '@lezer/highlight';
import { expect, test } from 'vitest';
import { pipeLanguage } from '../../../../platform/browser/playground/view/colours.ts';

const examples = ['quickstart', 'broken', 'custom-schedule', 'deepseek-v3'];

/** Words of a text by the class that they have. */
function coloured(text: string): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  highlightTree(pipeLanguage.parser.parse(text), classHighlighter, (from, to, classes) => {
    found.push([text.slice(from, to), classes.replaceAll('tok-', '')]);
  });
  return found;
}

test('names, numbers with units, keys, calls and comments have the look of the grammar', () => {
  const text =
    'model toy { // eight\n  layer block[8] { forward = 4ms }\n}\npipeline p { stages = balance(4)  schedule = "x" }\n';
  expect(coloured(text)).toEqual([
    ['model', 'keyword'],
    ['toy', 'typeName'],
    ['{', 'punctuation'],
    ['// eight', 'comment'],
    ['layer', 'keyword'],
    ['block', 'labelName'],
    ['[', 'punctuation'],
    ['8', 'number'],
    [']', 'punctuation'],
    ['{', 'punctuation'],
    ['forward', 'propertyName'],
    ['=', 'operator'],
    ['4', 'number'],
    // A unit, which this list of looks counts with the keywords.
    ['ms', 'keyword'],
    ['}', 'punctuation'],
    ['}', 'punctuation'],
    ['pipeline', 'keyword'],
    ['p', 'typeName'],
    ['{', 'punctuation'],
    ['stages', 'propertyName'],
    ['=', 'operator'],
    ['balance', 'macroName'],
    ['(', 'punctuation'],
    ['4', 'number'],
    [')', 'punctuation'],
    ['schedule', 'propertyName'],
    ['=', 'operator'],
    ['"x"', 'string'],
    ['}', 'punctuation'],
  ]);
});

test('a block comment goes on over lines, and a param ends with its line', () => {
  const text = '/* one\n two */ let a = 1\nparam n = 8 in 1..64\nin = 3\n';
  expect(coloured(text).filter(([word]) => /one|two|in$/.test(word))).toEqual([
    ['/* one', 'comment'],
    [' two */', 'comment'],
    ['in', 'keyword'],
    ['in', 'propertyName'],
  ]);
});

test.each(examples)('every comment of %s is one, whole', (name) => {
  const text = readFileSync(new URL(`../../../../examples/${name}.pipe`, import.meta.url), 'utf8');
  const comments = coloured(text).flatMap(([word, look]) => (look === 'comment' ? [word] : []));
  expect(comments).toEqual(Array.from(text.matchAll(/\/\/.*/g), ([comment]) => comment));
});
