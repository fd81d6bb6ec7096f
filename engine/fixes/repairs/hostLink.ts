import type { BlockDeclaration, Name } from '../../../grammar/syntax.ts';
import { walk } from '../../../grammar/walk.ts';
import { findKey } from '../../language/schema.ts';
import { replaced, withDeclaration, withEntry } from './edits.ts';
import type { Mistake, Repair } from './repair.ts';

/** A link to the host for a device: in the device itself, or in a new one that takes over an imported one. */
export function* hostLink({ analysis: { syntax } }: Mistake, device: string): Generator<Repair> {
  const key = findKey('device', 'host')?.example ?? '';
  const blocks = syntax.declarations.filter((each): each is BlockDeclaration => each.kind === 'block');
  const body = blocks.find(({ keyword, name }) => keyword.text === 'device' && name?.text === device)?.body;
  if (body !== undefined) {
    yield { what: `Add ${key} to device "${device}"`, edits: [withEntry(syntax.text, body, key)] };
    return;
  }
  const uses = blocks.filter(({ keyword }) => keyword.text === 'cluster').flatMap((block) => namesIn(block, device));
  const [first] = uses;
  if (first === undefined) return;
  const made = `${device}_host`;
  yield {
    what: `Declare device ${made} { from = ${device}  ${key} } and use it`,
    edits: [
      withDeclaration(syntax, first.start, `device ${made} { from = ${device}  ${key} }`),
      ...uses.map((use) => replaced(use, made)),
    ],
  };
}

/** Places in the values of a block where a name is written. */
function namesIn(block: BlockDeclaration, text: string): readonly Name[] {
  const found: Name[] = [];
  walk(block, (node) => {
    if (node.kind !== 'entry') return;
    for (const value of node.values ?? []) if (value.kind === 'name' && value.text === text) found.push(value);
  });
  return found;
}
