import { parametersOf } from '../../findings/finding.ts';
import { replaced, withoutItem, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** A name that is free for the second declaration; or one of the two less. */
export const nameDuplicate: Repairer = { repairs };

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const parameters = parametersOf(finding, 'name/duplicate');
  if (parameters === undefined) return;
  const { name, kind } = parameters;
  const { start, end } = finding.place;
  const isWritten = syntax.text.slice(start, end) === name;
  const { path, entry } = siteAt(syntax, start);
  const inImport = path.findLast((node) => node.kind === 'import');
  if (inImport?.kind === 'import') {
    const index = inImport.names?.findIndex((each) => each.start === start) ?? -1;
    if (index >= 0 && inImport.names !== undefined && inImport.names.length > 1)
      yield { what: `Remove "${name}" from the import`, edits: [withoutItem(inImport.names, index)] };
    else yield { what: 'Remove the import', edits: [withoutNode(syntax, inImport)] };
  } else if (kind === 'worker') {
    const values = entry?.values ?? [];
    yield {
      what: `Remove the second "${name}"`,
      edits: [
        withoutItem(
          values,
          values.findIndex((value) => value.start === start),
        ),
      ],
    };
  } else if (isWritten && kind === 'search') {
    // Its name is the one of its pipeline.
    yield removal(syntax, start, 'Remove the second search');
  } else if (isWritten) {
    yield {
      what: `Rename to "${freeName(syntax.tokens, name)}"`,
      edits: [replaced(finding.place, freeName(syntax.tokens, name))],
    };
    yield removal(syntax, start, `Remove the second ${kind} "${name}"`);
  }
  const first = finding.related.find(({ place }) => place.uri === analysis.uri)?.place;
  if (first !== undefined && kind !== 'worker')
    yield removal(
      syntax,
      first.start,
      kind === 'search' ? 'Remove the first search' : `Remove the first ${kind} "${name}"`,
    );
}

function removal(syntax: Parameters<typeof withoutNode>[0], at: number, what: string): Repair | undefined {
  const { path } = siteAt(syntax, at);
  const node = path.findLast(({ kind }) => kind === 'entry' || kind === 'block' || kind === 'let' || kind === 'param');
  return node === undefined || node.kind === 'file'
    ? undefined
    : { what, edits: [withoutNode(syntax, node)], last: true };
}

/** `small_2`, `small_3`, …: the first that no token of the file has. */
function freeName(tokens: readonly { readonly text: string }[], name: string): string {
  const taken = new Set(tokens.map(({ text }) => text));
  const stem = name.replace(/_\d+$/, '');
  let number = 2;
  while (taken.has(`${stem}_${number}`)) number += 1;
  return `${stem}_${number}`;
}
