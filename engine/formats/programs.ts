/** What a pipeline is written as for other programs: for the command line and for editors. */
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import type { Launch } from './launch.ts';
import { exportDeepspeed } from './deepspeed/export.ts';
import { exportMegatron } from './megatron/export/export.ts';
import { exportTorch } from './torchCsv/export.ts';
import { torchCsvParts } from './torchCsv/write.ts';
import { exportTorchScript } from './torchScript/export.ts';
import { exportTorchtitan } from './torchtitan/export.ts';

export interface ProgramFormat {
  /** As `--to` names it. */
  readonly name: string;
  readonly doc: string;
  /** Of the file, with its dot. */
  readonly extension: string;
  /** It may be written with transfers (`--comms`). */
  readonly comms?: true;
  /** `launch` is undefined of a schedule that is shown without a pipeline. */
  write(
    plan: PipelinePlan,
    program: Program,
    asked: { readonly launch: Launch | undefined; readonly comms: boolean },
  ): Written;
}

/** `notes`: what is lost, sentences. `problem`: why there is nothing to write, one sentence without a full stop. */
export type Written =
  { readonly parts: Iterable<string>; readonly notes: readonly string[] } | { readonly problem: string };

export const programFormats: readonly ProgramFormat[] = [
  {
    name: 'torch-csv',
    doc: 'the schedule table of torch.distributed.pipelining',
    extension: '.csv',
    comms: true,
    write(plan, program, { comms }) {
      const result = exportTorch(plan, program, comms);
      return 'problem' in result ? result : { parts: torchCsvParts(result.table), notes: result.notes };
    },
  },
  {
    name: 'torch-script',
    doc: 'a Python program that runs the schedule with PyTorch and compares it with the unpipelined model',
    extension: '.py',
    write: (plan, program, { launch }) =>
      inOnePart(exportTorchScript(plan, program, launch?.pipeline.rankOrder !== 'tp_cp_pp_dp')),
  },
  {
    name: 'torchtitan',
    doc: 'a configuration function of torchtitan, with the schedule table in it',
    extension: '.py',
    write: (_plan, program, { launch }) =>
      launch === undefined ? noModel : inOnePart(exportTorchtitan(launch, program)),
  },
  {
    name: 'deepspeed',
    doc: 'a configuration and a PipelineModule of DeepSpeed',
    extension: '.py',
    write: (_plan, _program, { launch }) => (launch === undefined ? noModel : inOnePart(exportDeepspeed(launch))),
  },
  {
    name: 'megatron',
    doc: 'a launch script of Megatron-LM',
    extension: '.sh',
    write: (_plan, _program, { launch }) => (launch === undefined ? noModel : inOnePart(exportMegatron(launch))),
  },
];

const noModel = { problem: 'it is a schedule without a model to train' } as const;

const inOnePart = (
  made: { readonly text: string; readonly notes: readonly string[] } | { readonly problem: string },
): Written => ('problem' in made ? made : { parts: [made.text], notes: made.notes });
