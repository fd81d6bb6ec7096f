import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../../cli/commands/index.ts';
import { callSeconds, leastOf } from '../../../engine/basics/callCost.ts';
import { share, time } from '../../../engine/basics/quantities.ts';
import { collectiveLines } from '../../../engine/costs/collectives.ts';
import { blocks } from '../../../engine/language/schema.ts';
import { blockKeywords } from '../../../grammar/syntax.ts';
import { generatedFiles } from '../../../scripts/docs/generated.ts';
import { runOf } from '../../support/analyse.ts';
import { analyseBlock, blocks as fenced, pages, repository, textOf } from './pages.ts';

describe('generated pages', () => {
  const files = [...generatedFiles()];
  test('are what "npm run docs" writes', () => {
    const stale = files.filter(
      ([name, text]) => readFileSync(join(repository, name), 'utf8').replaceAll('\r\n', '\n') !== text,
    );
    expect(
      stale.map(([name]) => name),
      'run "npm run docs"',
    ).toEqual([]);
  });

  test('have an entry for every key, with its default', () => {
    for (const { name, keys } of Object.values(blocks)) {
      const text = keys.length === 0 ? '' : textOf(`docs/look-up/language/${name}.md`);
      for (const key of keys) expect(text, `${name}.${key.name}`).toMatch(new RegExp(`^#+ \`${key.name}\`$`, 'm'));
      expect(text.match(/^- Default: /gm)?.length ?? 0).toBe(keys.length);
    }
  });
});

