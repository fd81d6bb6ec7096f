/** A launch script of Megatron-LM for a pipeline. `pipeOfMegatron` reads it back. */
import { count } from '../../../basics/quantities.ts';
import { megatron } from '../../../engines/megatron.ts';
import type { PipelinePlan } from '../../../values/plan.ts';
import { type Launch, launchRefusal, trainsPart, type Unwritable, worldOf } from '../../launch.ts';
import { flagArray, type FlagText } from './flagText.ts';
import { modelFlags } from './modelFlags.ts';
import { symbolsOf } from './symbols.ts';
import { trainingFlags } from './trainingFlags.ts';

export type MegatronScript = { readonly text: string; readonly notes: readonly string[] } | Unwritable;

/** Equal pipelines give equal texts. Of the file's text it has numbers and the name of the pipeline. */
export function exportMegatron(launch: Launch): MegatronScript {
  const { plan, pipeline } = launch;
  const refusal = launchRefusal(megatron, launch);
  if (refusal !== undefined) return refusal;
  if (trainsPart(pipeline.model))
    return { problem: 'the pre-training of Megatron-LM trains all weights, and some are frozen here or have adapters' };
  const symbols = symbolsOf(pipeline.model, plan.stages, plan.devices.length);
  if ('problem' in symbols) return symbols;
  const model = modelFlags(pipeline.model, symbols.stages);
  if ('problem' in model) return model;
  const training = trainingFlags(launch, symbols.stages);
  if ('problem' in training) return training;
  const notes = [...symbols.notes, ...model.notes, ...training.notes, ...notWritten(plan), ...usual];
  return { text: scriptText(launch, model.flags, training.flags, notes), notes };
}

/** What no argument says of this pipeline. */
const notWritten = ({ lengths, fill }: PipelinePlan): readonly string[] => [
  ...(lengths === undefined ? [] : ['The lengths of microbatches have no argument: they follow from the data.']),
  ...(fill === undefined ? [] : ['The fill job has no argument.']),
];

/** What no argument says of any pipeline. */
const usual = [
  'Times, links and the memory of devices have no arguments.',
  'Data, tokenizer, learning rate and checkpoints are yours: write them behind the script.',
];

function scriptText(
  launch: Launch,
  model: readonly FlagText[],
  training: readonly FlagText[],
  notes: readonly string[],
): string {
  const { plan } = launch;
  const { devices, nodes, each } = worldOf(launch);
  return `#!/usr/bin/env bash
# Pipeline "${plan.name}" on ${count(devices, 'device', 'devices')} for ${megatron.read}, written by Pipewright.
#
#   MASTER_ADDR=HOST NODE_RANK=0 MEGATRON=FOLDER bash SCRIPT --mock-data --tokenizer-type NullTokenizer
#
${notes.map((note) => `# - ${note}\n`).join('')}set -euo pipefail
${needsOrder(launch) ? 'export CUDA_DEVICE_MAX_CONNECTIONS=1\n' : ''}
${flagArray('MODEL', model)}
${flagArray('TRAINING', training)}
torchrun --nnodes ${nodes} --nproc-per-node ${each} \\
  --node-rank "\${NODE_RANK:-0}" --master-addr "\${MASTER_ADDR:-localhost}" --master-port "\${MASTER_PORT:-29500}" \\
  "\${MEGATRON:-.}/pretrain_gpt.py" "\${MODEL[@]}" "\${TRAINING[@]}" "$@"
`;
}

/** Up to Hopper, kernels of tensor and context ranks start in order only with one queue; Megatron FSDP needs several. */
const needsOrder = ({ pipeline: { mesh, optimizer } }: Launch): boolean =>
  (mesh.tensor > 1 || mesh.context > 1) && !['zero2', 'zero3', 'fsdp'].includes(optimizer?.shard ?? 'none');
