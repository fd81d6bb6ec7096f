/** Checks the keys of a block against the schema and hands them out. */
import { spellingHint } from '../findings/reporter.ts';
import type { Block, Entry, Expression, Span } from '../../grammar/syntax.ts';
import { adviceMeant, keyMeant } from './otherNames.ts';
import { onlyBegun } from '../basics/spelling.ts';
import { type FileContext, withdrawHead } from './context.ts';
import { quantity } from './expressions.ts';
import { operationMeant, type Word } from './kinds.ts';
import { defaultNumber, defaultWord } from './defaults.ts';
import { isRequired } from './keyFacts.ts';
import { blocks, findKey, keysOf, type BlockName, type Form, type KeySchema } from './schema.ts';

/** Entries of one block that the schema knows, by key. */
export interface Keys {
  readonly block: BlockName;
  /** The first entry of a key. */
  find(name: string): Entry | undefined;
  all(name: string): readonly Entry[];
  /** Entries in order. */
  readonly entries: readonly Entry[];
  /** Something in the block was not understood: what is missing may be it. */
  readonly doubtful: boolean;
}

/**
 * Reads the entries of a block. `at` is where `key/missing` goes: the block's name or keyword. Reports unknown, duplicate,
 * missing and not available keys and wrong forms; entries of a wrong form are left out. `given`: required keys that come from
 * elsewhere. `wanted`: keys that are named too where others are missing.
 */
export function readKeys(
  context: FileContext,
  name: BlockName,
  body: Block | undefined,
  at: Span,
  given: readonly string[] = [],
  wanted: readonly string[] = [],
): Keys {
  const schema = keysOf(name);
  // A list, because a block has few different keys, and a file has thousands of blocks.
  const firsts: Entry[] = [];
  const first = (key: string): Entry | undefined => firsts.find((entry) => entry.key.text === key);
  const entries: Entry[] = [];
  let doubtful = body === undefined || !body.closed;
  for (const item of body?.entries ?? []) {
    if (item.kind !== 'entry') {
      doubtful ||= item.kind === 'skipped';
      continue;
    }
    const key = schema.get(item.key.text);
    if (key === undefined) {
      unknownKey(context, name, item);
      doubtful = true;
    } else if (isForm(context, key, item)) {
      const earlier = first(key.name);
      if (earlier !== undefined && !key.repeatable) duplicate(context, name, item, earlier);
      else {
        if (earlier === undefined) firsts.push(item);
        entries.push(item);
      }
    } else doubtful = true;
  }
  const isAbsent = (key: KeySchema): boolean => first(key.name) === undefined && !given.includes(key.name);
  if (!doubtful && blocks[name].keys.some((key) => isRequired(key) && isAbsent(key))) {
    const [absent, ...more] = blocks[name].keys.filter(
      (key) => (isRequired(key) || wanted.includes(key.name)) && isAbsent(key),
    );
    missing(context, name, absent.name, at, more);
  }
  return keysOfEntries(name, entries, doubtful);
}

/** Entries whose keys and forms are right; the first of a key is found. */
export function keysOfEntries(block: BlockName, entries: readonly Entry[], doubtful: boolean): Keys {
  return {
    block,
    find: (key) => entries.find((entry) => entry.key.text === key),
    all: (key) => entries.filter((entry) => entry.key.text === key),
    entries,
    doubtful,
  };
}

/** Reports that a block needs a key, and more of them. */
export function missing(
  context: FileContext,
  block: BlockName,
  name: string,
  at: Span,
  more: readonly KeySchema[] = [],
): void {
  const schema = findKey(block, name);
  const example = exampleIn(schema?.example ?? `${name} = …`);
  const others = more.map((key) => ({ key: key.name, example: exampleIn(key.example) }));
  const parameters = { key: name, block, example, ...(schema?.also === undefined ? {} : { or: schema.also.example }) };
  context.report.report('key/missing', at, others.length === 0 ? parameters : { ...parameters, more: others });
}

