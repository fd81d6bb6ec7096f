/** Rows of a plan, one object for each operation, for what moves and counts single operations of short rows. */
import type { RowItem, RowPlan } from '../plan.ts';
import { letters } from '../program.ts';

export function rowItems({ kinds, stages, microbatches, items, fused = [] }: RowPlan): readonly RowItem[] {
  const pairs = new Set(fused);
  return kinds.map((kind, at) => ({
    op: letters[kind],
    stage: stages[at],
    microbatch: microbatches[at],
    item: items[at],
    ...(pairs.has(at) ? { fusedWithNext: true } : {}),
  }));
}

/** The same back. */
export function rowOfItems(row: readonly RowItem[]): RowPlan {
  const fused = row.flatMap(({ fusedWithNext }, at) => (fusedWithNext === true ? [at] : []));
  return {
    kinds: row.map(({ op }) => letters.indexOf(op)),
    stages: row.map(({ stage }) => stage),
    microbatches: row.map(({ microbatch }) => microbatch),
    items: row.map(({ item }) => item),
    ...(fused.length === 0 ? {} : { fused }),
  };
}
