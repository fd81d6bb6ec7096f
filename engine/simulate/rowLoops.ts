/** The loops that run once for each operation, over one set of tables. Nothing else may fill the tables before a loop is over. */
import type { Program } from '../values/program.ts';
import type { Timing } from '../values/timeline.ts';
import { drawnPassOver, type Factors, type KeyedOrder } from './drawnPass.ts';
import { firstPassOver } from './firstPass.ts';
import { laterPassOver } from './laterPass.ts';
import { emptyTables, endsAndAlways, fillRows } from './rowTables.ts';

const tables = emptyTables();
const firstPass = firstPassOver(tables);
const laterPass = laterPassOver(tables);
const drawnPass = drawnPassOver(tables);

/**
 * Ends of all operations, and how many operations each row has. Undefined if the tables have no room for what rows need, or if
 * visits find no order. An operation that ends at 0 looks as if it were to come, so there is no order for it either.
 */
export function endsOfFirstPass(
  program: Program,
  timing: Timing,
): { readonly end: Float64Array; readonly count: Int32Array } | undefined {
  if (!fillRows(tables, program, timing)) return undefined;
  const { end, all } = endsAndAlways(program);
  return firstPass(program, all) ? { end, count: tables.count.subarray(0, timing.duration.length) } : undefined;
}

/** The same for operations that come in an order in which they can start. `over` as `simulate` has it. */
export function endsInOrder(
  program: Program,
  timing: Timing,
  words: Int32Array,
  over?: Float64Array,
): Float64Array | undefined {
  if (!fillRows(tables, program, timing)) return undefined;
  const { end, all } = endsAndAlways(program, over);
  laterPass(words, program.shift, all);
  return end;
}

/** The last end of each device in a draw. `all`: ends, with those that are always there. */
export function lastEndsOfDraw(
  program: Program,
  timing: Timing,
  order: KeyedOrder,
  { factors, draw, all }: { readonly factors: Factors; readonly draw: number; readonly all: Float64Array },
): Float64Array | undefined {
  if (!fillRows(tables, program, timing)) return undefined;
  drawnPass(order, factors, draw, all);
  return tables.free.slice(0, program.devices);
}