const exampleIn = (example: string): string => example.replace(/\s+/g, ' ');

/** Reports that a key has no effect. */
export const notApplicable = (context: FileContext, entry: Entry, reason: string): void =>
  context.report.report('key/not-applicable', entry.key, { key: entry.key.text, reason }, { hint: { kind: 'remove' } });

function unknownKey(context: FileContext, block: BlockName, entry: Entry): void {
  if (entry.key.end <= entry.key.start) return;
  const advice = adviceMeant(block, entry.key.text);
  const names = blocks[block].keys.map((key) => key.name);
  const near =
    advice === undefined
      ? (keyMeant(block, entry.key.text) ??
        context.report.nearest(entry.key.text, names) ??
        (isHead(entry) && block !== 'schedule' ? onlyBegun(entry.key.text, names) : undefined))
      : undefined;
  // Nothing but a name is a syntax error already. Which key it begins says more.
  if (isHead(entry)) {
    if (near === undefined) return;
    withdrawHead(context, entry);
  }
  context.report.report(
    'key/unknown',
    entry.key,
    {
      key: entry.key.text,
      block,
      nearest: near,
      ...(advice !== undefined ? { advice } : near === undefined ? adviceFor(block, entry) : {}),
    },
    { hint: spellingHint(near) },
  );
}

const isHead = ({ values, body, condition }: Entry): boolean =>
  values === undefined && body === undefined && condition === undefined;

/** What was probably meant by a key that a schedule does not have. */
function adviceFor(block: BlockName, { key, parameters, values }: Entry): { readonly advice?: string } {
  // No value can have the name of an operation.
  if (block !== 'schedule' || operationMeant(key.text) !== undefined) return {};
  if (values !== undefined)
    return { advice: `To name a value, write "let ${key.text}${parameters === undefined ? '' : '(…)'} = …".` };
  return {};
}

function duplicate(context: FileContext, block: BlockName, entry: Entry, first: Entry): void {
  context.report.report(
    'key/duplicate',
    entry.key,
    { key: entry.key.text, block },
    {
      related: [{ place: context.report.place(first.key), message: 'This one is used.' }],
      hint: { kind: 'remove' },
    },
  );
}

const shapes: Readonly<Record<Form, string>> = {
  value: 'KEY = …',
  indexed: 'KEY[n] = …',
  ends: 'KEY a -- b = …',
  call: 'KEY(x) = …',
  named: 'KEY name = …',
  'named-call': 'KEY name(x) = …',
  condition: 'KEY a <= b',
  block: 'KEY name { … }',
  'indexed-block': 'KEY[n] { … }',
  range: 'KEY in [a, b]',
};

function formOf(entry: Entry): Form | undefined {
  if (entry.body !== undefined) {
    if (entry.values !== undefined || entry.parameters !== undefined || entry.ends !== undefined) return undefined;
    if (entry.name !== undefined) return 'block';
    return entry.index === undefined ? undefined : 'indexed-block';
  }
  if (entry.condition !== undefined) return 'condition';
  if (entry.range !== undefined && entry.values === undefined) return 'range';
  if (entry.values === undefined) return undefined;
  if (entry.ends !== undefined) return 'ends';
  if (entry.parameters !== undefined) return entry.name === undefined ? 'call' : 'named-call';
  if (entry.name !== undefined) return 'named';
  return entry.index === undefined ? 'value' : 'indexed';
}

