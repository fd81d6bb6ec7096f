/** What a pipeline has already: a row that says the same writes nothing. */
import { table } from '../basics/table.ts';
import type { Block } from '../../grammar/index.ts';
import { entriesOf, valueOf } from '../fixes/source.ts';
import { literalOf } from '../language/literal.ts';
import { findUnit } from '../language/units.ts';

/** What keys of a pipeline are if the file does not write them, as the schema says it. Keys whose default follows from others are not here. */
export const usualValues: Readonly<Record<string, string>> = table({
  recompute: 'none',
  sequence_parallel: 'false',
  rank_order: 'tp_cp_dp_pp',
  place: 'by_number',
  sync: 'end',
  transfer: 'buffered',
});

/** Other names of keys: each of them says the same. */
const otherNames: Readonly<Record<string, string>> = table({ sequence_parallel: 'sequence' });

/** Whether a pipeline has this value for a key anyway: by default, or as a number in another unit, such as 5% for 0.05. */
export function hasValue(body: Block, key: string, value: string): boolean {
  const isWritten = [key, otherNames[key] ?? key].some((name) => entriesOf(body, name).length > 0);
  if (!isWritten) return Object.hasOwn(usualValues, key) && usualValues[key] === value;
  const written = literalOf(valueOf(body, key));
  const unit = written === undefined ? undefined : findUnit(written.quantity.unit);
  if (written === undefined || unit === undefined || value.trim() === '') return false;
  const sign = written.whole === written.quantity ? 1 : -1;
  return sign * written.quantity.value * unit.scale === Number(value);
}
