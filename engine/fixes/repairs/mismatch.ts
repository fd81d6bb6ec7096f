import { parametersOf } from '../../findings/finding.ts';
import type { Entry, Expression } from '../../../grammar/syntax.ts';
import { inModel } from './carriedOver.ts';
import { clusterOf } from './deviceForCluster.ts';
import { divisors } from './divisor.ts';
import { replaced, withoutItem, withoutNode } from './edits.ts';
import { hostLink } from './hostLink.ts';
import { setNodesOf } from '../nodeCount.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { countingTo, takingOver } from './scheduleSlips.ts';
import { expressionAt, siteAt, type Site } from './site.ts';
import { valuesFor } from './values.ts';
import { unitsLike } from '../../language/units.ts';
import { findFunction } from '../../language/functions.ts';
import { dimensionIn } from '../../language/schema.ts';

/** The same value in another form, a word or name that fits, or without the entry. */
export const typeMismatch: Repairer = { repairs };

function* repairs(mistake: Mistake): Generator<Repair | undefined> {
  const { analysis, finding } = mistake;
  if (finding.hint?.kind === 'host') return yield* hostLink(mistake, finding.hint.device);
  if (finding.hint?.kind === 'divisor') return yield* divisors(mistake, finding.hint);
  yield takingOver(mistake);
  const { syntax } = analysis;
  const { start, end } = finding.place;
  const site = siteAt(syntax, start);
  const { path, entry } = site;
  const value = expressionAt(path, start, end);
  const text = syntax.text.slice(start, end);
  for (const written of value === undefined ? [] : conversions(value, text, site))
    if (written !== '' && written !== text)
      yield { what: `Write ${short(written)}`, edits: [replaced(finding.place, written)], group: 'converted' };
  if (value?.kind === 'index') yield counted(mistake, value);
  // `sequence = 8192` of a pipeline, whose key says whether there is sequence parallelism.
  if (value?.kind === 'quantity' && entry?.key.text === 'sequence' && site.within !== undefined)
    yield inModel(syntax, site.within, entry, 'sequence', text);
  const { expected = '', found = '' } = parametersOf(finding, 'type/mismatch') ?? {};
  if (expected.startsWith('a cluster') && found.startsWith('the device')) return yield* clusterOf(mistake);
  // `row(last)`: the message ends with what to write.
  const single =
    value?.kind === 'name' && entry?.key.text === 'row' ? /`row\(([^`]+)\)`$/.exec(expected)?.[1] : undefined;
  if (single !== undefined && entry?.parameters?.[0] === value)
    yield { what: `Write row(${single})`, edits: [replaced(finding.place, single)] };
  if (value !== undefined) {
    yield countingTo(mistake, value);
    // A message quotes what it expects: `balance(4)`.
    for (const [, written] of expected.matchAll(/`([^`…]+)`/g))
      if (written !== undefined && !/^[A-Z]+\b.*=/.test(written))
        yield { what: `Write ${written}`, edits: [replaced(finding.place, written)] };
    const argument = path.findLast((node) => node.kind === 'call' || node.kind === 'index' || node.kind === 'list');
    const isWhole = entry?.values?.some((each) => each.start === start && each.end === end) === true;
    if (isWhole)
      for (const fitting of valuesFor(analysis, site, 4))
        yield { what: `Write ${fitting}`, edits: [replaced(finding.place, fitting)] };
    if (argument?.kind === 'call' || argument?.kind === 'index' || argument?.kind === 'list') {
      const items = argument.kind === 'list' ? argument.items : argument.arguments;
      const at = items.findIndex((item) => item.start <= start && end <= item.end);
      if (at >= 0)
        yield {
          what: `Remove ${short(syntax.text.slice(items[at].start, items[at].end))}`,
          edits: [withoutItem(items, at)],
          last: true,
        };
    }
  }
  if (entry === undefined) {
    const check = path.findLast((node) => node.kind === 'check');
    if (check !== undefined && check.kind === 'check')
      yield { what: 'Remove the comparison', edits: [withoutNode(syntax, check)], last: true };
    return;
  }
  const values = entry.values ?? [];
  const at = values.findIndex((each) => each.start <= start && end <= each.end);
  if (values.length > 1 && at > 0)
    yield {
      what: `Keep the first value only`,
      edits: [{ start: values[0].end, end: values[values.length - 1].end, text: '' }],
    };
  yield* otherForms(mistake, entry, site);
  if (values.length > 1 && at >= 0)
    yield { what: `Remove ${short(text)}`, edits: [withoutItem(values, at)], last: true };
  yield { what: `Remove "${entry.key.text}"`, edits: [withoutNode(syntax, entry)], last: true };
}

