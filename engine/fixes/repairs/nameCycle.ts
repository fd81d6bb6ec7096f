import { parametersOf } from '../../findings/finding.ts';
import { walk } from '../../../grammar/index.ts';
import type { BlockItem, Declaration, Entry, SyntaxFile, SyntaxNode } from '../../../grammar/syntax.ts';
import { replaced, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** One reference of the circle less: a number in its place, or without the import that closes it. */
export const nameCycle: Repairer = { repairs };

const mostReferences = 4;
/** Values in place of a reference, until one has the dimension that is needed. */
const numbers = ['1', '1ms', '1GiB', '1GB/s', '1TFLOPS', '1GFLOP', '50%'];

function* repairs({ analysis, finding }: Mistake): Generator<Repair> {
  const { syntax } = analysis;
  const circle = new Set(parametersOf(finding, 'name/cycle')?.circle);
  const { path } = siteAt(syntax, finding.place.start);
  const holder = path.find((node) => node.kind === 'import');
  if (holder?.kind === 'import') {
    yield { what: 'Remove the import', edits: [withoutNode(syntax, holder)] };
    return;
  }
  const entry = path.findLast((node) => node.kind === 'entry');
  const body = path.findLast((node) => node.kind === 'body');
  if (entry?.kind === 'entry' && entry.name !== undefined && body?.kind === 'body') {
    yield* numbersFor(namedIn(body.entries), circle);
    return;
  }
  if (entry?.kind === 'entry') {
    yield { what: `Remove "${entry.key.text}"`, edits: [withoutNode(syntax, entry)] };
    if (entry.key.text === 'from') yield* withoutBase(syntax, entry, circle);
    return;
  }
  yield* numbersFor(namedIn(syntax.declarations), circle);
}

/** A number in the place of each reference. */
function* numbersFor(declared: readonly Named[], circle: ReadonlySet<string>): Generator<Repair> {
  let left = mostReferences;
  for (const declaration of declared) {
    if (!circle.has(declaration.name?.text ?? '')) continue;
    for (const reference of references(declaration, circle)) {
      if (left <= 0) return;
      left -= 1;
      const where = declaration.name === undefined ? '' : ` in "${declaration.name.text}"`;
      for (const value of numbers)
        yield {
          what: `Write ${value} for "${nameOf(reference)}"${where}`,
          edits: [replaced(reference, value)],
          group: String(reference.start),
        };
    }
  }
}

/** Another member of the circle may be the one that needs no `from`: a device that says its memory. */
function* withoutBase(syntax: SyntaxFile, known: Entry, circle: ReadonlySet<string>): Generator<Repair> {
  let left = mostReferences;
  for (const declaration of syntax.declarations) {
    if (declaration.kind !== 'block' || !circle.has(declaration.name?.text ?? '')) continue;
    const from = declaration.body?.entries.find((item) => item.kind === 'entry' && item.key.text === 'from');
    if (from === undefined || from.start === known.start) continue;
    if (left <= 0) return;
    left -= 1;
    yield { what: `Remove "from" of "${declaration.name?.text ?? ''}"`, edits: [withoutNode(syntax, from)] };
  }
}

/** A number by name: of the file, or an entry of a schedule. */
type Named = Extract<Declaration, { readonly kind: 'let' | 'param' }> | Entry;

const namedIn = (nodes: readonly (Declaration | BlockItem)[]): readonly Named[] =>
  nodes.filter(
    (node): node is Named =>
      node.kind === 'let' || node.kind === 'param' || (node.kind === 'entry' && /^(?:let|param)$/.test(node.key.text)),
  );

const nameOf = (reference: Reference): string => (reference.kind === 'name' ? reference.text : reference.callee.text);

type Reference = Extract<SyntaxNode, { readonly kind: 'name' | 'call' }>;

/** Names of the circle in a declaration, each with its arguments if it has any. */
function references(declaration: Named, circle: ReadonlySet<string>): readonly Reference[] {
  const found: Reference[] = [];
  const values = declaration.kind === 'entry' ? (declaration.values ?? []) : [declaration.value];
  const ends = declaration.kind === 'let' ? [] : [declaration.range, declaration.step];
  for (const part of [...values, ...ends]) {
    if (part === undefined) continue;
    walk(part, (node) => {
      if (node.kind === 'call' && circle.has(node.callee.text)) {
        found.push(node);
        return false;
      }
      if (node.kind === 'name' && circle.has(node.text)) found.push(node);
      return true;
    });
  }
  return found;
}
