import { table } from '../../engine/basics/table.ts';
import { CompletionItemKind } from 'vscode-languageserver';
import { declarationKeywords } from '../../grammar/index.ts';
import type { SymbolKind } from '../../engine/language/resolution.ts';
import { isRequired, keyText } from '../../engine/language/keyFacts.ts';
import { type BlockName, blocks, declarationDocs, dimensionIn, type KeySchema } from '../../engine/language/schema.ts';
import type { Surrounding } from '../text/cursor.ts';
import type { View } from '../view.ts';
import { keywordOffer, literal, type Offer } from './offer.ts';
import { symbolsOf } from './symbols.ts';

/** Declarations get different names, so that none of them is reported as declared twice. */
const skeletons: Readonly<Record<string, (view: View) => string>> = table({
  import: () => 'import { $1 }',
  param: () => 'param ${1:n} = ${2:8} in ${3:1}..${4:64}',
  let: () => 'let ${1:x} = $2',
  device: () => 'device ${1:card} { memory = ${2:80GiB} }',
  cluster: (view) =>
    `cluster \${1:box} {\n\tgpu[\${2:4}] = ${placeFor(3, view, 'device')}\n\tlink   = \${4:25GB/s + 5us}\n}`,
  model: () => 'model ${1:mine} {\n\t$0\n}',
  schedule: () => 'schedule ${1:order} {\n\t$0\n}',
  // Without a number of stages there is one for each place that the schedule has on the devices, which fits any cluster.
  pipeline: (view) =>
    `pipeline \${1:train} {\n\tmodel        = ${placeFor(2, view, 'model')}\n\tdevices      = ${placeFor(3, view, 'cluster')}\n` +
    '\tmicrobatches = ${4:8}\n\tstages       = ${5:balance}\n\tschedule     = ${6:1f1b}\n}',
  job: () => 'job ${1:workers} {\n\tworkers = [$2]\n\tsync    = wsp(distance = ${3:0})\n}',
  search: (view) =>
    `search ${placeFor(1, view, 'pipeline')} {\n\ttensor in [\${2:1, 2, 4, 8}]\n\tpipeline in [\${3:1, 2, 4, 8}]\n}`,
  expect: (view) => `expect ${placeFor(1, view, 'pipeline')} { $0 }`,
});

/** Keywords of declarations, each with a skeleton of the whole. */
export const declarationOffers = (view: View): readonly Offer[] =>
  declarationKeywords.map((keyword) => {
    const offer = keywordOffer(keyword, declarationDocs[keyword] ?? '', skeletons[keyword]?.(view));
    return keyword === 'import' ? { ...offer, opens: 'values' } : offer;
  });

/** A place of a snippet that opens a list of the names that are declared; an empty one if there are none. */
function placeFor(place: number, view: View, kind: SymbolKind): string {
  const names = symbolsOf(view, [kind]).map(({ name }) => name);
  return names.length === 0 ? `$${place}` : `\${${place}|${names.slice(0, mostChoices).join(',')}|}`;
}

/** Longer lists in a snippet serve nobody: an import of all models has more. */
const mostChoices = 50;

/** What most files write beyond what a block needs, in the order in which it is decided. */
const usual: Readonly<Partial<Record<BlockName, readonly string[]>>> = {
  pipeline: [
    'stages',
    'data',
    'tensor',
    'sequence_parallel',
    'context',
    'expert',
    'optimizer',
    'recompute',
    'sync',
    'engine',
  ],
  cluster: ['gpu', 'node', 'link'],
};

/** Keys of a block that are not yet written: those that it needs, then those that most files have. */
export function keyOffers({ name, body }: Surrounding): readonly Offer[] {
  const used = new Set(
    body.entries.flatMap((entry) =>
      entry.kind === 'entry' && (entry.values ?? entry.range) !== undefined ? [entry.key.text] : [],
    ),
  );
  const open = blocks[name].keys.filter((key) => key.repeatable === true || !used.has(key.name));
  const use = (key: KeySchema): number => {
    const at = usual[name]?.indexOf(key.name) ?? -1;
    return isRequired(key) ? -1 : at < 0 ? Infinity : at;
  };
  const ranked = open.map((key) => ({ key, rank: use(key) }));
  return ranked
    .toSorted((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
    .flatMap(({ key }) => [
      keyOffer(key),
      ...(key.also === undefined
        ? []
        : [{ ...keyOffer({ ...key, ...key.also }), label: key.also.label, filter: key.name }]),
    ]);
}

function keyOffer(key: KeySchema): Offer {
  const snippet = snippetOf(key);
  return {
    label: key.name,
    kind: CompletionItemKind.Property,
    ...(snippet.endsWith('= $1') ? { opens: 'values' } : {}),
    detail: key.example.replace(/\s+/g, ' '),
    doc: keyText(key),
    text: key.forms[0] === 'value' ? `${key.name} = ` : key.name,
    snippet,
  };
}

/**
 * The example with its names and values as places to type over; a single value is left open if a list of words or functions
 * should be offered for it.
 */
function snippetOf(key: KeySchema): string {
  // `tensor in [${1:1, 2}]`: its values are the place to type over.
  const range = key.forms[0] === 'range' ? /^(\w+ in \[?)([^\]]*)(\]?)$/.exec(key.example) : null;
  if (range !== null) return `${range[1]}\${1:${literal(range[2])}}${range[3]}`;
  const [head, ...rest] = key.example.split(' = ');
  const value = rest.join(' = ');
  if (head === undefined || value === '' || key.example.includes('{') || value.includes(' = '))
    return withPlaces(key.example.replace(/\n {2}/g, '\n\t'));
  return `${literal(head)} = ${dimensionIn(key.value, 'first') === undefined ? '$1' : `\${1:${literal(value)}}`}`;
}

/** `layer ${1:block}[${2:8}] { forward = ${3:4ms} }`: names of the file, sizes of arrays and values are places. */
function withPlaces(example: string): string {
  let place = 0;
  let end = 0;
  let text = '';
  for (const { 0: part, index } of example.matchAll(places)) {
    place += 1;
    text += `${literal(example.slice(end, index))}\${${place}:${literal(part)}}`;
    end = index + part.length;
  }
  return text + literal(example.slice(end));
}

const places = /(?<=^\w+ )\w+|(?<=^\w+(?: \w+)?\[)\d+(?=\])|(?<== )[^\s{}(),]+(?![^\s{}(),]|\()/g;
