/** A page for each block of the language: its keys with type, default, range, values and example. */
import { defaultText, rangeText, typeText } from '../../engine/language/keyFacts.ts';
import { blocks, wordsOf, type BlockSchema, type KeySchema } from '../../engine/language/schema.ts';
import type { Word } from '../../engine/language/kinds.ts';
import { pageOfBlock } from '../../engine/language/referencePages.ts';
import type { Generated } from './generatedText.ts';
import { code, fact, list, oneLine, page, relative, table } from './markdown.ts';
import { titleOf } from './titles.ts';

/** Blocks whose pages people write; the keys are a region of them. */
const written = ['device', 'cluster', 'model', 'pipeline', 'schedule', 'job', 'search'];

/** Keys of an inner block: where it may be written. */
const inside: Readonly<Record<string, string>> = {
  layer: 'model',
  stage: 'pipeline',
  node: 'cluster',
  switch: 'cluster',
  operation: 'schedule',
};

export const blockPages = (): readonly Generated[] => [
  ...Object.values(blocks).flatMap((block) => (block.keys.length === 0 ? [] : [pageOf(block)])),
  { page: 'language.md', region: 'blocks', text: table(['block', 'is'], rows()) },
];

const rows = (): readonly (readonly string[])[] => [
  ['[`import`](look-up/language/import.md)', 'Names from another file.'],
  ['[`param`, `let`](look-up/language/param.md)', 'A number with a slider, and a named expression.'],
  ...Object.values(blocks).map(({ name, doc }) => [
    `[\`${name}\`](${pageOfBlock(name)})`,
    doc.split(': ')[0].replace(/\.?$/, '.'),
  ]),
];

function pageOf(block: BlockSchema): Generated {
  const path = pageOfBlock(block.name);
  const isRegion = written.includes(block.name);
  const keys = block.keys.map((key) => entryOf(key, path, isRegion ? '###' : '##')).join('\n\n');
  if (isRegion) return { page: path, region: 'keys', text: keys };
  const outer = inside[block.name];
  const where = `It is written inside a [\`${outer}\`](${relative(path, pageOfBlock(outer))}).`;
  return { page: path, text: page(`# ${block.name}`, `${block.doc} ${where}`, keys) };
}

function entryOf(key: KeySchema, from: string, depth: '##' | '###'): string {
  const short = !key.example.includes('\n');
  const facts = list([
    fact('Type', typeText(key)),
    fact('Default', defaultText(key)),
    fact('Range', rangeText(key)),
    fact('Example', short ? code(oneLine(key.example)) : undefined),
    key.also === undefined ? '' : `- Or \`${oneLine(key.also.example)}\`: ${key.also.doc}`,
    fact('Keys', key.block === undefined ? undefined : `[${key.block}](${relative(from, pageOfBlock(key.block))})`),
    fact('In parentheses', key.parameters?.map(({ name }) => code(name)).join(', ')),
    fact('See', (key.see ?? []).map((to) => `[${titleOf(to)}](${linkTo(from, to)})`).join(', ')),
  ]);
  const example = short ? '' : `\`\`\`pipe part\n${key.example}\n\`\`\``;
  return page(`${depth} \`${key.name}\``, key.doc, facts, wordList(wordsOf(key.value)), example).trimEnd();
}

const linkTo = (from: string, to: string): string =>
  to.startsWith(`${from}#`) ? to.slice(from.length) : relative(from, to);

/** Values that are words, with their meanings. */
const wordList = (words: readonly Word[]): string =>
  words.length === 0 ? '' : `Words:\n\n${list(words.map(({ name, doc }) => `- \`${name}\`: ${doc}`))}`;
