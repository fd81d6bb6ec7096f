/** Reads `tensor = 1..8, recompute = [none, full]`: what `--over` takes. */
import { type Expression, parse } from '../../grammar/index.ts';
import { pipelineBody, valueOf } from '../fixes/source.ts';
import { canonicalText } from '../language/canonical.ts';
import type { SyntaxFile } from '../../grammar/syntax.ts';
import type { Axis } from './axes.ts';

/** More values of one key are refused. */
const mostValues = 10_000;

/** The axes, or a sentence that says what is wrong. */
export function readAxes(text: string): readonly Axis[] | { readonly problem: string } {
  const axes: Axis[] = [];
  for (const part of parted(text)) {
    const [, key, , value] = /^\s*([A-Za-z_]\w*)\s*(=|\bin\b)\s*(\S[\s\S]*)$/u.exec(part) ?? [];
    if (key === undefined || value === undefined)
      return {
        problem: `--over takes keys with values, such as "tensor = 1..8, recompute = [none, full]", not "${part.trim()}".`,
      };
    const values = valuesIn(value.trim());
    if ('problem' in values) return { problem: `"${key}": ${values.problem}` };
    if (axes.some((axis) => axis.key === key))
      return { problem: `"${key}" is searched twice. Put its values into one list.` };
    axes.push({ key, values });
  }
  return axes;
}

/** The parts of a list at its outer commas. */
function parted(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(' || text[at] === '[') depth += 1;
    if (text[at] === ')' || text[at] === ']') depth -= 1;
    if (text[at] !== ',' || depth > 0) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part.trim() !== '');
}

function valuesIn(text: string): readonly string[] | { readonly problem: string } {
  const before = 'pipeline p {\n  key = ';
  const syntax = parse(`${before}${text}\n}\n`);
  const body = pipelineBody(syntax, 'p');
  const value = body === undefined ? undefined : valueOf(body, 'key');
  if (value === undefined || syntax.errors.length > 0 || value.end !== before.length + text.length)
    return { problem: `"${text}" is not a list such as [1, 2, 4], a range such as 1..8, or one value.` };
  return axisValues(syntax, value);
}

/** The values that an expression names, as texts: the items of a list, the numbers of a range, otherwise itself. */
export function axisValues(syntax: SyntaxFile, value: Expression): readonly string[] | { readonly problem: string } {
  if (value.kind === 'group') return axisValues(syntax, value.inner);
  if (value.kind === 'list') {
    const texts = new Set<string>();
    for (const item of value.items) {
      const found = item.kind === 'range' ? numbersOf(syntax, item) : [canonicalText(syntax, item)];
      if ('problem' in found) return found;
      for (const text of found) texts.add(text);
    }
    return texts.size === 0 ? { problem: 'its list is empty. Give it at least one value.' } : [...texts];
  }
  return value.kind === 'range' ? numbersOf(syntax, value) : [canonicalText(syntax, value)];
}

function numbersOf(
  syntax: SyntaxFile,
  range: Extract<Expression, { readonly kind: 'range' }>,
): readonly string[] | { readonly problem: string } {
  const text = canonicalText(syntax, range);
  const from = plainNumber(range.from);
  const to = plainNumber(range.to);
  const step = range.step === undefined ? 1 : plainNumber(range.step);
  if (from === undefined || to === undefined || step === undefined)
    return { problem: `the range ${text} needs plain numbers. Write a list, such as [1ms, 2ms].` };
  if (step <= 0) return { problem: `the step of the range ${text} is ${step}. It must be more than 0.` };
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  if (!(count > 0)) return { problem: `the range ${text} has no number in it.` };
  if (count > mostValues)
    return {
      problem: `the range ${text} has ${count.toLocaleString('en-US')} values, more than ${mostValues.toLocaleString('en-US')}. Give it a larger step.`,
    };
  const numbers = Array.from({ length: count }, (_, index) => Number((from + index * step).toPrecision(12)));
  const within = range.exclusive ? numbers.filter((number) => number < to) : numbers;
  return within.length === 0 ? { problem: `the range ${text} has no number in it.` } : within.map(String);
}

function plainNumber(value: Expression): number | undefined {
  if (value.kind === 'group') return plainNumber(value.inner);
  if (value.kind === 'unary') {
    const number = plainNumber(value.operand);
    return number === undefined ? undefined : -number;
  }
  return value.kind === 'quantity' && value.unit === '' ? value.value : undefined;
}
