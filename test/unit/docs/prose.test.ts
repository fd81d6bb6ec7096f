import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { proseFiles, repository } from '../../../scripts/prose/files.ts';
import { mostWords, mostWordsOfCell, mostWordsOfLesson, problemsOf } from '../../../scripts/prose/lint.ts';
import { namelessSearches, wideTables } from '../../../scripts/prose/markdown.ts';
import { passagesOf } from '../../../scripts/prose/passages.ts';
import { sentencesOf, wordsOf } from '../../../scripts/prose/sentences.ts';
import { avoidedWords } from '../../../scripts/prose/words.ts';

const problemsIn = (file: string, text: string): readonly string[] =>
  passagesOf(file, text)
    .flatMap(problemsOf)
    .map(({ line, message }) => `${file}:${line} ${message}`);
const problemsOfFile = (file: string): readonly string[] =>
  problemsIn(file, readFileSync(join(repository, file), 'utf8').replaceAll('\r\n', '\n'));

test('pages, examples and messages are in plain English', () => {
  expect(proseFiles().length).toBeGreaterThan(100);
  expect(proseFiles().flatMap(problemsOfFile)).toEqual([]);
});

test('tables of pages have at most four columns', () => {
  const wide = proseFiles().flatMap((file) =>
    wideTables(file, readFileSync(join(repository, file), 'utf8')).map((line) => `${file}:${line}`),
  );
  expect(wide).toEqual([]);
  expect(wideTables('docs/costs/a.md', 'a\n\n| a | b | c | d | e |\n| --- | --- | --- | --- | --- |\n')).toEqual([4]);
  expect(wideTables('docs/costs/a.md', '```\n| --- | --- | --- | --- | --- |\n```\n')).toEqual([]);
});

test('pages say which "search" they mean: the policy, the block or the command', () => {
  const nameless = proseFiles().flatMap((file) =>
    namelessSearches(file, readFileSync(join(repository, file), 'utf8')).map((line) => `${file}:${line}`),
  );
  expect(nameless).toEqual([]);
  const linesIn = (line: string): readonly number[] => namelessSearches('docs/a.md', line);
  expect(linesIn('Write `search`.\nAbove a [`search`](b.md), it runs.\nUse `search(chunks = 2)`.')).toEqual([1, 2, 3]);
  expect(linesIn('The policy `search`, a [`search` block](b.md), `check`, `search` and `plan`.')).toEqual([]);
  expect(linesIn('## `search`\n| `search` |\n```\n`search`\n```')).toEqual([]);
});

/** A sentence for each avoided word, in the order of the list. */
const badSentences = [
  'A fix mends the file.',
  'Iterations run on end.',
  'The gravest are shown.',
  'The fault is told with its place.',
  'A minibatch is not let in.',
  'It says nothing of memory.',
  'It hangs on the order.',
  'The key is read as it is said.',
  'The line works by itself alone.',
  'The time is that of the stage.',
  'The stage sends what of it is left.',
  'The share is 0 unless said.',
  'Transfers run beside the work.',
  'The stages are unlike.',
  'The route has two links, and each way is fast.',
  'Some ways over links are slow.',
  'Products of so many FLOPs.',
  'The speed counts where it is set.',
  'The link that names both counts.',
  'The layer stands first.',
  'Each node has switches of its own.',
  'Write rules of one’s own.',
  'The link is used, else the route.',
  'Fewer microbatches would do.',
  'Runs at every key stroke.',
  'It reaches 12 samples a second.',
  'Inside of a node it is fast.',
  'Operations wait for one another.',
  'The stage whence it came.',
  'What must hold.',
  'The page says how it comes.',
  'The finding speaks of the schedule.',
  'Activations are made again.',
  'The device is at rest.',
  'Nodes, racks and the like.',
  'It misses one update in the mean.',
  'A depth counts like a layer.',
];

describe('the word list', () => {
  test('has a bad sentence for each word', () => {
    expect(badSentences).toHaveLength(avoidedWords.length);
  });

  test.each(avoidedWords.map((word, index) => [badSentences[index] ?? '', word] as const))('%s', (sentence, word) => {
    expect(problemsIn('page.md', sentence).join()).toContain(`write ${word.instead}`);
    // Drop the word, and nothing is left to report about it.
    const without = sentence.replaceAll(word.pattern, 'it');
    expect(problemsIn('page.md', without).join()).not.toContain(`write ${word.instead},`);
  });

  test.each([
    'A link stands for a route.',
    'Either way, the figure is the same.',
    'This is the only way to say it.',
    'Both transfers go the same way.',
    'A standalone server reads the file.',
    'It counts operations.',
    'If it fits, it is used; anything else is an error.',
    'Code such as `unless said` or `that of` is not prose.',
  ])('leaves "%s"', (sentence) => {
    expect(problemsIn('page.md', sentence)).toEqual([]);
  });
});