function isForm(context: FileContext, key: KeySchema, entry: Entry): boolean {
  const form = formOf(entry);
  if (form !== undefined && key.forms.includes(form)) return takesValues(context, key, entry);
  const written = (allowed: Form) => `\`${shapes[allowed].replace('KEY', key.name)}\``;
  // Half an entry is the parser's finding.
  if (form === undefined && entry.body === undefined) {
    if (
      !context.syntax.errors.some(
        ({ start, head }) => head === entry.start || (start >= entry.start && start <= entry.end + 1),
      )
    ) {
      context.report.report('type/mismatch', entry.key, {
        expected: key.forms.map(written).join(' or '),
        found: `\`${key.name}\` without a value`,
      });
    }
    return false;
  }
  const found =
    form === undefined
      ? entry.body === undefined
        ? key.name
        : `${key.name} { … }`
      : shapes[form].replace('KEY', key.name);
  context.report.report('type/mismatch', entry.key, {
    expected: key.forms.map(written).join(' or '),
    found: `\`${found}\``,
  });
  return false;
}

function takesValues(context: FileContext, key: KeySchema, entry: Entry): boolean {
  const second = entry.values?.[1];
  if (second === undefined || key.list || second.kind === 'missing') return true;
  context.report.report('type/mismatch', second, {
    expected: `one value for "${key.name}"`,
    found: `${entry.values?.length ?? 0} values`,
  });
  return false;
}

/** The value written for an entry; undefined where it is missing. */
export const valueOf = (entry: Entry | undefined): Expression | undefined => {
  const value = entry?.values?.[0];
  return value === undefined || value.kind === 'missing' ? undefined : value;
};

/** How a read went: `absent` where the key is not written, `wrong` where it is and has an error (reported). */
export type Read<T> =
  { readonly is: 'value'; readonly value: T } | { readonly is: 'absent' } | { readonly is: 'wrong' };

/** A quantity by the schema of its key. */
export function readQuantity(context: FileContext, keys: Keys, name: string): Read<number> {
  const entry = keys.find(name);
  const schema = entry === undefined ? undefined : findKey(keys.block, name)?.value;
  if (entry === undefined || schema?.kind !== 'quantity') return { is: 'absent' };
  const expression = valueOf(entry);
  const value = expression === undefined ? undefined : quantity(context, expression, schema, `"${name}"`);
  return value === undefined ? { is: 'wrong' } : { is: 'value', value };
}

/** One of the words of its key. */
export function readWord<W extends string>(context: FileContext, keys: Keys, name: string): Read<W> {
  const entry = keys.find(name);
  const schema = entry === undefined ? undefined : findKey(keys.block, name)?.value;
  if (entry === undefined || schema?.kind !== 'words') return { is: 'absent' };
  const expression = valueOf(entry);
  if (expression === undefined) return { is: 'wrong' };
  return readWordValue<W>(context, expression, schema.words);
}

/** The same of one value. Unknown names are reported where names get their meaning. */
export function readWordValue<W extends string>(
  context: FileContext,
  expression: Expression,
  words: readonly Word[],
): Read<W> {
  const word = expression.kind === 'name' ? words.find((candidate) => candidate.name === expression.text) : undefined;
  if (word !== undefined) return { is: 'value', value: word.name as W };
  if (expression.kind !== 'name') {
    context.report.report('type/mismatch', expression, {
      expected: words.map((each) => `\`${each.name}\``).join(' or '),
      found: `\`${context.syntax.text.slice(expression.start, Math.min(expression.end, expression.start + 40))}\``,
    });
  }
  return { is: 'wrong' };
}

/** A quantity, or the default of its key; undefined where it is wrong. */
export const quantityOrDefault = (context: FileContext, keys: Keys, name: string): number | undefined =>
  or(readQuantity(context, keys, name), defaultNumber(keys.block, name));

/** The same of a word. */
export const wordOrDefault = <W extends string>(
  context: FileContext,
  keys: Keys,
  name: string,
): Extract<W, string> | undefined =>
  or(readWord<Extract<W, string>>(context, keys, name), defaultWord(keys.block, name) as Extract<W, string>);

/** The value, or `otherwise` where the key is absent; undefined where it is wrong. */
export const or = <T, U>(read: Read<T>, otherwise: U): T | U | undefined =>
  read.is === 'value' ? read.value : read.is === 'absent' ? otherwise : undefined;
