/** Reads a shape such as `transformer(hidden = 4096, heads = 32)` against its parameters. */
import type { ShapeArguments } from '../costs/shape.ts';
import type { Call, Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { findShape, type ShapeSchema } from '../costs/shapes.ts';
import { evaluate, quantity, wholeNumber } from '../language/expressions.ts';
import { describe } from '../language/values.ts';
import { bindArguments, isHalfWritten } from './arguments.ts';
import { reportUneven, unevenIn } from './uneven.ts';

type Parameter = ShapeSchema['parameters'][number];

/** The shape and its arguments, defaults that are derived left out. */
export function readShape(
  context: ReadContext,
  expression: Expression,
): { readonly shape: string; readonly args: ShapeArguments } | undefined {
  if (expression.kind === 'group') return readShape(context, expression.inner);
  if (expression.kind !== 'call') {
    const known = expression.kind === 'name' && context.links.get(expression)?.startsWith('function:');
    const value = known || expression.kind === 'index' ? undefined : evaluate(context, expression);
    if (known || value !== undefined) {
      const found = value === undefined ? 'a shape without its arguments' : describe(value);
      context.report.report('type/mismatch', expression, {
        expected: 'a shape such as `transformer(hidden = 4096, heads = 32)`',
        found,
      });
    }
    return undefined;
  }
  const schema = findShape(expression.callee.text);
  if (schema === undefined) return undefined;
  const bound = bindArguments(
    context,
    expression,
    schema.name,
    schema.parameters.map((parameter) => parameter.name),
  );
  if (bound === undefined) return undefined;
  const args: Record<string, number | boolean | string> = {};
  const isUnfinished = isHalfWritten(context, expression);
  let wrong = false;
  for (const parameter of schema.parameters) {
    const argument = bound.get(parameter.name);
    if (argument === undefined) {
      if (parameter.default !== undefined) continue;
      wrong = true;
      if (isUnfinished) continue;
      context.report.report('key/missing', expression.callee, {
        key: parameter.name,
        block: schema.name,
        example: `${parameter.name} = ${parameter.example ?? 1}`,
      });
      continue;
    }
    const value = readShapeArgument(context, argument.value, parameter);
    if (value === undefined) wrong = true;
    else args[parameter.name] = value;
  }
  if (wrong) return undefined;
  const problem = schema.check?.(args);
  if (problem === undefined) return { shape: schema.name, args };
  const uneven = unevenIn(problem);
  const divisor = uneven === undefined ? undefined : bound.get(uneven.divisor);
  if (uneven !== undefined && divisor !== undefined) reportUneven(context, divisor.value, uneven);
  else
    context.report.report('type/mismatch', expression, {
      expected: 'arguments that fit together',
      found: `that ${problem.replace(/\.$/, '')}`,
    });
  return undefined;
}

/** The value of an argument; undefined where it is wrong, which has been reported. */
export function readShapeArgument(
  context: ReadContext,
  value: Expression,
  parameter: Parameter,
): number | boolean | string | undefined {
  if (parameter.kind === 'integer')
    return wholeNumber(context, value, `"${parameter.name}"`, { min: parameter.min ?? 1 });
  if (parameter.kind === 'quantity') {
    const dimension = parameter.dimension ?? 'number';
    return quantity(context, value, { kind: 'quantity', dimension, min: parameter.min ?? 0 }, `"${parameter.name}"`);
  }
  if (value.kind === 'call' && value.callee.text === parameter.calls?.name) return calledWord(context, value);
  const words = parameter.kind === 'boolean' ? ['true', 'false'] : (parameter.words ?? []);
  if (value.kind === 'name' && words.includes(value.text))
    return parameter.kind === 'boolean' ? value.text === 'true' : value.text;
  if (value.kind === 'name' && !context.links.has(value)) return undefined;
  const found = evaluate(context, value);
  if (found === undefined) return undefined;
  if (found.kind === 'truth' && parameter.kind === 'boolean') return found.value;
  context.report.report('type/mismatch', value, {
    expected: words.map((word) => `\`${word}\``).join(' or '),
    found: describe(found),
  });
  return undefined;
}

/** `chunked(8)` in the place of a word, as this text. */
function calledWord(context: ReadContext, call: Call): string | undefined {
  const name = call.callee.text;
  const bound = bindArguments(context, call, name, ['chunks']);
  if (bound === undefined) return undefined;
  const chunks = bound.get('chunks')?.value;
  if (chunks === undefined) {
    context.report.report('key/missing', call, { key: 'chunks', block: `call to ${name}`, example: `${name}(8)` });
    return undefined;
  }
  const number = wholeNumber(context, chunks, '"chunks"', { min: 1, max: mostChunks });
  return number === undefined ? undefined : `${name}(${number})`;
}

/** More chunks than this are no tokens each. */
const mostChunks = 1_000_000;
