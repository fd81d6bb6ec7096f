import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import type { OrderPlan } from '../../engines/engine.ts';
import { tableRefusal } from '../../engines/pytorch.ts';
import { refusalWords } from '../../engines/registry.ts';
import { layoutOf, tableOfProgram } from './fromProgram.ts';
import { lower } from './lower.ts';
import { type Around, notCarried } from './notCarried.ts';
import { type TorchTable, cellText } from './table.ts';

export type TorchExport =
  | { readonly table: TorchTable; readonly notes: readonly string[] }
  /** Why PyTorch cannot run the order: one sentence. */
  | { readonly problem: string };

/** The table of a pipeline that runs here; with `comms` in the dialect that has transfers. */
export function exportTorch(
  plan: PipelinePlan,
  program: Program,
  comms: boolean,
  around?: readonly Around[],
): TorchExport {
  const unsupported = tableRefusal({ ...plan, stages: stagesOf(program) });
  if (unsupported !== undefined) return { problem: refusalWords(unsupported) };
  // A table with transfers has no blanks.
  const layout = comms ? noBlanks : layoutOf(plan.schedule, program);
  const { table, tooWide } = tableOfProgram(program, layout);
  if (tooWide.length > 0)
    return {
      problem: `a slot of more than two fused operations begins with ${tooWide[0]}: a cell of the table holds two at most`,
    };
  const idle = table.rows.findIndex((row) => row.length === 0);
  if (idle >= 0)
    return {
      problem: `${plan.devices[idle]?.name ?? `device ${idle}`} has no stage: PyTorch expects one on each rank`,
    };
  const lowered = lower(table, program);
  if ('stuck' in lowered) {
    const [{ row, column }] = lowered.stuck;
    return {
      problem: `${cellText(table.rows[row][column])} waits forever: PyTorch runs stages in one chain, and this order needs parallel stages`,
    };
  }
  return { table: comms ? lowered.table : table, notes: notCarried(plan, program, around) };
}

const noBlanks = { kind: 'none' } as const;

/** What the stages of a program are copies or parts of. */
function stagesOf({ copies, stages }: Program): OrderPlan['stages'] {
  return Array.from({ length: stages }, (_, stage) => {
    if (copies === undefined) return {};
    const segment = copies.segment[stage] >= 0 ? { segment: copies.segment[stage] } : {};
    return {
      copy: {
        stage: copies.stage[stage],
        ...segment,
        ...(copies.spare?.[stage] === 1 ? { spare: true as const } : {}),
      },
    };
  });
}
