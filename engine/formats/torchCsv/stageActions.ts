import type { CellProblem } from './completeness.ts';
import type { Majority } from './shape.ts';
import { type TorchTable, computing } from './table.ts';

/** UNSHARD, RESHARD and REDUCE_GRAD: what PyTorch's runtime asserts of them while it runs. A table may do without either. */
export function stageActions(table: TorchTable, { stages }: Majority, report: (problem: CellProblem) => void): void {
  const all = table.rows.flat();
  const sharded = all.some((cell) => cell.kind === 'stage' && cell.type !== 'REDUCE_GRAD');
  const reduces = all.some((cell) => cell.kind === 'stage' && cell.type === 'REDUCE_GRAD');
  const lastBackward = new Map<number, { row: number; column: number }>();
  const reduced = new Map<number, { row: number; column: number }>();
  for (const [row, cells] of table.rows.entries()) {
    const active = new Set<number>();
    for (const [column, cell] of cells.entries()) {
      const tell = (message: string, expected: string): void => report({ row, column, message, expected });
      for (const { stage, type } of computing(cell)) {
        if (type !== 'F' && type !== 'I') lastBackward.set(stage, { row, column });
        if (!sharded || active.has(stage)) continue;
        tell(`Stage ${stage} computes while its parameters are not gathered.`, `\`${stage}UNSHARD\` before it`);
        active.add(stage);
      }
      if (cell.kind !== 'stage') continue;
      const { stage, type } = cell;
      const name = `\`${stage}${type}\``;
      if (type === 'REDUCE_GRAD') {
        if (reduced.has(stage)) tell(`${name} appears more than once.`, 'one for each stage');
        reduced.set(stage, { row, column });
      } else if ((type === 'UNSHARD') === active.has(stage)) {
        const [state, other] = type === 'UNSHARD' ? ['already gathered', 'RESHARD'] : ['not gathered', 'UNSHARD'];
        tell(`${name} is for a stage whose parameters are ${state}.`, `\`${stage}${other}\` before it`);
      } else if (type === 'UNSHARD') active.add(stage);
      else active.delete(stage);
    }
  }
  if (!reduces) return;
  for (let stage = 0; stage < stages; stage += 1) {
    const [last, at] = [lastBackward.get(stage), reduced.get(stage)];
    const name = `\`${stage}REDUCE_GRAD\``;
    if (last === undefined || (at !== undefined && at.row === last.row && at.column > last.column)) continue;
    const expected = `${name} after the last backward of stage ${stage}`;
    if (at === undefined) report({ row: last.row, column: last.column + 1, message: `${name} is missing.`, expected });
    else report({ ...at, message: `${name} comes before the last backward of its stage.`, expected });
  }
}
