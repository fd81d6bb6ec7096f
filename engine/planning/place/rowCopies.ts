/** Rows of stages of the cut as rows of their copies and parts. */
import { copyRuns } from '../../order/copyTurns.ts';
import { pack, unpack } from '../../basics/packed.ts';
import type { RowPlan, StageCopy } from '../../values/plan.ts';

/**
 * Each operation goes to the copy on the device of its row; where that has none, to the one that runs the microbatch. Stages of the
 * rows are `stage * parts + part` where sequences are cut.
 */
export function ofCopies(
  rows: readonly RowPlan[],
  placement: ArrayLike<number>,
  copies: readonly StageCopy[],
): readonly RowPlan[] {
  const of = new Map<number, number[]>();
  for (const [index, { stage, segment = 0, segments = 1 }] of copies.entries()) {
    const piece = stage * segments + segment;
    const known = of.get(piece);
    if (known === undefined) of.set(piece, [index]);
    else known.push(index);
  }
  const runs = copies.map(copyRuns);
  return rows.map((row, device) => {
    const local = new Int32Array(copies.length).fill(-1);
    for (const [piece, all] of of) local[piece] = all.find((index) => placement[index] === device) ?? -1;
    const running = (piece: number, microbatch: number) => of.get(piece)?.find((index) => runs[index](microbatch));
    const stages = unpack(row.stages);
    const microbatches = unpack(row.microbatches);
    for (const [at, piece] of stages.entries())
      // A stage that is not there stays so, whatever the number of copies.
      stages[at] = local[piece] >= 0 ? local[piece] : (running(piece, microbatches[at]) ?? copies.length);
    return { ...row, stages: pack(stages) };
  });
}
