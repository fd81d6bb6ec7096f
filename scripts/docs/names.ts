/** Pages of names: functions, units, figures, shapes, optimizers, number formats. */
import { phraseOf, units } from '../../engine/language/units.ts';
import { figures, scheduleFigures, testWords, type FigureSchema } from '../../engine/language/figures.ts';
import { meaningOf, type FunctionParameter, type FunctionSchema } from '../../engine/language/functionRow.ts';
import { functions } from '../../engine/language/functions.ts';
import { placeOf } from '../../engine/language/referencePages.ts';
import { precisions } from '../../engine/language/schema/words.ts';
import { signatureLabel } from '../../engine/language/signatures.ts';
import type { Dimension } from '../../engine/values/plan.ts';
import type { Generated } from './generatedText.ts';
import { code, fact, list, page, sentence } from './markdown.ts';

export const namePages = (): readonly Generated[] => [
  functionPage(),
  unitPage(),
  figurePage(),
  { page: 'look-up/shapes.md', text: ofContext('Shapes', shapeWords, 'shape') },
  { page: 'look-up/optimizers.md', text: ofContext('Optimizers', optimizerWords, 'optimizer') },
  precisionPage(),
];

const shapeWords =
  'A shape gives a layer its parameters, FLOPs and bytes: `layer block[32] = transformer(hidden = 4096, heads = 32)`. Arguments are written by name. [Parameters and FLOPs](../costs/parameters-and-flops.md) has the formulas.';
const optimizerWords =
  'A recipe says which bytes of weights, gradients and state each parameter takes: `optimizer = megatron_bf16(shard = distributed)`. [State](../costs/state.md) has the bytes.';

function ofContext(title: string, words: string, context: FunctionSchema['context']): string {
  const all = functions.filter((each) => each.context === context);
  const shared = sharedLines(all);
  return page(`# ${title}`, words, ...all.map((each) => functionEntry(each, each.name, shared)), sharedSection(shared));
}

/** Lines of arguments that several functions have: they are written once. */
export function sharedLines(all: readonly FunctionSchema[]): ReadonlySet<string> {
  const lines = all.flatMap(({ parameters }) => parameters.map(parameterLine));
  return new Set(lines.filter((line, at) => lines.indexOf(line) < at));
}

export const sharedSection = (shared: ReadonlySet<string>): string =>
  shared.size === 0 ? '' : page('## Arguments of several', list([...shared])).trimEnd();

function functionPage(): Generated {
  const others = functions.filter(({ context }) => !['shape', 'optimizer', 'schedule'].includes(context));
  const shared = sharedLines(others);
  return {
    page: 'look-up/functions.md',
    text: page(
      '# Functions',
      'Each heading says where a function may be written: in any expression, or as the value of a key. [Shapes](shapes.md), [optimizers](optimizers.md) and [policies](policies.md) have separate pages.',
      ...others.map((each) => functionEntry(each, `${code(each.name)}, ${placeOf(each.context)}`, shared)),
      sharedSection(shared),
    ),
  };
}

/** A function with its arguments. */
export function functionEntry(
  schema: FunctionSchema,
  heading: string,
  shared: ReadonlySet<string> = new Set(),
): string {
  const title = heading.includes('`') ? heading : code(heading);
  const others = schema.parameters.filter((each) => shared.has(parameterLine(each))).map(({ name }) => name);
  return page(
    `## ${title}`,
    `\`\`\`pipe signature\n${signatureLabel(schema)}\n\`\`\``,
    schema.doc,
    list(schema.parameters.map(parameterLine).filter((line) => !shared.has(line))),
    others.length === 0
      ? ''
      : `It also takes ${others.map(code).join(', ')}: see [arguments of several](#arguments-of-several).`,
  ).trimEnd();
}

function parameterLine(parameter: FunctionParameter): string {
  const { name, doc, words, meanings, optional } = parameter;
  const usual = parameter.default ?? (optional ? undefined : 'none, it is required');
  const facts = usual === undefined ? '' : ` Default: ${parameter.default === undefined ? usual : code(usual)}.`;
  const explained = words?.map((word) =>
    meanings?.[word] === undefined ? code(word) : `\n  - ${code(word)}: ${sentence(meaningOf(parameter, word))}`,
  );
  const isNested = explained?.some((text) => text.startsWith('\n')) === true;
  const choice =
    explained === undefined
      ? ''
      : isNested
        ? explained.map((text) => (text.startsWith('\n') ? text : `\n  - ${text}`)).join('')
        : ` One of ${explained.join(', ')}.`;
  return `- ${code(name)}: ${sentence(doc)}${isNested ? `${facts}${choice}` : `${choice}${facts}`}`;
}

function unitPage(): Generated {
  const dimensions = [...new Set(units.map(({ dimension }) => dimension))];
  const entry = (dimension: Dimension): string =>
    page(
      `## ${dimension}`,
      ...units
        .filter((unit) => unit.dimension === dimension)
        .map(({ name, doc }) => `### ${code(name)}\n\n${sentence(doc)}`),
    ).trimEnd();
  return {
    page: 'look-up/units.md',
    text: page(
      '# Units',
      `Write the unit directly after the number: \`25GB/s\`. Quantities of different dimensions cannot be mixed. A key without a unit takes ${phraseOf.number}.`,
      ...dimensions.map(entry),
    ),
  };
}

function figurePage(): Generated {
  const entry = ({ name, doc, example, dimension, by }: FigureSchema): string =>
    page(
      `## ${code(name)}`,
      doc,
      list([
        fact('Type', phraseOf[dimension].replace(/^an? /, '')),
        fact('Example', code(example)),
        fact('May name', by.length === 0 ? undefined : by.map((each) => code(`${name}(${each} = …)`)).join(', ')),
      ]),
    ).trimEnd();
  const ofTests = [...testWords, ...scheduleFigures].map(
    ({ name, doc, example }) => `- ${code(name)}: ${doc} Example: ${code(example)}.`,
  );
  return {
    page: 'look-up/figures.md',
    text: page(
      '# Figures',
      'These figures may be compared in an [`expect`](language/expect.md) of a pipeline.',
      ...figures.map(entry),
      '## In a test of a schedule',
      'An `expect` of a schedule has these words and figures.',
      list(ofTests),
    ),
  };
}

const precisionPage = (): Generated => ({
  page: 'look-up/precisions.md',
  text: page(
    '# Number formats',
    'Formats that `precision` of a [model](language/model.md) takes. A [device](language/device.md) may have a rate for each: `compute(fp8)`.',
    ...precisions.map(({ name, doc }) => `## ${code(name)}\n\n${doc}`),
  ),
});
