/** Lists of layers as written: `embed, block[0..10]`. */
import type { LayerDefinition } from '../definitions/model.ts';
import type { Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { evaluate } from '../language/expressions.ts';
import { describe } from '../language/values.ts';
import { readNumbers } from './deviceSet.ts';

/**
 * Elements that the expressions name, in order. A bare array is all of its elements; with `bare` = `last` only the last
 * one, as `after` means it. `undefined` where a name or number is wrong.
 */
export function readLayers(
  context: ReadContext,
  values: readonly Expression[],
  layers: readonly LayerDefinition[],
  bare: 'all' | 'last' = 'all',
): readonly number[] | undefined {
  const byName = indexOf(layers);
  const found: number[] = [];
  let wrong = false;
  const read = (expression: Expression, depth: number): void => {
    if (depth > 1000) return;
    switch (expression.kind) {
      case 'missing':
        wrong = true;
        return;
      case 'group':
        return read(expression.inner, depth + 1);
      case 'list':
        return expression.items.forEach((item) => read(item, depth + 1));
      case 'name':
      case 'index': {
        const part = readOne(context, expression, byName, bare);
        if (part === undefined) wrong = true;
        else for (let i = part.first; i <= part.last; i += 1) found.push(i);
        return;
      }
      default: {
        wrong = true;
        const value = evaluate(context, expression);
        if (value !== undefined)
          context.report.report('type/mismatch', expression, {
            expected: 'layers such as `embed` or `block[0..3]`',
            found: describe(value),
          });
      }
    }
  };
  for (const value of values) read(value, 0);
  return wrong ? undefined : found;
}

/** A layer with all runs of its pattern. */
type WholeLayer = Pick<LayerDefinition, 'name' | 'first' | 'count'>;

const known = new WeakMap<readonly LayerDefinition[], ReadonlyMap<string, WholeLayer>>();
function indexOf(layers: readonly LayerDefinition[]): ReadonlyMap<string, WholeLayer> {
  const before = known.get(layers);
  if (before !== undefined) return before;
  const found = new Map<string, WholeLayer>();
  for (const { name, first, count, run } of layers)
    if ((run?.at ?? 0) === 0) found.set(name, { name, first, count: run?.of ?? count });
  known.set(layers, found);
  return found;
}

function readOne(
  context: ReadContext,
  expression: Expression & { kind: 'name' | 'index' },
  byName: ReadonlyMap<string, WholeLayer>,
  bare: 'all' | 'last',
): { readonly first: number; readonly last: number } | undefined {
  const name = expression.kind === 'name' ? expression : expression.target;
  const layer = context.links.has(name) ? byName.get(name.text) : undefined;
  if (layer === undefined) return undefined;
  const end = layer.first + layer.count - 1;
  if (expression.kind === 'name') return { first: bare === 'all' ? layer.first : end, last: end };
  const [argument, second] = expression.arguments;
  if (argument === undefined || second !== undefined || argument.name !== undefined) {
    context.report.report('type/mismatch', expression, {
      expected: `one number or range, such as \`${layer.name}[0]\``,
      found: 'something else',
    });
    return undefined;
  }
  const numbers = readNumbers(context, argument.value);
  if (numbers === undefined) return undefined;
  if (numbers.last < layer.count) return { first: layer.first + numbers.first, last: layer.first + numbers.last };
  context.report.report('value/range', argument.value, {
    what: `The number of the layer "${layer.name}"`,
    value: String(numbers.last),
    allowed: layer.count === 1 ? '0' : `from 0 to ${layer.count - 1}`,
  });
  return undefined;
}
