import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { exportTorch } from '../torchCsv/export.ts';
import { layers, model } from './model.ts';
import { main } from './main.ts';
import { lossOrder } from './lossOrder.ts';
import { header } from './header.ts';
import { schedule } from './schedule.ts';
import { training } from './training.ts';

export type TorchScript =
  | { readonly text: string; readonly notes: readonly string[] }
  /** Why PyTorch cannot run the pipeline: one sentence without a full stop. */
  | { readonly problem: string };

/**
 * A Python program that runs the pipeline's order with the runtime of `torch.distributed.pipelining`, on stand-in stages. `--check`
 * in it compares loss and gradients with the unpipelined model. Equal plans give equal texts.
 */
export function exportTorchScript(plan: PipelinePlan, program: Program): TorchScript {
  const exported = exportTorch(plan, program, false);
  if ('problem' in exported) return exported;
  const { table } = exported;
  const disorder = lossOrder(table, program.stages);
  if (disorder !== undefined) return { problem: disorder };
  const notes = [...exported.notes, layers];
  const parts = [header(plan, program, notes), schedule(plan, program, table), model, training, main];
  return { text: parts.join('\n\n'), notes };
}
