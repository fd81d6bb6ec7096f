/** `compute`, `efficiency`, `attention_efficiency` and `memory_efficiency` of a device: one figure for all, others for single number formats or from a size on. */
import { table } from '../basics/table.ts';
import type { Entry, Expression } from '../../grammar/syntax.ts';
import type { Precision, PrecisionFigures, SizedShares } from '../costs/types.ts';
import type { ReadContext } from './context.ts';
import type { DeviceDefinition, RateWord, WrittenRates } from '../definitions/device.ts';
import { quantity } from '../language/expressions.ts';
import { type Keys, missing, valueOf } from '../language/keys.ts';
import { findKey, type KeySchema } from '../language/schema.ts';

/**
 * Peaks: `all` is what `compute = …` says, `at` what `compute(fp8) = …` says; undefined where one of them is wrong (reported).
 * `base` has the peaks of the device that this one is `from`.
 */
export function readPeaks(
  context: ReadContext,
  keys: Keys,
  base?: WrittenRates,
): { readonly all?: number; readonly at: PrecisionFigures; readonly written: WrittenRates } | undefined {
  const figures = readFigures(context, keys, 'compute', base);
  if (figures === undefined) return undefined;
  const at: { [P in Precision]?: number } = {};
  for (const [word, sizes] of figures) if (isPrecision(word)) at[word] = sizes.get(0)?.value;
  return { all: figures.get('')?.get(0)?.value, at, written: valuesOf(figures) };
}

/**
 * Shares by size, for all number formats and for number formats with separate entries. A format with separate entries uses no
 * others. Only the share of its smallest size comes from all formats if the format does not say. If sizes are written, this share
 * must be, too. `base` has the shares of the device that this one is `from`.
 */
export function readShares(
  context: ReadContext,
  keys: Keys,
  name: 'efficiency' | 'memory_efficiency',
  base?: WrittenRates,
): (Pick<DeviceDefinition, 'efficiency' | 'efficiencyAt'> & { readonly written: WrittenRates }) | undefined {
  const figures = readFigures(context, keys, name, base);
  if (figures === undefined) return undefined;
  const table = tables(context, keys, name, figures);
  const efficiencyAt: { [P in Precision]?: SizedShares } = {};
  let complete = true;
  const shares = (sizes: Sizes): SizedShares => {
    const found = table(sizes);
    if (found === undefined) complete = false;
    return found ?? [{ least: 0, share: 1 }];
  };
  for (const [word, sizes] of figures) if (isPrecision(word)) efficiencyAt[word] = shares(sizes);
  const efficiency = shares(figures.get('') ?? new Map());
  return complete ? { efficiency, efficiencyAt, written: valuesOf(figures) } : undefined;
}

/**
 * Shares that fused attention cores reach, by keys. `attention` is absent where the file says nothing. A pass with separate
 * entries uses no others, as a number format does. `undefined` where an entry is wrong.
 */
export function readAttention(
  context: ReadContext,
  keys: Keys,
  base?: WrittenRates,
): (Pick<DeviceDefinition, 'attention'> & { readonly written: WrittenRates }) | undefined {
  const figures = readFigures(context, keys, 'attention_efficiency', base);
  if (figures === undefined) return undefined;
  if (figures.size === 0) return { written: new Map() };
  const table = tables(context, keys, 'attention_efficiency', figures);
  const pass = (word: 'forward' | 'backward'): SizedShares | undefined =>
    table(figures.get(word) ?? figures.get('') ?? new Map());
  const [forward, backward] = [pass('forward'), pass('backward')];
  if (forward === undefined || backward === undefined) return undefined;
  return { attention: { forward, backward }, written: valuesOf(figures) };
}

/** Makes tables of figures. A table without a smallest size takes the general figure; if there is none, it is missing (reported). */
function tables(context: ReadContext, keys: Keys, name: string, figures: ReadonlyMap<RateWord, Sizes>) {
  const general = figures.get('')?.get(0)?.value;
  return (sizes: Sizes): SizedShares | undefined => {
    const least = sizes.get(0)?.value ?? general;
    const first = [...sizes.values()].find((figure) => figure.entry !== undefined);
    if (least === undefined && first?.entry !== undefined) {
      if (!keys.doubtful) missing(context, keys.block, name, first.entry.key);
      return undefined;
    }
    const others = [...sizes].filter(([size]) => size > 0).map(([size, { value }]) => ({ least: size, share: value }));
    return [{ least: 0, share: least ?? 1 }, ...others.toSorted((a, b) => a.least - b.least)];
  };
}

const isPrecision = (word: RateWord): word is Precision => word !== '' && word !== 'forward' && word !== 'backward';

interface Figure {
  /** Absent if the figure comes from the base. */
  readonly entry?: Entry;
  readonly value: number;
}
type Sizes = ReadonlyMap<number, Figure>;

