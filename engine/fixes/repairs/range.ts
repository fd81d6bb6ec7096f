import { parametersOf } from '../../findings/finding.ts';
import type { Block, Entry, Expression, Span, SyntaxFile, SyntaxNode } from '../../../grammar/syntax.ts';
import { callableOf, withArguments } from '../callArguments.ts';
import { entriesOf, setKey } from '../source.ts';
import { inserted, replaced, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { expressionAt, siteAt } from './site.ts';
import { clusterSizes } from './values.ts';

/** The nearest values that are allowed, in the param where the value comes from one. */
export const valueRange: Repairer = { repairs };

/** Nearest values that are tried. */
const mostValues = 8;

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const { start, end } = finding.place;
  const parameters = parametersOf(finding, 'value/range');
  const { path, entry, within } = siteAt(syntax, start);
  const value = expressionAt(path, start, end);
  if (parameters !== undefined && finding.hint?.kind === 'spelling') {
    const written = value ?? argumentAt(path, start, end);
    if (written !== undefined) yield* writtenInstead(syntax, written, parameters.what, finding.hint.suggestions);
    return;
  }
  if (parameters === undefined || value === undefined) return;
  if (finding.hint?.kind === 'insert') yield percent(syntax, value, finding.hint.text);
  if (parameters.what === 'The number of devices' && parameters.value === '0') yield* devicesOneByOne(syntax, path);
  if (finding.hint?.kind === 'value' && finding.hint.input === 'tensor' && within !== undefined)
    for (const ranks of finding.hint.values)
      yield { what: `Write tensor = ${ranks}`, edits: [setKey(syntax.text, within, 'tensor', String(ranks))] };
  if (finding.hint?.kind === 'key' && within !== undefined) {
    const { key, value: written } = finding.hint;
    yield { what: `Set ${key} = ${written}`, edits: [setKey(syntax.text, within, key, written)] };
  }
  const target = declared(syntax, value);
  const sizes = parameters.what.includes('number of stages') ? clusterSizes(analysis).map(String) : [];
  const isBatch = entry?.key.text === 'global_batch';
  // What stands in parentheses is the reason, with other numbers.
  const allowed = isBatch ? parameters.allowed.replace(/ \(.*$/, '') : parameters.allowed;
  const values = new Set([...sizes, ...nearestValues(allowed, parameters.value, target)]);
  for (const written of values) {
    const where = target === value ? '' : ` "${syntax.text.slice(value.start, value.end)}"`;
    yield { what: `Change${where} to ${written}`, edits: [replaced(target, written)] };
  }
  // A sum of arguments: the last takes the difference.
  if (value.kind === 'call') yield* balancedSum(value, Number(numbersIn(parameters.allowed)[0]));
  if (value.kind === 'binary') {
    const text = syntax.text.slice(value.left.start, value.left.end);
    yield { what: `Keep only ${text}`, edits: [replaced(value, text)] };
  }
  if (value.kind === 'range') yield* rangeEnds(syntax, value, numbersIn(parameters.allowed));
  const param = path.find((node) => node.kind === 'param');
  if (param?.kind === 'param' && param.range?.kind === 'range' && param.value?.kind === 'quantity') {
    const text = syntax.text.slice(param.value.start, param.value.end);
    yield { what: `Widen the range to ${text}`, edits: [replaced(param.range.to, text)] };
    yield { what: `Widen the range to ${text}`, edits: [replaced(param.range.from, text)] };
  }
  const microbatches = isBatch && within !== undefined ? entriesOf(within, 'microbatches')[0] : undefined;
  if (microbatches !== undefined)
    yield { what: 'Remove "microbatches"', edits: [withoutNode(syntax, microbatches)], last: true };
  if (entry !== undefined)
    yield { what: `Remove "${entry.key.text}"`, edits: [withoutNode(syntax, entry)], last: true };
}

/** The value of the argument that spans exactly these offsets. */
const argumentAt = (path: readonly SyntaxNode[], start: number, end: number): Expression | undefined =>
  path
    .flatMap((node) => (node.kind === 'call' ? node.arguments : []))
    .find((argument) => argument.start === start && argument.end === end)?.value;

/** In place of the value; or as an argument, if the value is a rule that has another one by default. */
function* writtenInstead(
  { text }: SyntaxFile,
  value: Expression,
  what: string,
  suggestions: readonly string[],
): Generator<Repair> {
  const argument = /^"(\w+)" of /.exec(what)?.[1];
  const rule = callableOf(value);
  for (const written of suggestions) {
    if (argument === undefined) yield { what: `Change to ${written}`, edits: [replaced(value, written)] };
    else if (rule !== undefined)
      yield {
        what: `Write ${argument} = ${written}`,
        edits: [withArguments(text, rule, { [argument]: written }, ({ name }) => name?.text)],
      };
  }
}

/** `gpu[0] = x  gpu[1] = x`: one entry for all of them, or a range for each. */
function* devicesOneByOne({ text }: SyntaxFile, path: readonly SyntaxNode[]): Generator<Repair> {
  const block = path.findLast((node): node is Block => node.kind === 'body');
  const entries = (block?.entries ?? []).filter(
    (entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'gpu',
  );
  const indices = entries.map(({ index }) => index?.[0]);
  const devices = entries.map(({ values }) => text.slice(values?.[0]?.start ?? 0, values?.[0]?.end ?? 0));
  const [first] = indices;
  if (first === undefined || !indices.every((index, at) => index?.kind === 'quantity' && index.value === at)) return;
  if (new Set(devices).size === 1)
    yield {
      what: `Write gpu[${entries.length}] = ${devices[0]}`,
      edits: [
        replaced(first, String(entries.length)),
        ...entries.slice(1).map(({ end }, at) => ({ start: entries[at].end, end, text: '' })),
      ],
    };
  yield {
    what: 'Write a range for each device',
    edits: indices.map((index, at) => (index === undefined ? undefined : replaced(index, `${at}..${at}`))),
  };
}

/** A name stands for the value of its `param` or `let`. */
function declared(syntax: SyntaxFile, value: Expression): Expression {
  if (value.kind !== 'name') return value;
  for (const each of syntax.declarations)
    if ((each.kind === 'param' || each.kind === 'let') && each.name?.text === value.text && each.value !== undefined)
      return each.value;
  return value;
}

/** A number that was meant as percent. */
export const percent = ({ text }: SyntaxFile, { start, end }: Span, unit: string): Repair => ({
  what: `Change to ${text.slice(start, end)}${unit}`,
  edits: [inserted(end, unit)],
});

/** Numbers with their units in a sentence: `from 0 % to 100 %` as `0%`, `100%`. */
const numbersIn = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /[−-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?:\s?(?:%|[KMGTP]i?B(?:\/s)?|B(?:\/s)?|[mµun]?s|min|h|[KMGTP]?FLOPS?|\/s))?(?![A-Za-z])/g,
    ),
  ].map(([found]) => found.replaceAll(',', '').replace(/\s/g, '').replace('−', '-'));

