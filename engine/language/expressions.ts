/** Values of expressions, with dimensions. Names must have been linked; what is erroneous is reported once and gives `undefined`. */
import { show } from '../basics/quantities.ts';
import type { Binary, Call, Expression, Quantity, Comparison } from '../../grammar/syntax.ts';
import type { FileContext } from './context.ts';
import { alike, fits, productOf, sumOf } from './dimensions.ts';
import { findFunction } from './functions.ts';
import { callValue } from './builtins.ts';
import { finite, mismatch, wrongDimension } from './valueFaults.ts';
import type { ValueSchema } from './schema.ts';
import { findUnit, phraseOf, scaled } from './units.ts';
import { measure, type Value } from './values.ts';

/** Numbers of the names that a schedule is given: `stages`, `microbatches`, the parameter of `row(d)`. */
export type Variables = ReadonlyMap<string, number>;

const deepest = 1000;

/** The value of an expression; `undefined` where it has an error (reported by now). */
export function evaluate(
  context: FileContext,
  expression: Expression,
  variables?: Variables,
  depth = 0,
): Value | undefined {
  if (depth > deepest) return undefined;
  // Nearly all values are quantities: they do without the closure below.
  if (expression.kind !== 'quantity') return composed(context, expression, variables, depth);
  const unit = findUnit(expression.unit);
  return unit === undefined
    ? undefined
    : finite(context, expression, scaled(expression.value, unit.scale), unit.dimension);
}

function composed(
  context: FileContext,
  expression: Exclude<Expression, Quantity>,
  variables: Variables | undefined,
  depth: number,
): Value | undefined {
  const inner = (nested: Expression) => evaluate(context, nested, variables, depth + 1);
  switch (expression.kind) {
    case 'missing':
      return undefined;
    case 'string':
      return { kind: 'text', value: expression.value };
    case 'group':
      return inner(expression.inner);
    case 'name':
      return nameValue(context, expression, variables);
    case 'list': {
      const items = expression.items.map(inner);
      return items.every((item) => item !== undefined) ? { kind: 'list', items } : undefined;
    }
    case 'unary': {
      const value = inner(expression.operand);
      if (value === undefined) return undefined;
      if (value.kind === 'measure') return measure(-value.value, value.dimension);
      return mismatch(context, expression.operand, 'a number', value);
    }
    case 'range':
      return rangeValue(
        context,
        expression,
        inner(expression.from),
        inner(expression.to),
        expression.step === undefined ? undefined : inner(expression.step),
      );
    case 'binary':
      return binaryValue(context, expression, inner(expression.left), inner(expression.right));
    case 'call':
      return call(context, expression, variables, depth);
    case 'index':
      if (context.links.has(expression.target)) {
        const isCluster = context.links.get(expression.target)?.startsWith('cluster:') === true;
        context.report.report('type/mismatch', expression, {
          expected: isCluster ? 'a cluster (its declaration or import has the number of nodes)' : 'a value',
          found: `an element of "${expression.target.text}"`,
        });
      }
      return undefined;
  }
}

function nameValue(
  context: FileContext,
  name: Expression & { kind: 'name' },
  variables: Variables | undefined,
): Value | undefined {
  const symbol = context.links.get(name);
  if (symbol === undefined) return undefined;
  if (context.values.has(symbol)) return context.values.get(symbol);
  const kind = symbol.slice(0, symbol.indexOf(':'));
  if (kind === 'variable' || kind === 'parameter' || symbol.includes('/')) {
    const value = variables?.get(name.text);
    if (value !== undefined) return measure(value, 'number');
  }
  if (kind === 'let' || kind === 'param') return undefined;
  context.report.report('type/mismatch', name, { expected: 'a value', found: `the ${kind} "${name.text}"` });
  return undefined;
}

/** A range of quantities of one dimension; a range of shares and numbers is one of numbers. */
function rangeValue(
  context: FileContext,
  range: Expression & { kind: 'range' },
  from: Value | undefined,
  to: Value | undefined,
  step: Value | undefined,
): Value | undefined {
  if (from === undefined || to === undefined) return undefined;
  if (range.step !== undefined) {
    if (step === undefined) return undefined;
    if (step.kind !== 'measure') return mismatch(context, range.step, 'a number', step);
  }
  if (from.kind !== 'measure') return mismatch(context, range.from, 'a number', from);
  if (to.kind !== 'measure') return mismatch(context, range.to, 'a number', to);
  if (!alike(from.dimension, to.dimension))
    return wrongDimension(context, range.to, from.dimension, phraseOf[to.dimension]);
  return {
    kind: 'range',
    from: from.value,
    to: to.value,
    exclusive: range.exclusive,
    ...(step?.kind === 'measure' ? { step: step.value } : {}),
    dimension: sumOf(from.dimension, to.dimension),
  };
}

