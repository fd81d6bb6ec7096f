import { parametersOf } from '../../findings/finding.ts';
import { walk } from '../../../grammar/index.ts';
import type { Declaration, Entry, SyntaxFile, SyntaxNode } from '../../../grammar/syntax.ts';
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
  if (entry?.kind === 'entry') {
    yield { what: `Remove "${entry.key.text}"`, edits: [withoutNode(syntax, entry)] };
    if (entry.key.text === 'from') yield* withoutBase(syntax, entry, circle);
    return;
  }
  let left = mostReferences;
  for (const declaration of syntax.declarations) {
    if (!isMember(declaration, circle)) continue;
    for (const reference of references(declaration, circle)) {
      if (left <= 0) return;
      left -= 1;
      const where = declaration.name === undefined ? '' : ` in "${declaration.name.text}"`;
      for (const value of numbers)
        yield {
          what: `Write ${value} for "${reference.text}"${where}`,
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

const isMember = (
  declaration: Declaration,
  circle: ReadonlySet<string>,
): declaration is Declaration & { kind: 'let' | 'param' } =>
  (declaration.kind === 'let' || declaration.kind === 'param') && circle.has(declaration.name?.text ?? '');

function references(declaration: Declaration & { kind: 'let' | 'param' }, circle: ReadonlySet<string>) {
  const found: (SyntaxNode & { kind: 'name' })[] = [];
  const parts =
    declaration.kind === 'let' ? [declaration.value] : [declaration.value, declaration.range, declaration.step];
  for (const part of parts) {
    if (part !== undefined)
      walk(part, (node) => void (node.kind === 'name' && circle.has(node.text) && found.push(node)));
  }
  return found;
}