/** Without the entries that wrote them. */
const valuesOf = (figures: ReadonlyMap<RateWord, Sizes>): WrittenRates =>
  new Map(
    [...figures].map(([word, sizes]) => [word, new Map([...sizes].map(([size, { value }]) => [size, value] as const))]),
  );

/**
 * Figures by number format or pass (`''` of all) and size (0 where none is written). A plain entry stands for all figures of the base;
 * an entry with parentheses only for the same one.
 */
function readFigures(
  context: ReadContext,
  keys: Keys,
  name: keyof DeviceDefinition['written'],
  base: WrittenRates = new Map(),
): ReadonlyMap<RateWord, Sizes> | undefined {
  const key = findKey(keys.block, name);
  const found = new Map<RateWord, Map<number, Figure>>();
  let wrong = false;
  for (const entry of keys.all(name)) {
    const at = key === undefined ? undefined : readParameters(context, entry, key);
    const expression = valueOf(entry);
    if (at === undefined || expression === undefined || key?.value.kind !== 'quantity') {
      wrong = true;
      continue;
    }
    const sizes = found.get(at.word) ?? new Map<number, Figure>();
    const earlier = sizes.get(at.size)?.entry;
    if (earlier !== undefined) {
      const written = (entry.parameters ?? []).map((parameter) => textOf(context, parameter)).join(', ');
      const related = [{ place: context.report.place(earlier.key), message: 'This one is used.' }];
      const hint = { kind: 'remove' } as const;
      const params = { key: written === '' ? name : `${name}(${written})`, block: keys.block };
      context.report.report('key/duplicate', entry.key, params, { related, hint });
      continue;
    }
    const value =
      name === 'compute' && isNone(expression)
        ? noFormat(context, expression, at.word)
        : quantity(context, expression, key.value, `"${name}"`);
    if (value === undefined) wrong = true;
    sizes.set(at.size, { entry, value: value ?? 1 });
    found.set(at.word, sizes);
  }
  if (wrong) return undefined;
  if (found.get('')?.has(0) === true) return found;
  for (const [word, figures] of base) {
    const given = [...figures].map(([size, value]) => [size, { value }] as const);
    found.set(word, new Map<number, Figure>([...given, ...(found.get(word) ?? [])]));
  }
  return found;
}

const isNone = (expression: Expression): boolean =>
  expression.kind === 'group' ? isNone(expression.inner) : expression.kind === 'name' && expression.text === 'none';

/** The rate of a format that the device does not have. Every device has some format. */
function noFormat(context: ReadContext, expression: Expression, word: RateWord): 0 | undefined {
  if (word !== '') return 0;
  context.report.report('type/mismatch', expression, {
    expected: 'a rate such as `312TFLOPS`; `none` is for a single number format, as in `compute(bf16) = none`',
    found: '`none`',
  });
  return undefined;
}

/** `()`, `(fp8)`, `(16GFLOP)` or `(fp8, 16GFLOP)`, as far as the key takes them; undefined where there is something else (reported). */
function readParameters(
  context: ReadContext,
  { parameters }: Entry,
  key: KeySchema,
): { readonly word: RateWord; readonly size: number } | undefined {
  if (parameters === undefined) return { word: '', size: 0 };
  const words = (key.parameters ?? []).map((parameter) => parameter.name);
  const isWord = (expression: Expression | undefined) => expression?.kind === 'name' && words.includes(expression.text);
  // A name that means nothing has been reported where names get their meaning.
  const unknown = (expression: Expression) =>
    expression.kind === 'name' && !isWord(expression) && !context.links.has(expression);
  if (parameters.some((parameter) => parameter.kind === 'missing' || unknown(parameter))) return undefined;
  const [first] = parameters;
  const word = first?.kind === 'name' && isWord(first) ? (first.text as RateWord) : '';
  const [size, ...others] = word === '' ? parameters : parameters.slice(1);
  if (size === undefined) return { word, size: 0 };
  const tooMuch = key.sizes === undefined || isWord(size) ? size : others[0];
  if (tooMuch !== undefined) {
    context.report.report('type/mismatch', tooMuch, {
      expected: examples[key.name] ?? 'nothing',
      found: `\`${textOf(context, tooMuch)}\``,
    });
    return undefined;
  }
  const schema = { kind: 'quantity', dimension: key.sizes ?? 'number', above: 0 } as const;
  const value = quantity(context, size, schema, `The size of "${key.name}"`);
  return value === undefined ? undefined : { word, size: value };
}

const examples: Readonly<Record<string, string>> = table({
  compute: 'one number format, such as `compute(fp8)`',
  efficiency: 'a number format, a size, or one and then the other, such as `efficiency(fp8, 16GFLOP)`',
  attention_efficiency:
    'a pass, a number of keys, or one and then the other, such as `attention_efficiency(backward, 2048)`',
  memory_efficiency: 'one size, such as `memory_efficiency(10MB)`',
});

const textOf = ({ syntax }: ReadContext, { start, end }: Expression): string =>
  syntax.text.slice(start, Math.min(end, start + 40));