function binaryValue(
  context: FileContext,
  node: Binary,
  left: Value | undefined,
  right: Value | undefined,
): Value | undefined {
  if (left === undefined || right === undefined) return undefined;
  const { operator } = node;
  if (operator === 'and' || operator === 'or') {
    if (left.kind !== 'truth') return mismatch(context, node.left, 'a comparison', left);
    if (right.kind !== 'truth') return mismatch(context, node.right, 'a comparison', right);
    return { kind: 'truth', value: operator === 'and' ? left.value && right.value : left.value || right.value };
  }
  // Bandwidth + latency is a link.
  if (operator === '+' && left.kind === 'measure' && right.kind === 'measure') {
    if (left.dimension === 'bandwidth' && right.dimension === 'time') return link(left.value, right.value);
    if (left.dimension === 'time' && right.dimension === 'bandwidth') return link(right.value, left.value);
  }
  if (left.kind !== 'measure') return mismatch(context, node.left, 'a number', left);
  if (right.kind !== 'measure') return mismatch(context, node.right, 'a number', right);
  if (operator === '*' || operator === '/') {
    const dimension = productOf(left.dimension, right.dimension, operator === '*' ? 1 : -1);
    if (dimension === undefined) {
      const found = `${phraseOf[left.dimension]} ${operator === '*' ? 'times' : 'over'} ${phraseOf[right.dimension]}`;
      context.report.report('type/dimension', node, { expected: 'a product or quotient with a dimension', found });
      return undefined;
    }
    if (operator === '/' && right.value === 0) {
      context.report.report('value/range', node.right, {
        what: 'The divisor',
        value: '0',
        allowed: 'a number other than 0',
      });
      return undefined;
    }
    return finite(context, node, operator === '*' ? left.value * right.value : left.value / right.value, dimension);
  }
  if (!alike(left.dimension, right.dimension))
    return wrongDimension(context, node.right, left.dimension, phraseOf[right.dimension]);
  switch (operator) {
    case '+':
      return finite(context, node, left.value + right.value, sumOf(left.dimension, right.dimension));
    case '-':
      return finite(context, node, left.value - right.value, sumOf(left.dimension, right.dimension));
    default:
      return { kind: 'truth', value: compare(operator, left.value, right.value) };
  }
}

const link = (bandwidth: number, latency: number): Value => ({ kind: 'link', bandwidth, latency, sharing: 'full' });

function compare(operator: Comparison, a: number, b: number): boolean {
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    case '==':
      return a === b;
    case '!=':
      return a !== b;
  }
}

function call(context: FileContext, node: Call, variables: Variables | undefined, depth: number): Value | undefined {
  const known = findFunction('value', node.callee.text);
  if (known === undefined) {
    // A function of another place was linked as unknown; a policy or shape that was linked is out of place here.
    if (context.links.has(node.callee)) {
      context.report.report('type/mismatch', node, { expected: 'a value', found: `${node.callee.text}(…)` });
    }
    return undefined;
  }
  return callValue(context, node, known, (expression) => evaluate(context, expression, variables, depth + 1));
}

/** What a quantity must be: its dimension, whether whole, and its bounds. */
export type QuantitySchema = ValueSchema & {
  readonly kind: 'quantity';
  /** What the greatest value is, for the message: `the number of layers in model "toy"`. */
  readonly maxIs?: string;
};

/** A number of the dimension and within the bounds of `schema`, in base units. `what` names it in messages. */
export function quantity(
  context: FileContext,
  expression: Expression,
  schema: QuantitySchema,
  what: string,
  variables?: Variables,
): number | undefined {
  const value = evaluate(context, expression, variables);
  return value === undefined ? undefined : checked(context, expression, value, schema, what);
}

/** The same for a value that is there already. */
export function checked(
  context: FileContext,
  at: Expression,
  value: Value,
  schema: QuantitySchema,
  what: string,
): number | undefined {
  if (value.kind !== 'measure') return mismatch(context, at, phraseOf[schema.dimension], value);
  if (!fits(value.dimension, schema.dimension)) {
    return wrongDimension(context, at, schema.dimension, phraseOf[value.dimension]);
  }
  const { value: number } = value;
  const { min = -Infinity, max = Infinity, above = -Infinity, integer = false, dimension } = schema;
  if (number >= min && number <= max && number > above && (!integer || Number.isSafeInteger(number))) return number;
  // Without the upper end a large whole number would be refused by words that it fits.
  const tooLarge = integer && max > Number.MAX_SAFE_INTEGER && number > Number.MAX_SAFE_INTEGER;
  const allowed = bounds(tooLarge ? { ...schema, min: schema.min ?? 0, max: Number.MAX_SAFE_INTEGER } : schema);
  context.report.report('value/range', at, { what, value: show(number, dimension), allowed });
  return undefined;
}

function bounds({ min, max, maxIs, above, integer, dimension }: QuantitySchema): string {
  const parts: string[] = [];
  if (above !== undefined) parts.push(`over ${show(above, dimension)}`);
  if (min !== undefined)
    parts.push(
      max === undefined
        ? `at least ${show(min, dimension)}`
        : `from ${show(min, dimension)} to ${show(max, dimension)}${maxIs === undefined ? '' : `, ${maxIs}`}`,
    );
  else if (max !== undefined) parts.push(`at most ${show(max, dimension)}`);
  const text = parts.join(' and ');
  if (!integer) return text;
  return `a whole number ${text.startsWith('from') || text === '' ? text : `of ${text}`}`.trim();
}

/** Whole number of at least `min` (default: 0). */
export const wholeNumber = (
  context: FileContext,
  expression: Expression,
  what: string,
  { min = 0, max, variables }: { readonly min?: number; readonly max?: number; readonly variables?: Variables } = {},
): number | undefined =>
  quantity(context, expression, { kind: 'quantity', dimension: 'number', integer: true, min, max }, what, variables);
