/** Used if sends block: items of the exchanges whose gradients an update waits for, without a separate exchange. */
import type { Exchanges } from '../values/timeline.ts';
import type { NeedTable } from './exchanges.ts';
import { microbatchOf, needSlot, type Program, resultSlotOf, rowOf } from '../values/program.ts';
import { slotWidth } from './slot.ts';

/** What an item waits for: the item with another copy's last backward, by the update at `position`. */
export type Reductions = (item: number) => readonly { readonly item: number; readonly position: number }[];

/** The reductions of a program; empty if no copies are updated together. Linear in the operations. */
export function reductionsOf(program: Program, table: NeedTable, { slot }: Exchanges): Reductions {
  const { needShift, first, last } = table;
  if (needShift === undefined) return () => [];
  const { order, microbatches } = program;
  const madeIn = new Map<number, number>();
  const positionsOf = (item: number): readonly number[] =>
    slot[item] < 0 ? [] : Array.from({ length: slotWidth(program, slot[item]) }, (_, index) => slot[item] + index);
  for (const item of slot.keys()) {
    for (const position of positionsOf(item)) {
      madeIn.set(resultSlotOf(program, order[position]), item);
    }
  }
  return (item) =>
    positionsOf(item).flatMap((position) => {
      const row = rowOf(program, order[position]);
      const found: { readonly item: number; readonly position: number }[] = [];
      for (let need = first[row]; need < last[row]; need += 1) {
        if (needShift[need] === 0) continue;
        const made = madeIn.get(needSlot(table, microbatches, need, microbatchOf(program, order[position])));
        if (made !== undefined) found.push({ item: made, position });
      }
      return found;
    });
}