test('every field of the report has a sentence', () => {
  const [, fields] = textOf('docs/look-up/report.md').split('## Every field');
  const entries = [...fields.matchAll(/^#### .+\n\n(`[^`]+`)(.*)$/gm)];
  expect(entries.length).toBeGreaterThan(200);
  expect(entries.filter(([, , sentence]) => !/^\. .{5,}\.$/.test(sentence)).map(([, type]) => type)).toEqual([]);
});

describe('the cheat sheet', () => {
  const text = textOf('docs/look-up/cheat-sheet.md');
  const [file] = fenced(text, 'pipe');

  test('has a file that runs, with every block', () => {
    const wrong = analyseBlock(file).findings.filter(({ severity }) => severity === 'error' || severity === 'warning');
    expect(wrong.map(({ message }) => message)).toEqual([]);
    const inner = ['layer', 'stage', 'node', 'switch', 'operation', 'import', 'param', 'let'];
    for (const word of [...blockKeywords, ...inner]) expect(file).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test('has every operator and command', () => {
    for (const { spec } of commands) expect(text).toMatch(new RegExp(`\`${spec.name}\\b`));
    for (const operator of ['+', '-', '*', '/', '<=', '>=', '==', '!=', 'and', 'or', 'not', '..', '..<', 'step'])
      expect(text).toContain(operator);
  });

  test('fits one screen', () => {
    expect(file.split('\n').length).toBeLessThan(55);
  });
});

describe('the glossary', () => {
  const entries = textOf('docs/look-up/glossary.md').split(/^## /m).slice(1);

  test('has sixty terms, each with one or two sentences and a link', () => {
    expect(entries.length).toBeGreaterThanOrEqual(60);
    for (const entry of entries) {
      const [, sentences] = entry.split('\n\n');
      expect(sentences.match(/[.](?= |$)/g)?.length, entry).toBeLessThanOrEqual(2);
      expect(entry).toMatch(/^- See: \[/m);
    }
  });

  test('is in the order of the alphabet, with one entry for each term', () => {
    const terms = entries.map((entry) => entry.split('\n')[0].toLowerCase());
    expect(terms).toEqual([...new Set(terms)].toSorted());
  });
});

describe('formulas', () => {
  const text = textOf('docs/look-up/symbols.md');
  const known = [...text.matchAll(/^\| \$(.+?)\$ \|/gm)].map(([, letter]) => letter);
  const formulasOf = (page: string): readonly string[] =>
    [
      ...textOf(page)
        .replaceAll(/^```[^]*?^```$/gm, '')
        .replaceAll(/`[^`\n]*`/g, '')
        .matchAll(/\$\$?(?! )([^$\n]+)(?<! )\$\$?/g),
    ].map(([, formula]) => formula);

  test('use letters of the table alone, which has each once', () => {
    expect(known).toEqual([...new Set(known)]);
    const unknown = pages.flatMap((page) =>
      formulasOf(page).flatMap((formula) =>
        [
          ...formula
            .replaceAll(
              /\\(?:frac|cdot|left|right|text\{[^}]*\}|bmod|min|max|sum|log|[lr]ceil|[lr]floor)(?![a-z])/g,
              ' ',
            )
            // The number of a level or of a link is no part of the letter.
            .replaceAll(/(\\\w+|log)_(?:\d|i)/g, '$1 ')
            .matchAll(/(?:\\[a-z]+|[A-Za-z])(?:_[a-z])?/g),
        ]
          .map(([letter]) => letter)
          .filter((letter) => !known.includes(letter))
          .map((letter) => `${page}: ${letter} in ${formula}`),
      ),
    );
    expect(unknown).toEqual([]);
  });

  test('are between $ signs on the pages of costs and communication', () => {
    const plain = pages
      .filter((page) => /^docs\/(?:costs|communication)\//.test(page))
      .flatMap((page) =>
        [
          ...textOf(page)
            .replaceAll(/^( *```)[^]*?^\1$/gm, '')
            .replaceAll(/\$\$?[^$]+\$\$?|`[^`\n]*`/g, '')
            .matchAll(/(?<![\p{L}\w])(?:\d+(?:\.\d+)?\p{L}?|\p{L}|\))(?:²|\))* ?· ?[\d(]*\p{L}(?![\p{L}\w])/gu),
        ].map(([formula]) => `${page}: ${formula}`),
      );
    // The product of the matrices A and V.
    expect(new Set(plain)).toEqual(new Set(['docs/costs/time.md: A·V', 'docs/costs/parameters-and-flops.md: A·V']));
  });

  test('are between $ signs on the pages of schedules', () => {
    const plain = pages
      .filter((page) => page.startsWith('docs/schedules/'))
      .filter((page) =>
        /(?<![\p{L}\w])(?:\d*\p{L}|\)) ?[−+·] ?[\p{L}\d(]|(?<![\p{L}\w.])\d+[pmvFBIW](?![\p{L}\w])|\p{L}\/\d|[⌈⌊Σ]/u.test(
          textOf(page)
            .replaceAll(/^( *```)[^]*?^\1$/gm, '')
            .replaceAll(/\$\$?[^$]+\$\$?|`[^`\n]*`|\]\([^)\n]*\)|https?:\S+/g, ''),
        ),
      );
    expect(plain).toEqual([]);
  });

  const pipeline = (schedule: string, stages: number, layer: string): string => `
device card { memory = 80GiB }
cluster box { gpu[4] = card  link = 1000000TB/s }
model m { layer block[${stages}] { ${layer} } }
pipeline p { model = m  devices = box  microbatches = 8  stages = balance(${stages})  schedule = ${schedule} }
`;
  const bubbleOf = (source: string): string => share(runOf(source).run.report.bubble.makespan);
  const split = 'forward = 8ms  backward_input = 8ms  backward_weight = 8ms';

  test.each([
    ['GPipe and 1F1B', () => bubbleOf(pipeline('1f1b', 4, split)), 'it is 27.3 %'],
    ['GPipe and 1F1B', () => bubbleOf(pipeline('gpipe', 4, split)), 'it is 27.3 %'],
    ['interleaved 1F1B', () => bubbleOf(pipeline('interleaved_1f1b', 8, split)), 'it is 15.8 %'],
    ['ZB-H1', () => bubbleOf(pipeline('zb_h1', 4, split)), 'it is 11.1 %'],
    [
      'an iteration',
      () => time(runOf(pipeline('1f1b', 4, 'forward = 8ms  backward = 16ms')).run.report.iteration),
      'it is 264 ms',
    ],
    ['a transfer', () => time(transferTime()), 'it is 676 µs'],
    [
      'a ring all-reduce',
      () =>
        time(callSeconds(leastOf(collectiveLines('all_reduce', 4, { bandwidth: 25e9, latency: 5e-6 })), 256 * 2 ** 20)),
      'it is 16.1 ms',
    ],
    ['a batch', () => String(runOf(batch).plan.microbatches), 'it is 16'],
  ])('%s: the worked number is the engine’s', (_, value, printed) => {
    expect(text).toContain(`${printed.slice(0, 6)}${value()}`);
    expect(printed).toBe(`it is ${value()}`);
  });

  const transferTime = (): number => {
    const source = `
device card { memory = 80GiB }
cluster box { gpu[2] = card  link = 25GB/s + 5us }
model m { layer block[2] { forward = 8ms  backward = 16ms  output = 16MiB } }
pipeline p { model = m  devices = box  microbatches = 1  stages = balance(2)  schedule = gpipe }
`;
    return (runOf(source).run.report.iteration - 0.048) / 2;
  };
  const batch = `
device card { memory = 80GiB }
cluster box { gpu[128] = card  link = 25GB/s }
model m { layer block[2] { forward = 8ms  backward = 16ms } }
pipeline p { model = m  devices = box  global_batch = 2048  data = 128  stages = balance(1)  schedule = gpipe }
`;
});
