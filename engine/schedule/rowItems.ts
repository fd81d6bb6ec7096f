/** Rows of a plan, one object for each operation, for what moves and counts single operations of short rows. */
import { pack, rowNumbers } from '../basics/packed.ts';
import type { RowItem, RowPlan } from '../values/plan.ts';
import { letters } from '../values/program.ts';

/** `names`: of the operations that the schedule declares. */
export function rowItems(row: RowPlan, names: readonly string[] = []): readonly RowItem[] {
  const { kinds, stages, microbatches, items, fused } = rowNumbers(row);
  const pairs = new Set(fused);
  return Array.from(kinds, (kind, at) => ({
    op: letters[kind] ?? names[kind - letters.length],
    stage: stages[at],
    microbatch: microbatches[at],
    item: items[at],
    ...(pairs.has(at) ? { fusedWithNext: true } : {}),
  }));
}

/** The same back. */
export function rowOfItems(row: readonly RowItem[], names: readonly string[] = []): RowPlan {
  const all: readonly string[] = [...letters, ...names];
  const fused = row.flatMap(({ fusedWithNext }, at) => (fusedWithNext === true ? [at] : []));
  return {
    kinds: pack(row.map(({ op }) => all.indexOf(op))),
    stages: pack(row.map(({ stage }) => stage)),
    microbatches: pack(row.map(({ microbatch }) => microbatch)),
    items: pack(row.map(({ item }) => item)),
    ...(fused.length === 0 ? {} : { fused: pack(fused) }),
  };
}
