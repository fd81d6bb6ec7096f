/** What each word of the language means, by name: keys, functions, words, figures, units, and what `std:` files declare. */
import { parse } from '../../grammar/index.ts';
import { count, list } from '../basics/quantities.ts';
import { engines } from '../engines/registry.ts';
import { standardFiles } from '../std/index.ts';
import { named } from './declare.ts';
import { exportsOf } from './exported.ts';
import { scheduleFigures, figures, testWords } from './figures.ts';
import { type FunctionParameter, meaningOf, parameterText } from './functionRow.ts';
import { functions } from './functions.ts';
import { scheduleNumbers } from './reservedNames.ts';
import { type BlockName, type BlockSchema, blocks, declarationDocs, type KeySchema, wordsOf } from './schema.ts';
import { keyText } from './keyFacts.ts';
import {
  pageOfBlock,
  pageOfEngine,
  pageOfFigure,
  pageOfFunction,
  pageOfKey,
  pageOfStandard,
  pageOfUnit,
} from './referencePages.ts';
import { signatureLabel } from './signatures.ts';
import { units } from './units.ts';
import { valueKinds } from './kinds.ts';

/** One meaning of a name. */
export interface Topic {
  readonly name: string;
  /** `key of a pipeline`, `device of std:hardware`. */
  readonly what: string;
  /** As it is written in a file. */
  readonly written?: string;
  /** Markdown. */
  readonly doc: string;
  /** Its place in the reference, below `docs/`. */
  readonly page?: string;
}

let all: ReadonlyMap<string, readonly Topic[]> | undefined;

/** All meanings of a name, the most usual one first; none if it is unknown. */
export const topicsOf = (name: string): readonly Topic[] => known().get(name) ?? [];

export const topicNames = (): readonly string[] => [...known().keys()];

function known(): ReadonlyMap<string, readonly Topic[]> {
  all ??= collected();
  return all;
}

function collected(): ReadonlyMap<string, readonly Topic[]> {
  const found = new Map<string, Topic[]>();
  for (const topic of topics()) {
    const same = found.get(topic.name);
    if (same === undefined) found.set(topic.name, [topic]);
    else if (same.every(({ doc }) => doc !== topic.doc)) same.push(topic);
  }
  return found;
}

function* topics(): Generator<Topic> {
  for (const block of Object.values(blocks)) if (block.keys.length > 0) yield blockTopic(block);
  for (const keyword of ['import', 'param', 'let', 'expect'])
    yield { name: keyword, what: 'declaration', doc: declarationDocs[keyword], page: pageOfBlock(keyword) };
  for (const { name, keys } of Object.values(blocks))
    for (const key of keys)
      // An axis of a search is the key of the pipeline with several values.
      if (name !== 'search' || !blocks.pipeline.keys.some((each) => each.name === key.name))
        yield* keyTopics(name, key);
  for (const schema of functions) {
    const what = schema.context === 'value' ? 'function' : (valueKinds[schema.context].functions ?? 'function');
    const page = pageOfFunction(schema);
    yield { name: schema.name, what, written: signatureLabel(schema), doc: schema.doc, page };
  }
  for (const { name, example, doc } of figures)
    yield { name, what: 'figure', written: example, doc, page: pageOfFigure(name) };
  for (const { name, example, doc } of [...testWords, ...scheduleFigures])
    yield { name, what: 'figure of a schedule', written: example, doc };
  for (const { name, doc } of scheduleNumbers) yield { name, what: 'number in a schedule', doc };
  for (const { name, title, doc, read, schedules } of engines)
    yield {
      name,
      what: 'training engine',
      written: `engine = ${name}`,
      doc: `${title}. ${doc} Read in: ${read}.\n\nSchedules: ${schedules?.map((each) => `\`${each}\``).join(', ') ?? 'it takes the order as a table'}.`,
      page: pageOfEngine(),
    };
  for (const { name, doc, dimension } of units)
    yield { name, what: 'unit', written: `4${name}`, doc: `${doc}.`, page: pageOfUnit(dimension) };
  yield* libraryTopics();
  for (const [path, text] of standardFiles) yield* standardTopics(path, text);
  for (const schema of functions)
    for (const parameter of schema.parameters) {
      yield { name: parameter.name, what: `argument of ${schema.name}`, doc: argumentText(parameter) };
      for (const word of parameter.words ?? [])
        yield { name: word, what: `word of ${schema.name}(${parameter.name} = …)`, doc: meaningOf(parameter, word) };
    }
}

function argumentText(parameter: FunctionParameter): string {
  const text = parameterText(parameter);
  return parameter.default === undefined
    ? text
    : `${text}${text.includes('\n') ? '\n\n' : '. '}Default: \`${parameter.default}\`.`;
}

const blockTopic = ({ name, doc, keys }: BlockSchema): Topic => ({
  name,
  what: 'block',
  doc: `${doc}\n\n${keys.map((key) => `- \`${oneLine(key.example)}\``).join('\n')}`,
  page: pageOfBlock(name),
});

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

function* keyTopics(block: BlockName, key: KeySchema): Generator<Topic> {
  yield {
    name: key.name,
    what: `key of a ${block}`,
    written: oneLine(key.example),
    doc: keyText(key),
    page: pageOfKey(block, key.name),
  };
  for (const { name, doc } of [...wordsOf(key.value), ...(key.parameters ?? []), ...(key.leading ?? [])])
    yield { name, what: `word of ${key.name} in a ${block}`, doc };
}

/** What there is to import. */
function* libraryTopics(): Generator<Topic> {
  const files = [...standardFiles].map(([path, text]) => {
    const kinds = exportsOf({ path, text }).map(({ kind }) => kind);
    const counts = [...new Set(kinds)].map((kind) =>
      count(kinds.filter((each) => each === kind).length, kind, `${kind}s`),
    );
    return `- \`${path}\`: ${list(counts)}`;
  });
  for (const name of ['std', 'std:']) yield { name, what: 'standard library', doc: files.join('\n') };
}

function* standardTopics(path: string, text: string): Generator<Topic> {
  const exports = exportsOf({ path, text });
  const list = exports.map(({ name, kind }) => `- \`${name}\` (${kind})`);
  yield { name: path, what: 'file of the standard library', doc: list.join('\n') };
  for (const declaration of parse(text).declarations) {
    const found = named(declaration);
    if (found === undefined || found.kind === 'schedule' || declaration.kind === 'skipped') continue;
    const source = text.slice(declaration.start, declaration.end);
    yield {
      name: found.name.text,
      what: `${found.kind} of ${path}`,
      written: `import { ${found.name.text} } from "${path}"`,
      page: pageOfStandard(
        found.kind === 'let' ? 'link' : found.kind === 'param' ? 'cluster' : found.kind,
        found.name.text,
      ),
      doc: [...(declaration.kind === 'import' ? [] : [declaration.doc ?? '']), `\`\`\`pipe\n${source}\n\`\`\``]
        .join('\n\n')
        .trim(),
    };
  }
}
