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

const onePipeline = (plan: PipelinePlan): PipelinePlan => ({
  ...plan,
  data: 1,
  devices: plan.devices.map((device) => ({
    ...device,
    members: (device.members ?? 1) / plan.data,
    ...(device.mesh === undefined ? {} : { mesh: { ...device.mesh, data: 1 } }),
  })),
});

const replicas =
  'Pipelines average their gradients after the last operation: no exchange overlaps, and no weights are sharded.';

/**
 * A Python program that runs the pipeline's order with the runtime of `torch.distributed.pipelining`, on stand-in stages. `--check`
 * in it compares loss and gradients with the unpipelined model. Equal plans give equal texts.
 * `dataIsInner`: data ranks of a stage have numbers that follow each other.
 */
export function exportTorchScript(plan: PipelinePlan, program: Program, dataIsInner = true): TorchScript {
  if (plan.devices.some(({ mesh }) => mesh !== undefined && mesh.data !== plan.data))
    return { problem: 'stages have different numbers of data ranks, and the program gives every stage the same' };
  if (plan.step.some(({ outer }) => outer !== undefined))
    return {
      problem: 'islands share their weights once in a while, and the program averages gradients in each iteration',
    };
  // Its pipelines are the data ranks, so that nothing is lost of them.
  const exported = exportTorch(onePipeline(plan), program, false);
  if ('problem' in exported) return exported;
  const { table } = exported;
  const disorder = lossOrder(table, program.stages);
  if (disorder !== undefined) return { problem: disorder };
  const notes = [...exported.notes, ...(plan.data > 1 ? [replicas] : []), layers];
  const parts = [header(plan, program, notes), schedule(plan, program, table, dataIsInner), model, training, main];
  return { text: parts.join('\n\n'), notes };
}
