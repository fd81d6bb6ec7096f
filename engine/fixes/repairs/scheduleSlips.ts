/** Slips in the text of a schedule, each of which has one certain change. */
import type {
  Argument,
  Block,
  Call,
  Entry,
  Expression,
  Index,
  SyntaxFile,
  SyntaxNode,
} from '../../../grammar/syntax.ts';
import { walk } from '../../../grammar/walk.ts';
import type { Edit } from '../proposal.ts';
import { inserted, replaced } from './edits.ts';
import type { Mistake, Repair } from './repair.ts';
import { siteAt } from './site.ts';

const textOf = ({ text }: SyntaxFile, { start, end }: { readonly start: number; readonly end: number }): string =>
  text.slice(start, end);

/** `if(d = 0, …)` compares with `==`. */
export function comparing({ text }: SyntaxFile, { callee }: Call, { name, value }: Argument): Repair | undefined {
  if (callee.text !== 'if' || name === undefined || value.kind === 'missing') return undefined;
  return {
    what: `Write ${name.text} == …`,
    edits: [replaced({ start: name.end, end: value.start }, gapped(text, name.end))],
  };
}

/** `==` between spaces, unless there are none around `=`. */
const gapped = (text: string, at: number): string => (text[at] === ' ' ? ' == ' : '==');

/** `warm(d) = 3` names a value: `let warm(d) = 3`. */
export function naming({ key, values, parameters, name }: Entry): Repair | undefined {
  if (values === undefined || name !== undefined) return undefined;
  return {
    what: `Write let ${key.text}${parameters === undefined ? '' : '(…)'} = …`,
    edits: [inserted(key.start, 'let ')],
  };
}

/** `F(0..3)`: operations have brackets. */
export function bracketing({ analysis: { syntax }, finding }: Mistake): Repair | undefined {
  const { path } = siteAt(syntax, finding.place.start);
  const call = path.findLast((node): node is Call => node.kind === 'call' && node.start === finding.place.start);
  if (call === undefined) return undefined;
  const given = textOf(syntax, { start: call.callee.end + 1, end: call.end - 1 });
  return { what: `Write ${call.callee.text}[…]`, edits: [replaced(call, `${call.callee.text}[${given}]`)] };
}

/** `after = F[j]`: the entry has the parameter `j`, `after(j) = F[j]`. `write`: what it is to be. */
export function parametrised({ analysis: { syntax }, finding }: Mistake, write: string): Repair | undefined {
  const { entry } = siteAt(syntax, finding.place.start);
  if (entry === undefined || !write.startsWith(`${entry.key.text}(`)) return undefined;
  const name = textOf(syntax, finding.place);
  const last = entry.parameters?.at(-1);
  return {
    what: `Write ${write}`,
    edits: [last === undefined ? inserted(entry.key.end, `(${name})`) : inserted(last.end, `, ${name}`)],
  };
}

/** `order = zb_h1` takes over a schedule: `from = zb_h1`. */
export function takingOver({ analysis: { syntax }, finding }: Mistake): Repair | undefined {
  const { entry } = siteAt(syntax, finding.place.start);
  if (entry?.key.text !== 'order' || finding.hint?.kind !== 'take-over') return undefined;
  return { what: `Write from = ${textOf(syntax, finding.place)}`, edits: [replaced(entry.key, 'from')] };
}

/** A schedule with nothing but `row(0)`: the row of all devices. */
export function rowOfAll({ entries }: Block): Repair | undefined {
  const rows = entries.filter((entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'row');
  const [device] = rows[0]?.parameters ?? [];
  if (rows.length !== 1 || device?.kind !== 'quantity') return undefined;
  return { what: 'Write row(d), for all devices', edits: [replaced(device, 'd')] };
}

/** `F[0..microbatches]` runs one microbatch too many: `F[0..<microbatches]`. */
export function endingBefore(within: SyntaxNode): Repair | undefined {
  const edits: Edit[] = [];
  walk(within, (node) => {
    if (node.kind !== 'range' || node.exclusive || node.step !== undefined) return;
    if (node.to.kind === 'name' && node.to.text === 'microbatches')
      edits.push(replaced({ start: node.from.end, end: node.to.start }, '..<'));
  });
  return edits.length === 0 ? undefined : { what: 'Write ..<microbatches', edits };
}

/** `F[1..microbatches]` counts from 1: `F[0..<microbatches]`. The last one first: `F[microbatches-1..0 step -1]`. */
export function countingFromZero(within: SyntaxNode): Repair | undefined {
  const edits: Edit[] = [];
  const isAll = (node: Expression): boolean => node.kind === 'name' && node.text === 'microbatches';
  const isOne = (node: Expression): boolean => node.kind === 'quantity' && node.unit === '' && node.value === 1;
  walk(within, (node) => {
    if (node.kind !== 'range' || node.exclusive) return;
    const { from, to } = node;
    if (isOne(from) && isAll(to)) edits.push(replaced(from, '0'), replaced({ start: from.end, end: to.start }, '..<'));
    else if (isAll(from) && isOne(to)) edits.push(replaced(from, 'microbatches-1'), replaced(to, '0'));
  });
  return edits.length === 0 ? undefined : { what: 'Count microbatches from 0', edits };
}

/** The operations of a kind for all microbatches, at the end of each row. */
export function addingToRows({ entries }: Block, operations: string): Repair | undefined {
  const rows = entries.filter((entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'row');
  const ends = rows.flatMap(({ values = [] }) => values.at(-1)?.end ?? []);
  return ends.length === 0
    ? undefined
    : {
        what: `Add ${operations} to the ${ends.length === 1 ? 'row' : 'rows'}`,
        edits: ends.map((end) => inserted(end, `, ${operations}`)),
      };
}

/** `F[0, microbatches]` names the ends of a range: `F[0..<microbatches]`. */
export function countingTo({ analysis: { syntax } }: Mistake, value: Expression): Repair | undefined {
  const { path } = siteAt(syntax, value.start);
  const index = path.findLast((node): node is Index => node.kind === 'index');
  const [first, second] = index?.arguments ?? [];
  if (
    index?.arguments.length !== 2 ||
    second?.value !== value ||
    first?.name !== undefined ||
    second.name !== undefined
  )
    return undefined;
  const [from, to] = [textOf(syntax, first), textOf(syntax, second)];
  return {
    what: `Write ${from}..${value.kind === 'quantity' ? '' : '<'}${to}`,
    edits: [replaced({ start: first.end, end: second.start }, value.kind === 'quantity' ? '..' : '..<')],
  };
}
