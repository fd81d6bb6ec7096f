import type { Call, Expression } from '../../grammar/syntax.ts';
import { ofOne, ofTwo } from './arithmetic.ts';
import type { FileContext } from './context.ts';
import { alike, sumOf } from './dimensions.ts';
import { finite, mismatch, wrongDimension } from './valueFaults.ts';
import type { FunctionSchema } from './functions.ts';
import { phraseOf } from './units.ts';
import { measure, type Value } from './values.ts';

type Evaluate = (expression: Expression) => Value | undefined;

/** The value of a call of a function that any expression may hold. `known` is its row of the table. */
export function callValue(
  context: FileContext,
  node: Call,
  known: FunctionSchema,
  evaluate: Evaluate,
): Value | undefined {
  const expressions = callArguments(context, node, known);
  if (expressions === undefined) return undefined;
  if (known.name === 'if') return choose(context, expressions, evaluate);
  const values = expressions.map(evaluate);
  if (!values.every((value) => value !== undefined)) return undefined;
  const [first] = values;
  switch (known.name) {
    case 'min':
    case 'max':
      return extreme(context, expressions, values, known.name === 'min' ? Math.min : Math.max);
    case 'half':
    case 'shared': {
      const link = toLink(first);
      return link === undefined
        ? mismatch(context, expressions[0], 'a link such as `25GB/s + 5us`', first)
        : { ...link, sharing: known.name };
    }
    case 'not':
      return first.kind === 'truth'
        ? { kind: 'truth', value: !first.value }
        : mismatch(context, expressions[0], 'a comparison', first);
    case 'mod':
    case 'div':
      return ofNumbers(context, node, expressions, values, ofTwo[known.name]);
    case 'abs':
      return first.kind === 'measure'
        ? measure(Math.abs(first.value), first.dimension)
        : mismatch(context, expressions[0], 'a number', first);
    default:
      return ofNumber(context, node, expressions[0], first, known.name);
  }
}

/** Arguments of a call in the order of the parameters; names that are none and wrong numbers of arguments are reported. */
export function callArguments(
  { report }: FileContext,
  node: Call,
  known: FunctionSchema,
): readonly Expression[] | undefined {
  for (const { name } of node.arguments) {
    if (name === undefined || known.parameters.some((parameter) => parameter.name === name.text)) continue;
    const nearest = report.nearest(
      name.text,
      known.parameters.map((parameter) => parameter.name),
    );
    const advice = known.name === 'if' ? { advice: `To compare, write "${name.text} == …".` } : {};
    report.report('key/unknown', name, { key: name.text, block: `call to ${known.name}`, nearest, ...advice });
    return undefined;
  }
  const least = known.parameters.filter(({ optional }) => !optional).length;
  const found = node.arguments.length;
  if (found >= least && (found <= known.parameters.length || known.rest)) return inOrder(node, known);
  report.report('type/mismatch', node, {
    expected: `${known.name} with ${known.rest ? 'at least ' : ''}${least} ${least === 1 ? 'argument' : 'arguments'}`,
    found: String(found),
  });
  return undefined;
}

/** Arguments in the order of the parameters; a named one goes to its place. */
function inOrder(node: Call, known: FunctionSchema): readonly Expression[] {
  if (node.arguments.every((argument) => argument.name === undefined) || known.rest)
    return node.arguments.map((argument) => argument.value);
  const placed: Expression[] = [];
  const rest = node.arguments.filter((argument) => argument.name === undefined);
  for (const parameter of known.parameters) {
    const named = node.arguments.find((argument) => argument.name?.text === parameter.name);
    const given = named ?? rest.shift();
    if (given !== undefined || !parameter.optional) placed.push((given ?? node.arguments[0]).value);
  }
  return placed;
}

/** A bandwidth alone is a link without latency. */
export function toLink(value: Value): (Value & { kind: 'link' }) | undefined {
  if (value.kind === 'link') return value;
  if (value.kind === 'measure' && value.dimension === 'bandwidth') {
    return { kind: 'link', bandwidth: value.value, latency: 0, sharing: 'full' };
  }
  return undefined;
}

/** Only the branch that is taken is evaluated, so `if(n > 0, 1 / n, 0)` is no division by zero. */
function choose(
  context: FileContext,
  [condition, yes, no]: readonly Expression[],
  evaluate: Evaluate,
): Value | undefined {
  const holds = evaluate(condition);
  if (holds === undefined) return undefined;
  if (holds.kind !== 'truth') return mismatch(context, condition, 'a comparison', holds);
  return evaluate(holds.value ? yes : no);
}

function extreme(
  context: FileContext,
  expressions: readonly Expression[],
  values: readonly Value[],
  pick: (a: number, b: number) => number,
): Value | undefined {
  let best: (Value & { kind: 'measure' }) | undefined;
  for (const [index, value] of values.entries()) {
    if (value.kind !== 'measure') return mismatch(context, expressions[index], 'a number', value);
    if (best === undefined) best = value;
    else if (alike(best.dimension, value.dimension)) {
      best = {
        kind: 'measure',
        value: pick(best.value, value.value),
        dimension: sumOf(best.dimension, value.dimension),
      };
    } else return wrongDimension(context, expressions[index], best.dimension, phraseOf[value.dimension]);
  }
  return best;
}

function ofNumber(context: FileContext, node: Call, at: Expression, value: Value, name: string): Value | undefined {
  if (value.kind !== 'measure') return mismatch(context, at, 'a plain number', value);
  if (!alike(value.dimension, 'number')) return wrongDimension(context, at, 'number', phraseOf[value.dimension]);
  return finite(context, node, ofOne[name](value.value), 'number');
}

/** `mod(a, b)`, `div(a, b)`. */
function ofNumbers(
  context: FileContext,
  node: Call,
  [a, b]: readonly Expression[],
  values: readonly Value[],
  compute: (a: number, b: number) => number,
): Value | undefined {
  const [first, second] = values;
  if (first.kind !== 'measure') return mismatch(context, a, 'a plain number', first);
  if (second.kind !== 'measure') return mismatch(context, b, 'a plain number', second);
  if (!alike(first.dimension, 'number')) return wrongDimension(context, a, 'number', phraseOf[first.dimension]);
  if (!alike(second.dimension, 'number')) return wrongDimension(context, b, 'number', phraseOf[second.dimension]);
  if (second.value !== 0) return finite(context, node, compute(first.value, second.value), 'number');
  context.report.report('value/range', b, { what: 'The divisor', value: '0', allowed: 'a number other than 0' });
  return undefined;
}
