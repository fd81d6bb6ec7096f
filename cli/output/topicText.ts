/** What a name of the language means, and the language on one page. */
import { blocks } from '../../engine/language/schema.ts';
import { figures } from '../../engine/language/figures.ts';
import { functions } from '../../engine/language/functions.ts';
import { type Topic, topicsOf } from '../../engine/language/topics.ts';
import { valueKinds } from '../../engine/language/kinds.ts';
import type { PageEntry } from '../glossary.ts';
import { units } from '../../engine/language/units.ts';
import { standardFiles } from '../../engine/std/index.ts';
import { exchangeText } from './exchangeText.ts';

/** A page in Markdown with all meanings of a name; undefined if it is unknown. `entries`: what pages of the reference say of it. */
export function topicText(name: string, entries: readonly PageEntry[] = []): string | undefined {
  const exchange = exchangeText(name);
  const topics = topicsOf(name).filter(({ what }) => exchange === undefined || !exchangeKinds.includes(what));
  if (exchange === undefined && topics.length === 0 && entries.length === 0) return undefined;
  const head = exchange ?? `# ${name}\n`;
  return [head.trimEnd(), ...entries.map(entrySection), ...topics.map(section)].join('\n\n').concat('\n');
}

const entrySection = ({ name, what, text }: PageEntry): string => `${heading(`${what}: ${name}`)}\n\n${text}`;

/** Kinds that the page of a rule or a collective already describes. */
const exchangeKinds: readonly string[] = [valueKinds.gradientSync, valueKinds.collective].map(
  ({ functions: kind }) => kind ?? '',
);

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
    `Functions:\n\n- in any expression: ${named('value')}\n- layers (\`layer a[32] = …\`): ${named('shape')}\n- \`stages =\`: ${named('cut')}\n- \`schedule =\`: ${named('schedule')}\n- \`optimizer =\`: ${named('optimizer')}\n- \`sync =\`: ${named('gradientSync')}\n- \`collective =\`: ${named('collective')}`,
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