/** `dgx_h100[8]` as eight nodes of the cluster. */
function counted(
  { analysis, finding }: Mistake,
  { target, arguments: given }: Expression & { kind: 'index' },
): Repair | undefined {
  const info = [...analysis.resolution.symbols.symbols.values()].find(
    ({ kind, name }) => kind === 'cluster' && name === target.text,
  );
  const nodes = given[0]?.value;
  if (info === undefined || given.length !== 1 || nodes?.kind !== 'quantity' || nodes.unit !== '') return undefined;
  const set = setNodesOf(analysis.syntax, info);
  if (set === undefined) return undefined;
  return {
    what: `Give "${target.text}" ${nodes.value} nodes`,
    edits: [set(nodes.value), replaced(finding.place, target.text)],
  };
}

/** The same value, written as another kind. */
function* conversions(value: Expression, text: string, { entry, key }: Site): Generator<string> {
  if (value.kind === 'string') {
    const inner = value.value.trim();
    yield inner;
    yield inner.replace(/^([\d.]+)\s+([A-Za-zµ%/]+)$/, '$1$2');
    const [, digits, unit] = /^([\d.]+)\s*([A-Za-zµ%/]*)$/.exec(inner) ?? [];
    const dimension = key === undefined ? undefined : dimensionIn(key.value, 'first');
    if (digits !== undefined && unit !== undefined)
      for (const name of unitsLike(unit, dimension)) yield `${digits}${name}`;
  }
  if (value.kind === 'list') {
    yield value.items.map((item) => text.slice(item.start - value.start, item.end - value.start)).join(', ');
    const [first] = value.items;
    if (first !== undefined) yield text.slice(first.start - value.start, first.end - value.start);
  }
  if (value.kind === 'name' || value.kind === 'index') yield `"${text}"`;
  if (value.kind === 'quantity' && value.unit === '') {
    if (entry?.key.text === 'stages') yield `balance(${text})`;
    if (value.value === 0) yield 'false';
    if (value.value === 1) yield 'true';
  }
  if (value.kind === 'quantity' && entry?.key.text === 'reserved') yield 'framework';
  if (value.kind === 'range') yield text.slice(value.from.start - value.start, value.from.end - value.start);
  if (value.kind === 'call') {
    const [first] = value.arguments;
    // `each(j = 0..<n, …)`
    if (value.callee.text === 'each' && first?.name !== undefined && first.binds !== true)
      yield `${text.slice(0, first.name.end - value.start)} in ${text.slice(first.value.start - value.start)}`;
    const given = value.arguments.map(({ start, end }) => text.slice(start - value.start, end - value.start));
    // The number is the first argument of `take`, `drop` and `repeat`.
    if (given.length > 1 && findFunction('operations', value.callee.text) !== undefined)
      yield `${value.callee.text}(${[...given.slice(-1), ...given.slice(0, -1)].join(', ')})`;
    yield value.callee.text;
    if (first !== undefined) yield text.slice(first.value.start - value.start, first.value.end - value.start);
  }
  if (value.kind === 'binary' && /[<>=!]=?/.test(value.operator))
    yield text.slice(value.right.start - value.start, value.right.end - value.start);
  yield `[${text}]`;
}

/** An entry in a form that its key takes: `stage a = x` as a block, `gpu = small` with a count. */
function* otherForms({ analysis }: Mistake, entry: Entry, { key }: Site): Generator<Repair> {
  if (key === undefined) return;
  const { text } = analysis.syntax;
  const [first] = entry.values ?? [];
  const last = entry.values?.at(-1);
  const values = first === undefined || last === undefined ? '' : text.slice(first.start, last.end);
  const name = entry.name?.text ?? '';
  const write = (written: string): Repair => ({ what: `Write ${short(written)}`, edits: [replaced(entry, written)] });
  if (values !== '') {
    if (key.forms.includes('value')) yield write(`${key.name} = ${values}`);
    if (key.forms.includes('indexed')) yield write(`${key.name}[1] = ${values}`);
    if (key.forms.includes('named') && name !== '') yield write(`${key.name} ${name} = ${values}`);
    if (key.forms.includes('call') && entry.index?.length === 1)
      yield write(`${key.name}(${text.slice(entry.index[0].start, entry.index[0].end)}) = ${values}`);
    if (key.forms.includes('call')) yield write(`${key.name}(${name === '' ? 's' : name}) = ${values}`);
    if (key.forms.includes('block') && key.block === 'stage')
      yield write(`stage ${name || 'first'} { layers = ${values} }`);
  }
  if (key.forms.includes('value') && (entry.values === undefined || values === '')) {
    for (const value of valuesFor(analysis, { key }, 3)) yield write(`${key.name} = ${value}`);
  }
  const example = key.example.replace(/\s+/g, ' ');
  // The example of a layer in place of one that is written would be another model.
  if (key.name !== 'layer' && !example.includes('…')) yield { ...write(example), last: true };
}

const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
