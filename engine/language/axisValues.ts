/** The values that an entry of a search names. */
import type { Expression, Range, SyntaxFile } from '../../grammar/syntax.ts';
import { canonicalText } from './canonical.ts';

/** More values of one key are refused. */
const mostValues = 10_000;

/** Why an expression names no values. */
export interface NoValues {
  readonly expected: string;
  readonly found: string;
}

/**
 * The values that an expression names, as texts: the items of a list, the numbers of a range, otherwise itself. `step`: of the range, if it
 * is not part of the expression.
 */
export function axisValues(syntax: SyntaxFile, value: Expression, step?: Expression): readonly string[] | NoValues {
  if (value.kind === 'group') return axisValues(syntax, value.inner, step);
  if (value.kind === 'list') {
    const texts = new Set<string>();
    for (const item of value.items) {
      const found = item.kind === 'range' ? numbersOf(syntax, item, item.step) : [canonicalText(syntax, item)];
      if ('expected' in found) return found;
      for (const text of found) texts.add(text);
    }
    return texts.size === 0 ? { expected: 'at least one value', found: 'an empty list' } : [...texts];
  }
  return value.kind === 'range' ? numbersOf(syntax, value, step ?? value.step) : [canonicalText(syntax, value)];
}

function numbersOf(syntax: SyntaxFile, range: Range, stepped: Expression | undefined): readonly string[] | NoValues {
  const text = `\`${canonicalText(syntax, range)}\``;
  const from = plainNumber(range.from);
  const to = plainNumber(range.to);
  const step = stepped === undefined ? 1 : plainNumber(stepped);
  if (from === undefined || to === undefined || step === undefined)
    return { expected: 'a range of plain numbers, or a list such as `[1ms, 2ms]`', found: text };
  if (to < from) return backwards(syntax, range, stepped);
  if (step <= 0) return { expected: 'a step of more than 0', found: String(step) };
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  if (count > mostValues)
    return {
      expected: `at most ${mostValues.toLocaleString('en-US')} values`,
      found: count.toLocaleString('en-US'),
    };
  const numbers = Array.from({ length: Math.max(0, count) }, (_, at) => Number((from + at * step).toPrecision(12)));
  const within = range.exclusive ? numbers.filter((number) => number < to) : numbers;
  return within.length === 0 ? { expected: 'a range with a number in it', found: text } : within.map(String);
}

/** A range from a number down to a smaller one. The same range upwards is offered. */
function backwards(syntax: SyntaxFile, range: Range, stepped: Expression | undefined): NoValues {
  const [from, to] = [range.from, range.to].map((end) => canonicalText(syntax, end));
  const step = stepped === undefined ? '' : ` step ${canonicalText(syntax, stepped).replace(/^-\s*/u, '')}`;
  const dots = range.exclusive ? '..<' : '..';
  return {
    expected: `a range from the smaller to the larger number, \`${to}..${from}${step}\``,
    found: `\`${from}${dots}${to}\`, which is backwards`,
  };
}

function plainNumber(value: Expression): number | undefined {
  if (value.kind === 'group') return plainNumber(value.inner);
  if (value.kind === 'unary') {
    const number = plainNumber(value.operand);
    return number === undefined ? undefined : -number;
  }
  return value.kind === 'quantity' && value.unit === '' ? value.value : undefined;
}
