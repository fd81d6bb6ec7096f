/** Entries under other names that mean the same key: the file says twice what only one of them can say. */
import type { Block, Entry } from '../../../grammar/syntax.ts';
import { elsewhereMeant, keyMeant } from '../../language/otherNames.ts';
import { type BlockName, findKey, keysOf } from '../../language/schema.ts';
import { nearest } from '../../basics/spelling.ts';

/** Unknown keys of a body that are looked at: a long list of them would make each fix slow. */
const mostLookedAt = 50;

/** Whether another unknown key of the body means `key`: a misspelling of it, or its name in another program. */
export const hasMisspelled = (block: BlockName, body: Block, entry: Entry, key: string): boolean =>
  unknownBeside(block, body, entry).some((name) => (keyMeant(block, name) ?? nearestKey(block, name)) === key);

/** Whether another unknown key of a pipeline has its value in the same place as this one, such as `zero` and `fsdp`. */
export function hasSameElsewhere(body: Block, entry: Entry): boolean {
  const place = placeMeant(entry.key.text);
  return place !== undefined && unknownBeside('pipeline', body, entry).some((name) => placeMeant(name) === place);
}

const nearestKey = (block: BlockName, name: string): string | undefined => nearest(name, keysOf(block).keys());

function placeMeant(name: string): string | undefined {
  const place = elsewhereMeant(name);
  return place?.kind === 'model' ? place.key : place?.kind;
}

const unknownBeside = (block: BlockName, body: Block, entry: Entry): readonly string[] =>
  body.entries
    .filter((each): each is Entry => each.kind === 'entry' && each !== entry)
    .map(({ key }) => key.text)
    .filter((name) => findKey(block, name) === undefined)
    .slice(0, mostLookedAt);
