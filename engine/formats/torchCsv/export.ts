import type { PipelinePlan } from '../../values/plan.ts';
import { type Program, stageNumberOfStage } from '../../values/program.ts';
import { layoutOf, tableOfProgram } from './fromProgram.ts';
import { lower } from './lower.ts';
import { notCarried } from './notCarried.ts';
import { type TorchTable, cellText } from './table.ts';

export type TorchExport =
  | { readonly table: TorchTable; readonly notes: readonly string[] }
  /** Why PyTorch cannot run the order: one sentence. */
  | { readonly problem: string };

/** The table of a pipeline that runs here; with `comms` in the dialect that has transfers. */
export function exportTorch(plan: PipelinePlan, program: Program, comms: boolean): TorchExport {
  const unsupported = unlikePyTorch(program) ?? withoutFlush(plan, program);
  if (unsupported !== undefined) return { problem: unsupported };
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
  return { table: comms ? lowered.table : table, notes: notCarried(plan, program) };
}

const noBlanks = { kind: 'none' } as const;

/** A step of PyTorch ends in a flush. Without one, the order has the microbatches of all iterations, and uses other weights. */
function withoutFlush({ schedule, microbatches }: PipelinePlan, program: Program): string | undefined {
  const rule = schedule.kind === 'greedy' ? schedule.weights : (program.weights ?? 'flush');
  return rule === 'flush'
    ? undefined
    : `the schedule "${schedule.name}" updates weights without a flush (the rule "${rule}"): PyTorch runs the ${microbatches === 1 ? 'microbatch' : `${microbatches} microbatches`} of a step with the same weights and updates once after them. Export a schedule that ends in a flush, such as 1f1b`;
}

/** What no order of PyTorch's actions can say. */
function unlikePyTorch(program: Program): string | undefined {
  const { copies, forwardOnly, stages } = program;
  if (forwardOnly === true) return 'the schedule has no backward: a PyTorch table has a backward for each forward';
  if (copies === undefined) return undefined;
  for (let stage = 0; stage < stages; stage += 1) {
    const number = stageNumberOfStage(program, stage);
    if (copies.segment[stage] >= 0) {
      const parts = copies.stage.reduce((sum, other) => sum + (other === copies.stage[stage] ? 1 : 0), 0);
      return `stage ${number} computes the sequence in ${parts} segments: PyTorch cuts microbatches along the batch only`;
    }
    if (copies.spare?.[stage] === 1) return `stage ${number} has a spare copy: in PyTorch each stage is on one rank`;
    const devices = copies.stage.reduce(
      (sum, other, copy) => sum + (other === number && copies.spare?.[copy] !== 1 ? 1 : 0),
      0,
    );
    if (devices > 1) return `stage ${number} has copies on ${devices} devices: in PyTorch each stage is on one rank`;
  }
  return undefined;
}
