/** What keys of a pipeline are if the file does not write them: a row that has this value writes nothing. */
import type { Block } from '../../grammar/index.ts';
import { entriesOf } from '../fixes/source.ts';

/** As the schema describes their defaults. Keys whose default follows from others are not here. */
export const usualValues: Readonly<Record<string, string>> = {
  recompute: 'none',
  sequence_parallel: 'false',
  context_exchange: 'ring',
  rank_order: 'tp_cp_dp_pp',
  place: 'by_number',
  sync: 'end',
  transfer: 'buffered',
};

/** Other names of keys: each of them says the same. */
const otherNames: Readonly<Record<string, string>> = { sequence_parallel: 'sequence' };

/** Whether a pipeline that lacks a key has this value anyway. */
export function isUsual(body: Block, key: string, value: string): boolean {
  if (!Object.hasOwn(usualValues, key) || usualValues[key] !== value) return false;
  return [key, otherNames[key] ?? key].every((name) => entriesOf(body, name).length === 0);
}
