import { CompletionItemKind } from 'vscode-languageserver';
import { declarationKeywords } from '../../grammar/index.ts';
import { blocks, declarationDocs, dimensionIn, type KeySchema } from '../../engine/language/schema.ts';
import type { Surrounding } from '../cursor.ts';
import { keywordOffer, literal, type Offer } from './offer.ts';

const skeletons: Readonly<Record<string, string>> = {
  import: 'import "$1"',
  param: 'param ${1:name} = ${2:8} in ${3:1}..${4:64}',
  let: 'let ${1:name} = $2',
  device: 'device ${1:name} { memory = ${2:80GiB} }',
  cluster: 'cluster ${1:name} {\n\tgpu[${2:4}] = ${3:device}\n\tlink   = ${4:25GB/s + 5us}\n}',
  model: 'model ${1:name} {\n\t$0\n}',
  schedule: 'schedule ${1:name} {\n\t$0\n}',
  pipeline:
    'pipeline ${1:name} {\n\tmodel        = $2\n\tdevices      = $3\n\tmicrobatches = ${4:8}\n\tstages       = balance(${5:4})\n\tschedule     = ${6:1f1b}\n}',
  job: 'job ${1:name} {\n\tworkers = [$2]\n\tsync    = wsp(distance = ${3:0})\n}',
  search: 'search ${1:pipeline} {\n\ttensor in [${2:1, 2, 4, 8}]\n\tpipeline in [${3:1, 2, 4, 8}]\n}',
  expect: 'expect ${1:pipeline} { $0 }',
};

export const declarationOffers: readonly Offer[] = declarationKeywords.map((keyword) =>
  keywordOffer(keyword, declarationDocs[keyword] ?? '', skeletons[keyword]),
);

/** Keys of a block that are not yet written, those that it needs first. */
export function keyOffers({ name, body }: Surrounding): readonly Offer[] {
  const used = new Set(
    body.entries.flatMap((entry) =>
      entry.kind === 'entry' && (entry.values ?? entry.range) !== undefined ? [entry.key.text] : [],
    ),
  );
  const open = blocks[name].keys.filter((key) => key.repeatable === true || !used.has(key.name));
  return [...open.filter((key) => key.required), ...open.filter((key) => !key.required)].map(keyOffer);
}

function keyOffer(key: KeySchema): Offer {
  return {
    label: key.name,
    kind: CompletionItemKind.Property,
    detail: key.example.replace(/\s+/g, ' '),
    doc: key.doc,
    text: key.forms[0] === 'value' ? `${key.name} = ` : key.name,
    snippet: snippetOf(key),
  };
}

/** The example with its value as a place to type over; the value alone is left open where its words should be offered. */
function snippetOf(key: KeySchema): string {
  const [head, ...rest] = key.example.split(' = ');
  const value = rest.join(' = ');
  if (head === undefined || value === '' || key.example.includes('{'))
    return literal(key.example).replace(/\n {2}/g, '\n\t');
  return `${literal(head)} = ${dimensionIn(key.value, 'first') === undefined ? '$1' : `\${1:${literal(value)}}`}`;
}
