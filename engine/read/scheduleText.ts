/** What a schedule says together with what it takes over: its entries, then the entries of its base that it does not replace. */
import type { BlockDeclaration, Entry, Expression } from '../../grammar/syntax.ts';
import { walk } from '../../grammar/walk.ts';
import { baseSymbol } from '../sequences/baseRow.ts';
import type { FileContext } from '../language/context.ts';

/** A declaration that entries are written in. */
export interface Origin {
  readonly context: FileContext;
  readonly block: BlockDeclaration;
  /** Symbol of the schedule. */
  readonly symbol: string;
}

/** An entry of a schedule, where it is written. */
export interface WrittenEntry {
  readonly origin: Origin;
  readonly entry: Entry;
  /** Another default of a `param`: an argument of `from`. */
  readonly value?: { readonly origin: Origin; readonly expression: Expression };
  /** The `param` whose range and step this one keeps. */
  readonly bounds?: { readonly origin: Origin; readonly entry: Entry };
}

export interface ScheduleText {
  readonly entries: readonly WrittenEntry[];
  /** All declarations that entries are written in; first the schedule's. */
  readonly origins: readonly Origin[];
  /** Declarations that it takes over, the nearest first. */
  readonly bases: readonly Origin[];
  /** Rows that `base(d)` stands for, by its symbol in the schedule that writes it. */
  readonly baseRows: ReadonlyMap<string, readonly WrittenEntry[]>;
}

/** Keys of each form in which an order is written, the first of which says that it is this one. */
const forms: readonly (readonly string[])[] = [
  ['order', 'in_flight', 'allow', 'prefer', 'ties', 'limit', 'backward'],
  ['slot', 'period', 'fill'],
  ['row', 'parts', 'recompute'],
];

/** Keys that go with each of two ways to place stages. */
const placements: readonly (readonly string[])[] = [['placement'], ['on', 'stages', 'spare', 'idle']];

/** The text of a schedule that takes over another one; `values` are arguments of `from`, by parameter. */
export function takenOver(
  origin: Origin,
  entries: readonly Entry[],
  base: ScheduleText,
  values: ReadonlyMap<string, Expression>,
): ScheduleText {
  const inherited = new Map(base.entries.map((written) => [signature(written.entry), written]));
  const changed = entries.map((entry): WrittenEntry => {
    const earlier = inherited.get(signature(entry));
    const keepsBounds = entry.key.text === 'param' && entry.range === undefined && earlier?.entry.range !== undefined;
    return keepsBounds && earlier !== undefined
      ? { origin, entry, bounds: earlier.bounds ?? earlier }
      : { origin, entry };
  });
  const written = new Set(entries.map(signature));
  const left = leftOut(entries, base);
  const kept = base.entries.flatMap((each): readonly WrittenEntry[] => {
    const { entry } = each;
    const sign = signature(entry);
    if (left.has(entry.key.text) || (written.has(sign) && entry.key.text !== 'require')) return [];
    const value = entry.key.text === 'param' ? values.get(entry.name?.text ?? '') : undefined;
    return [value === undefined ? each : { ...each, value: { origin, expression: value } }];
  });
  const all = [...changed, ...kept];
  const baseRows = new Map(base.baseRows);
  if (entries.some(usesBase))
    baseRows.set(
      `${baseSymbol}${origin.symbol}`,
      base.entries.filter(({ entry }) => entry.key.text === 'row'),
    );
  const origins = new Set([origin, ...[...all, ...[...baseRows.values()].flat()].flatMap(originsOf)]);
  const [of] = base.origins;
  return { entries: all, origins: [...origins], bases: [of, ...base.bases], baseRows };
}

/** Whether a row may have `base(d)`. */
function usesBase({ key, values = [] }: Entry): boolean {
  let found = false;
  for (const value of key.text === 'row' ? values : [])
    walk(value, (node) => {
      if (node.kind === 'call' && node.callee.text === 'base') found = true;
    });
  return found;
}

const originsOf = ({ origin, value, bounds }: WrittenEntry): readonly Origin[] =>
  [origin, value?.origin, bounds?.origin].filter((each) => each !== undefined);

/** Keys of the base that have no effect under what is written: of another form of the order, of another way to place stages. */
function leftOut(entries: readonly Entry[], base: ScheduleText): ReadonlySet<string> {
  const says = (key: string) => entries.some((entry) => entry.key.text === key);
  const rowsOfAll = entries.some(({ key, parameters }) => key.text === 'row' && parameters?.[0]?.kind === 'name');
  const baseHas = (key: string) => base.entries.some(({ entry }) => entry.key.text === key);
  // Rows of single devices replace rows; they are no order of their own.
  const form = forms.find(([key]) =>
    key === 'row' ? rowsOfAll || (says(key) && baseHas(key) && !baseHas('slot')) : says(key),
  );
  const placed = placements.find(([key]) => says(key));
  const otherForms = form === undefined ? [] : forms.filter((each) => each !== form).flat();
  // Slots that replace slots keep the rows of single devices.
  if (form?.[0] === 'slot' && baseHas('slot')) otherForms.splice(otherForms.indexOf('row'), 1);
  const otherPlaces = placed === undefined ? [] : placements.filter((each) => each !== placed).flat();
  return new Set([...otherForms, ...otherPlaces]);
}

/** Kinds come first in the parentheses of these keys. */
const leading: readonly string[] = ['allow', 'slot'];

/** Entries with one signature replace each other: `let warm`, `row(d)`, `row(0)`, `slot(F)`. */
function signature({ key, name, parameters = [] }: Entry): string {
  if (name !== undefined) return `name ${name.text}`;
  if (!repeated.includes(key.text)) return key.text;
  const shown = key.text === 'slot' ? parameters.slice(0, 1) : parameters;
  return `${key.text} ${shown.map((parameter, index) => parameterText(parameter, index === 0 && leading.includes(key.text))).join(' ')}`;
}

const repeated: readonly string[] = ['row', 'slot', 'allow', 'prefer', 'in_flight'];

/** A parameter may have any name. Other expressions are compared without white space and parentheses around them. */
function parameterText(parameter: Expression, isKind: boolean): string {
  if (parameter.kind === 'name') return isKind ? parameter.text : '_';
  return shapeText(parameter);
}

function shapeText(expression: Expression): string {
  switch (expression.kind) {
    case 'group':
      return shapeText(expression.inner);
    case 'name':
      return expression.text;
    case 'quantity':
      return `${expression.value}${expression.unit}`;
    case 'unary':
      return `-(${shapeText(expression.operand)})`;
    case 'binary':
      return `(${shapeText(expression.left)}${expression.operator}${shapeText(expression.right)})`;
    case 'call':
      return `${expression.callee.text}(${expression.arguments.map(({ value }) => shapeText(value)).join(',')})`;
    default:
      return '?';
  }
}
