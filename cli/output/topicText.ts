/** What a name of the language means, and the language on one page. */
import { blocks } from '../../engine/language/schema.ts';
import { figures } from '../../engine/language/figures.ts';
import { functions } from '../../engine/language/functions.ts';
import { namesMeant } from '../../engine/language/otherNames.ts';
import { list } from '../../engine/basics/quantities.ts';
import { type Topic, topicNames, topicsOf } from '../../engine/language/topics.ts';
import { valueKinds } from '../../engine/language/kinds.ts';
import { type PageEntry, plainName } from '../glossary.ts';
import { units } from '../../engine/language/units.ts';
import { standardFiles } from '../../engine/std/index.ts';
import { exchangeText } from './exchangeText.ts';

/**
 * A page in Markdown with all meanings of a name, the one that a reader most likely looks for first; undefined if it is unknown.
 * `entries`: what pages of the reference say of it. `optionFirst`: it was written as an option.
 */
export function topicText(name: string, entries: readonly PageEntry[] = [], optionFirst = false): string | undefined {
  const exchange = exchangeText(name);
  const topics = topicsOf(name).filter(({ what }) => exchange === undefined || !exchangeKinds.includes(what));
  const begun = beginningWith(name);
  const meant = namesMeant(name).filter((other) => other !== name);
  if (exchange === undefined && topics.length + entries.length + begun.length + meant.length === 0) return undefined;
  const rank = (what: string): number => (optionFirst && what.startsWith('option of') ? -1 : rankOf(what));
  const sections = [
    ...(exchange === undefined ? [] : [{ what: 'rule of exchange', text: exchange }]),
    ...topics.map((topic) => ({ what: topic.what, text: section(topic) })),
    ...entries.map((entry) => ({ what: entry.what, text: entrySection(entry) })),
  ].toSorted((one, other) => rank(one.what) - rank(other.what));
  const isKnown = sections.length + begun.length > 0;
  const others = list(meant.map((other) => `\`${other}\``));
  return [
    `# ${name}`,
    ...(meant.length === 0 ? [] : [`${isKnown ? 'See also' : 'Here it is called'} ${others}.`]),
    ...(isKnown ? [] : meant.flatMap(topicsOf).map(section)),
    ...sections.map(({ text }) => text.trimEnd()),
    ...(begun.length === 0 ? [] : [`## In the standard library\n\n${begun.map(beginningLine).join('\n')}`]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Kinds of meanings in the order in which readers look for them; a kind that no pattern has comes between terms and options. */
const ranks: readonly RegExp[] = [
  /^key of a (?:pipeline|model|cluster|device|layer|schedule)/u,
  /^(?:block|declaration|key)/u,
  /^training engine/u,
  /^rule of exchange/u,
  /of std:/u,
  /^term/u,
];
const lastRanks: readonly RegExp[] = [/^(?:setting|command|option)/u, /^(?:part|field) of/u, /^colour/u];

function rankOf(what: string): number {
  const first = ranks.findIndex((pattern) => pattern.test(what));
  if (first >= 0) return first;
  return ranks.length + 1 + lastRanks.findIndex((pattern) => pattern.test(what));
}

const mostBegun = 12;
/** Letters from which on names that begin so are listed. */
const leastLetters = 4;

/** What `std:` declares whose names or texts begin with this one: `nvlink4_link` for `nvlink`, `ib_ndr_400` for `infiniband`. */
function beginningWith(name: string): readonly Topic[] {
  const plain = plainName(name);
  if (plain.length < leastLetters) return [];
  return topicNames()
    .filter((other) => other !== name)
    .flatMap((other) => topicsOf(other).find(({ what }) => what.includes(' of std:')) ?? [])
    .filter((topic) => [topic.name, topic.doc].some((text) => plainName(text).startsWith(plain)))
    .slice(0, mostBegun);
}

/** `- nvlink4_link (let of std:hardware): One NVLink 4 link …`, with the definition if it is one line. */
function beginningLine({ name, what, doc }: Topic): string {
  const [first = ''] = doc.split('\n');
  const source = /```pipe\n([^]*?)\n```/u.exec(doc)?.[1] ?? '';
  const said = [...(first.startsWith('```') ? [] : [first]), ...(source.includes('\n') ? [] : [`\`${source}\``])];
  return `- \`${name}\` (${what})${said.length === 0 ? '' : `: ${said.join(' ')}`}`;
}

/** Kinds that the page of a rule or a collective already describes. */
const exchangeKinds: readonly string[] = [valueKinds.gradientSync, valueKinds.collective].map(
  ({ functions: kind }) => kind ?? '',
);

const entrySection = ({ name, what, text }: PageEntry): string => `${heading(`${what}: ${name}`)}\n\n${text}`;

const section = ({ what, written, doc, page }: Topic): string =>
  [
    heading(what),
    ...(written === undefined ? [] : [`\`${written}\``]),
    doc,
    ...(page === undefined ? [] : [`Reference: docs/${page}`]),
  ].join('\n\n');

const heading = (what: string): string => `## ${what[0]?.toUpperCase()}${what.slice(1)}`;

const imported = (name: string, path: string): string => `import { ${name} } from "${path}"`;

const example = `${imported('h100', 'std:hardware')}
${imported('llama3_8b', 'std:models')}

param m = 32 in 8..64 step 8          // --set m=16, or a slider in the preview
let link = 50GB/s + 5us               // bandwidth + latency

cluster pod { node[2] { gpu[8] = h100  link = 450GB/s + 2us }  link = link }

pipeline train {
  model             = llama3_8b
  devices           = pod
  tensor            = 4
  sequence_parallel = true
  data              = 2
  microbatches      = m
  optimizer         = megatron_bf16(shard = distributed)
  stages            = balance(2)
  schedule          = 1f1b
}

expect train { peak_memory < 76GiB  bubble < 20% }`;

/** The whole language in less than 6,000 characters: a file, every block with its keys, functions, units, figures, \`std:\`. */
export function languageText(): string {
  const keys = Object.values(blocks).flatMap(({ name, keys: each }) =>
    each.length === 0 ? [] : [`- \`${name}\`: ${each.map((key) => key.name).join(' ')}`],
  );
  const named = (context: string): string =>
    functions.flatMap((each) => (each.context === context ? each.name : [])).join(' ');
  return [
    '# The language',
    `\`\`\`pipe\n${example}\n\`\`\``,
    'One declaration each for `import`, `param`, `let`, `device`, `cluster`, `model`, `schedule`, `pipeline`, `job`, `search`, `expect`. ' +
      'Entries need no commas between them. Values are expressions: `+ - * /`, comparisons, `and`, `or`, `not`, lists `[1, 2]`, ranges `0..4` (both ends) and `0..<4`. Comments begin with `//`.',
    `Keys of each block:\n\n${keys.join('\n')}`,
    `Functions:\n\n- in any expression: ${named('value')}\n- layers (\`layer a[32] = …\`): ${named('shape')}\n- \`stages =\`: ${named('cut')}\n- \`schedule =\`: ${named('schedule')}\n- \`optimizer =\`: ${named('optimizer')}\n- \`sync =\`: ${named('gradientSync')}\n- \`collective =\`: ${named('collective')}\n- \`trainable =\`: lora(rank = 16)`,
    `Figures of \`expect\`: ${figures.map(({ name }) => name).join(' ')}`,
    `Units: ${units
      .map(({ name }) => name)
      .filter((name) => !/^[PE]|bps$|^[KMGT]b/.test(name))
      .join(' ')}`,
    `Standard library: ${[...standardFiles.keys()].join(' ')}. \`pipewright explain std:models\` lists one.`,
    'More: `pipewright explain NAME` for any of these names, for a code of `check`, or for a schedule.',
  ]
    .join('\n\n')
    .concat('\n');
}
