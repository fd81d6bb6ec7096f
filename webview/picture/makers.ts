import { resultRowOf } from '../../engine/values/program.ts';
import type { Timing } from '../../engine/values/timeline.ts';
import type { Columns } from './columns.ts';

const known = new WeakMap<Columns, Int32Array>();

/**
 * Block of each result (see `resultRow`), by result row × microbatches + microbatch; −1 where there is none. Found when it is asked for:
 * drawing needs none.
 */
export function makersOf(columns: Columns, { duration }: Pick<Timing, 'duration'>): Int32Array {
  const kept = known.get(columns);
  if (kept !== undefined) return kept;
  const { word, shift, stages, microbatches } = columns;
  const result = Int32Array.from(duration, (_, row) => resultRowOf(stages, row));
  // One kind of results fewer than kinds of rows: B and I make the same.
  const maker = new Int32Array((duration.length - stages) * microbatches).fill(-1);
  const mask = (1 << shift) - 1;
  for (let block = 0; block < word.length; block += 1) {
    const code = word[block];
    if (code < 0) continue;
    maker[result[code >> shift] * microbatches + (code & mask)] = block;
  }
  known.set(columns, maker);
  return maker;
}
