/** Reads a `search`: the values of each key, what is made least, and what rows must meet. */
import { table } from '../basics/table.ts';
import { conjuncts } from '../../grammar/conjuncts.ts';
import type { BlockDeclaration, Entry, Expression, Name } from '../../grammar/syntax.ts';
import type { Axis, Objective, SearchDefinition } from '../definitions/search.ts';
import { spellingHint } from '../findings/reporter.ts';
import { onlyBegun } from '../basics/spelling.ts';
import { axisValues } from '../language/axisValues.ts';
import { quantity } from '../language/expressions.ts';
import { withdrawHead } from '../language/context.ts';
import { keysOfEntries, readWordValue, wordOrDefault } from '../language/keys.ts';
import { followingKeys } from '../language/schema/search.ts';
import { findKey, keysOf, type ValueSchema } from '../language/schema.ts';
import type { ReadContext } from './context.ts';
import { readCheck } from './expect.ts';
import { readOptimizer } from './optimizer.ts';
import { readRecomputeValue } from './recompute.ts';
import { readScheduleUse } from './scheduleUse.ts';

/** The searches of a file, one for each pipeline, without those that have errors. */
export function readSearches(context: ReadContext, blocks: readonly BlockDeclaration[]): readonly SearchDefinition[] {
  const { report } = context;
  const first = new Map<string, Name>();
  return blocks.flatMap((block) => {
    const { name } = block;
    const earlier = first.get(name?.text ?? '');
    if (earlier !== undefined && name !== undefined) {
      const related = [{ place: report.place(earlier), message: 'This one is used.' }];
      report.report('name/duplicate', name, { kind: 'search', name: name.text }, { related });
      return [];
    }
    if (name !== undefined && name.end > name.start) first.set(name.text, name);
    return readSearch(context, block) ?? [];
  });
}

/** The search; `undefined` if anything of it is wrong, which has been reported. */
function readSearch(context: ReadContext, block: BlockDeclaration): SearchDefinition | undefined {
  const entries = block.body?.entries.filter((item): item is Entry => item.kind === 'entry') ?? [];
  const axes: Axis[] = [];
  const first = new Map<string, Entry>();
  for (const entry of entries) {
    const key = entry.key.text;
    const earlier = first.get(key);
    if (earlier !== undefined) {
      const related = [{ place: context.report.place(earlier.key), message: 'This one is used.' }];
      context.report.report(
        'key/duplicate',
        entry.key,
        { key, block: 'search' },
        { related, hint: { kind: 'remove' } },
      );
      continue;
    }
    first.set(key, entry);
    if (key === 'minimise' || key === 'subject_to') hasValue(context, entry);
    else {
      const axis = readAxis(context, entry);
      if (axis !== undefined) axes.push(axis);
    }
  }
  const keys = keysOfEntries('search', entries, false);
  const minimise = wordOrDefault<Objective>(context, keys, 'minimise');
  const limits = (first.get('subject_to')?.values ?? []).flatMap((value) =>
    conjuncts(value).flatMap((condition) => readCheck(context, condition, undefined)?.text ?? []),
  );
  if (block.name === undefined || minimise === undefined || hasErrors(context, block)) return undefined;
  if (isTooLarge(context, block.name, axes)) return undefined;
  return { pipeline: block.name.text, axes, minimise, limits };
}

/** A product of more rows than the limit is refused before anything is made of it. */
function isTooLarge({ report, options }: ReadContext, name: Name, axes: readonly Axis[]): boolean {
  const rows = axes.reduce((product, { values }) => product * values.length, 1);
  const { searchRows: most } = options.limits;
  if (rows <= most) return false;
  report.report('limit/too-large', name, {
    what: 'Rows of this search',
    figure: rows.toLocaleString('en-US'),
    limit: most.toLocaleString('en-US'),
    setting: 'pipewright.limits.searchRows',
  });
  return true;
}

/** Also of names, which were looked up before. */
const hasErrors = ({ report, uri }: ReadContext, { start, end }: BlockDeclaration): boolean =>
  report.findings.some(
    ({ severity, place }) => severity === 'error' && place.uri === uri && place.start >= start && place.end <= end,
  );