describe('sentences', () => {
  test('end at a stop before a capital, a digit or code', () => {
    expect(sentencesOf('One. Two? Three! 4 go. § is code. (Five.) *Six*')).toHaveLength(7);
  });

  test('do not end at abbreviations or inside numbers', () => {
    expect(sentencesOf('See Narayanan et al. Section 2.1, and e.g. Table 3, for 1.5 GB by A. Author.')).toHaveLength(1);
  });

  test('count words, not symbols and numbers', () => {
    expect(wordsOf('The sum § + 12 · (a − 1) is at most 3 %, I say')).toBe(9);
    expect(wordsOf('The keys §, § and § are required')).toBe(5);
  });

  test('have a limited number of words', () => {
    const sentence = (words: number): string => `${'word '.repeat(words - 1)}end.`;
    const formula = String.raw`$2 \cdot \text{a lot} \cdot \frac{n - 1}{n}$`;
    expect(problemsIn('page.md', `${formula} ${sentence(mostWords - 1)}`)).toEqual([]);
    expect(problemsIn('page.md', sentence(mostWords))).toEqual([]);
    expect(problemsIn('page.md', sentence(mostWords + 1))).toHaveLength(1);
    expect(problemsIn('page.md', `${sentence(mostWords)} Then ${sentence(mostWords - 1)}`)).toEqual([]);
  });

  test('have fewer words on pages that teach', () => {
    const words = (count: number): string => `${'word '.repeat(count - 1)}end.`;
    expect(problemsIn('docs/learn/page.md', words(mostWordsOfLesson))).toEqual([]);
    expect(problemsIn('docs/learn/page.md', words(mostWordsOfLesson + 1))).toHaveLength(1);
  });

  test('are few in a cell of a table below docs/', () => {
    const words = (count: number): string => `${'word '.repeat(count - 1)}end.`;
    expect(problemsIn('docs/costs/page.md', `| ${words(20)} W${words(mostWordsOfCell - 20)} |`)).toEqual([]);
    expect(problemsIn('docs/costs/page.md', `| ${words(20)} W${words(6)} |`).join()).toContain('in a cell');
    expect(problemsIn('examples/README.md', `| ${words(20)} W${words(6)} |`)).toEqual([]);
  });

  test('have at most one semicolon', () => {
    expect(problemsIn('page.md', 'It is here; it is there.')).toEqual([]);
    expect(problemsIn('page.md', 'It is here; it is there; it is away.').join()).toContain('2 semicolons');
  });

  test('may be long if they list sources', () => {
    const papers = `${'Someone et al., '.repeat(20)}2020; another; a third.`;
    expect(problemsIn('page.md', `Sources: ${papers}`)).toEqual([]);
    expect(problemsIn('page.md', `Papers: ${papers}`)).not.toEqual([]);
  });

  test('begin with "Where" only in a question', () => {
    expect(problemsIn('page.md', 'Where no link names both devices, the route is used.').join()).toContain(
      'write "If"',
    );
    expect(problemsIn('page.md', 'Where do I find the place of a finding?')).toEqual([]);
  });
});

describe('prose is found', () => {
  const bad = 'It is told.';
  const found = (file: string, text: string): readonly number[] =>
    passagesOf(file, text)
      .flatMap(problemsOf)
      .map(({ line }) => line);

  test('in paragraphs, lists, cells and headings of pages, and not in code', () => {
    expect(found('a.md', `# ${bad}\n\nText\n${bad}\n\n- item\n- ${bad}\n\n| a | ${bad} |\n| --- | --- |\n`)).toEqual([
      1, 3, 7, 9,
    ]);
    expect(found('a.md', `\`\`\`text\n${bad}\n\`\`\`\n\n\`${bad}\` and [text](told.md)\n`)).toEqual([]);
    expect(found('a.md', `\`\`\`\`md\n\`\`\`\n${bad}\n\`\`\`\n\`\`\`\`\n\n${bad}`)).toEqual([7]);
  });

  test('in strings, templates and documenting comments of code, and not in names', () => {
    const code = `/** ${bad} */\nconst a = 'It is told.';\nconst b = \`It \${a} works.\nIt is told.\`;\nconst told = 'told';\n`;
    expect(found('engine/a.ts', code)).toEqual([1, 2, 4]);
    expect(found('a.ts', 'const b = `${a} is told twice.`;')).toEqual([1]);
    expect(found('a.ts', 'const b = `the code \\`it is told\\` is kept`;')).toEqual([]);
  });

  test('in comments of pipe files', () => {
    expect(found('a.pipe', `/// ${bad}\nmodel m { } // ${bad}\nimport "told it is"\n`)).toEqual([1, 2]);
    // Two lines of a comment are one passage: the sentence goes on.
    expect(found('a.pipe', '// It\n// is at\n// rest.\n')).toEqual([1]);
  });

  test('in descriptions of the manifest', () => {
    expect(found('package.json', `{\n  "description": "${bad}",\n  "name": "it is told"\n}\n`)).toEqual([2]);
  });
});