function nearestValues(allowed: string, now: string, target: Expression): readonly string[] {
  const bounds = numbersIn(allowed);
  const [current] = numbersIn(now);
  const distance = (text: string): number => Math.abs(Number.parseFloat(text) - Number.parseFloat(current ?? '0'));
  const out = new Set<string>();
  const plain =
    target.kind === 'quantity'
      ? target.value
      : target.kind === 'unary' && target.operand.kind === 'quantity'
        ? -target.operand.value
        : undefined;
  const unit =
    target.kind === 'quantity'
      ? target.unit
      : target.kind === 'unary' && target.operand.kind === 'quantity'
        ? target.operand.unit
        : '';
  if (plain !== undefined && !Number.isInteger(plain) && allowed.includes('whole'))
    for (const whole of [Math.round(plain), Math.floor(plain), Math.ceil(plain)]) out.add(`${whole}${unit}`);
  if (plain !== undefined && plain < 0) out.add(`${-plain}${unit}`);
  const near = /; nearest: (.*)$/.exec(allowed);
  if (near !== null) return numbersIn(near[1]);
  // A count that must divide something: the nearest ones are tried, and no number of the sentence is a bound.
  if (plain !== undefined && allowed.includes(' that fits ') && Number.isInteger(plain))
    return Array.from({ length: mostValues }, (_, at) => plain + ((at >> 1) + 1) * (at % 2 === 0 ? -1 : 1))
      .filter((near) => near > 0)
      .map(String);
  for (const text of bounds.toSorted((a, b) => distance(a) - distance(b))) {
    if (new RegExp(`over ${text.replace('%', ' ?%')}(?![\\d.])`).test(allowed)) {
      // The bound itself is not allowed.
      if (distance(text) === 0 || Number.parseFloat(current ?? '0') < Number.parseFloat(text)) out.add(`1${unit}`);
    } else out.add(text);
  }
  if (allowed.includes('other than 0') || allowed.includes('finite')) out.add('1');
  return [...out].slice(0, mostValues);
}

/** `split(2, 2, 2)` of eight layers: the last number takes the difference, or another one is added. */
function* balancedSum(call: Expression & { kind: 'call' }, wanted: number): Generator<Repair> {
  const sizes = call.arguments.map(({ value }) => (value.kind === 'quantity' ? value.value : Number.NaN));
  const sum = sizes.reduce((total, size) => total + size, 0);
  if (!Number.isSafeInteger(sum) || !Number.isSafeInteger(wanted) || wanted < sizes.length) return;
  const write = (parts: readonly number[]): Repair => {
    const text = `${call.callee.text}(${parts.join(', ')})`;
    return { what: `Write ${text}`, edits: [replaced(call, text)] };
  };
  const even = sizes.map(
    (_, index) => Math.floor((wanted * (index + 1)) / sizes.length) - Math.floor((wanted * index) / sizes.length),
  );
  // Two layers more are most often an embedding and a head.
  if (wanted - sum === 2 && sizes.length > 1)
    yield write(sizes.map((size, index) => (index === 0 || index === sizes.length - 1 ? size + 1 : size)));
  yield write(even);
  for (const index of [sizes.length - 1, 0]) {
    const size = sizes[index] + wanted - sum;
    if (size > 0) yield write(sizes.with(index, size));
  }
  if (call.callee.text === 'split')
    yield { what: `Use balance(${sizes.length})`, edits: [replaced(call, `balance(${sizes.length})`)] };
}

/** The ends of a range, the one out of bounds moved into them; or both exchanged. */
function* rangeEnds(
  { text }: SyntaxFile,
  range: Expression & { kind: 'range' },
  bounds: readonly string[],
): Generator<Repair> {
  const [from, to] = [text.slice(range.from.start, range.from.end), text.slice(range.to.start, range.to.end)];
  yield { what: `Exchange ${from} and ${to}`, edits: [replaced(range.from, to), replaced(range.to, from)] };
  for (const bound of bounds) {
    yield { what: `Start at ${bound}`, edits: [replaced(range.from, bound)] };
    yield { what: `End at ${bound}`, edits: [replaced(range.to, bound)] };
  }
}
