/** `gpu[3]`, `gpu[0..1]`, `node[1]`: which devices of a cluster, or of one node of it, are meant. */
import type { DeviceSet } from '../definitions/cluster.ts';
import type { Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { checked, evaluate } from '../language/expressions.ts';
import { wholeRange } from '../language/values.ts';

/** Reads such an expression; numbers start at the beginning of the block around it. */
export function readEnd(context: ReadContext, expression: Expression): DeviceSet | undefined {
  if (expression.kind === 'group') return readEnd(context, expression.inner);
  const parts = expression.kind === 'list' ? expression.items : [expression];
  const read = parts.map((part) => readOne(context, part));
  if (!read.every((deviceSet) => deviceSet !== undefined)) return undefined;
  return {
    devices: (...place) => {
      const all = read.map((deviceSet) => deviceSet.devices(...place));
      return all.every((candidate) => candidate !== undefined) ? all.flat() : undefined;
    },
  };
}

function readOne(context: ReadContext, expression: Expression): DeviceSet | undefined {
  if (expression.kind === 'missing') return undefined;
  const hub = expression.kind === 'name' ? context.links.get(expression) : undefined;
  if (hub?.startsWith('switch:')) return switchEnd(hub);
  // A name that means nothing has been reported.
  if (expression.kind === 'name' && hub === undefined) return undefined;
  const argument = expression.kind === 'index' ? expression.arguments[0] : undefined;
  if (expression.kind !== 'index' || argument === undefined || expression.arguments.length > 1) {
    const text = context.syntax.text.slice(expression.start, Math.min(expression.end, expression.start + 40));
    context.report.report('type/mismatch', expression, {
      expected: 'devices such as `gpu[0]`, `gpu[0..3]` or `node[1]`',
      found: `\`${text}\``,
    });
    return undefined;
  }
  if (!context.links.has(expression.target)) return undefined;
  const numbers = readNumbers(context, argument.value);
  if (numbers === undefined) return undefined;
  const kind = expression.target.text;
  return {
    devices(report, groups, group, nodes) {
      const { first, end } = groups[group];
      const size = kind === 'node' ? nodes.length : end - first;
      if (numbers.last >= size) {
        report.report('value/range', argument.value, {
          what: `The number of the ${kind === 'node' ? 'node' : 'device'}`,
          value: String(numbers.last),
          allowed: size === 0 ? `left out: there is no ${kind} here` : `from 0 to ${size - 1}`,
        });
        return undefined;
      }
      const found: number[] = [];
      for (let i = numbers.first; i <= numbers.last; i += 1) {
        if (kind !== 'node') found.push(first + i);
        else for (let d = groups[nodes[i]].first; d < groups[nodes[i]].end; d += 1) found.push(d);
      }
      return found;
    },
  };
}

/** A switch of the block around the link, or of a block further out. */
export function switchEnd(symbol: string): DeviceSet {
  return {
    devices(_report, groups, group) {
      for (let at = group; at >= 0; at = groups[at].parent) {
        const vertex = groups[at].switches?.get(symbol);
        if (vertex !== undefined) return [vertex];
      }
      return undefined;
    },
  };
}

/** A whole number of at least 0 or a range of them. */
export function readNumbers(
  context: ReadContext,
  expression: Expression,
): { readonly first: number; readonly last: number } | undefined {
  const value = evaluate(context, expression);
  if (value === undefined) return undefined;
  if (value.kind !== 'range') {
    const number = checked(
      context,
      expression,
      value,
      { kind: 'quantity', dimension: 'number', integer: true, min: 0 },
      'The number',
    );
    return number === undefined ? undefined : { first: number, last: number };
  }
  const range = wholeRange(value);
  if (range !== undefined && range.first >= 0 && range.last >= range.first) return range;
  const text = context.syntax.text.slice(expression.start, expression.end);
  context.report.report('value/range', expression, {
    what: 'The range',
    value: text,
    allowed: 'whole numbers from 0, the last at least the first',
  });
  return undefined;
}