function hasValue({ report, syntax }: ReadContext, { key, values, start, end }: Entry): void {
  if (values !== undefined || syntax.errors.some((fault) => fault.start >= start && fault.start <= end + 1)) return;
  report.report('type/mismatch', key, {
    expected: `\`${findKey('search', key.text)?.example ?? key.text}\``,
    found: `\`${key.text} in …\``,
  });
}

function readAxis(context: ReadContext, entry: Entry): Axis | undefined {
  const { key, range, step, start, end } = entry;
  const schema = findKey('search', key.text);
  const isParam = context.names.get(key.text)?.kind === 'param';
  if (schema === undefined && !isParam) {
    unknownKey(context, entry);
    return undefined;
  }
  if (range === undefined) {
    // Half an entry is the parser's finding.
    if (!context.syntax.errors.some((fault) => fault.start >= start && fault.start <= end + 1))
      context.report.report('type/mismatch', key, {
        expected: `\`${schema?.example ?? `${key.text} in [1, 2]`}\``,
        found: `\`${key.text} = …\``,
      });
    return undefined;
  }
  if (range.kind === 'missing') return undefined;
  const values = axisValues(context.syntax, range, step);
  if ('expected' in values) {
    context.report.report('type/mismatch', range, values);
    return undefined;
  }
  const value = schema?.value;
  for (const each of itemsOf(range)) checkValue(context, each, key.text, value);
  if (value?.kind !== 'quantity') return { key: key.text, values };
  const numbers = numbersOf(context, range, values, (each) => quantity(context, each, value, `"${key.text}"`));
  return numbers === undefined ? undefined : { key: key.text, values: [...new Set(numbers.map(String))] };
}

const itemsOf = (range: Expression): readonly Expression[] =>
  range.kind === 'group' ? itemsOf(range.inner) : range.kind === 'list' ? range.items : [range];

/** What reads a value of a pipeline's key, and reports what is wrong with it. Names are reported where they get their meaning. */
const readers: Readonly<Record<string, (context: ReadContext, value: Expression) => unknown>> = table({
  schedule: (context, value) => readScheduleUse(context, value),
  optimizer: readOptimizer,
  recompute: readRecomputeValue,
});

/** Reports what a pipeline would report of a value, if it is neither a number nor a range: no row can have it. */
function checkValue(context: ReadContext, value: Expression, key: string, schema: ValueSchema | undefined): void {
  if (Object.hasOwn(readers, key)) readers[key](context, value);
  else if (schema?.kind === 'words') readWordValue(context, value, schema.words);
}

/** Items of a list may be names of numbers; the ends of a range are numbers. */
function numbersOf(
  context: ReadContext,
  values: Expression,
  texts: readonly string[],
  read: (value: Expression) => number | undefined,
): readonly number[] | undefined {
  if (values.kind === 'group') return numbersOf(context, values.inner, texts, read);
  if (values.kind === 'range') return read(values.from) === undefined ? undefined : texts.map(Number);
  if (values.kind !== 'list') return all([read(values)]);
  return all(
    values.items.flatMap((item) => {
      const inner = item.kind === 'range' ? axisValues(context.syntax, item) : undefined;
      return inner === undefined || 'expected' in inner ? [read(item)] : inner.map(Number);
    }),
  );
}

const all = (numbers: readonly (number | undefined)[]): readonly number[] | undefined =>
  numbers.every((number) => number !== undefined) ? numbers : undefined;

function unknownKey(context: ReadContext, entry: Entry): void {
  const { report, names } = context;
  const { key } = entry;
  if (key.end <= key.start) return;
  const isHead = entry.values === undefined && entry.range === undefined && entry.body === undefined;
  if (isHead) withdrawHead(context, entry);
  const follows = followingKeys[key.text];
  if (follows !== undefined) {
    const advice = `It cannot be searched: ${follows}.`;
    report.report('key/unknown', key, { key: key.text, block: 'search', advice });
    return;
  }
  const params = [...names.values()].flatMap(({ kind, name }) => (kind === 'param' ? [name] : []));
  const known = [...keysOf('search').keys(), ...params];
  const nearest = report.nearest(key.text, known) ?? (isHead ? onlyBegun(key.text, known) : undefined);
  report.report('key/unknown', key, { key: key.text, block: 'search', nearest }, { hint: spellingHint(nearest) });
}
