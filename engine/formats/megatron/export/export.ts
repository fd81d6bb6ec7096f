/** A launch script of Megatron-LM for a pipeline. `pipeOfMegatron` reads it back. */
import { count } from '../../../basics/quantities.ts';
import { numberOf } from '../../../costs/shape.ts';
import type { ModelDefinition } from '../../../definitions/model.ts';
import { megatron } from '../../../engines/megatron.ts';
import { blocksOf } from '../../../engines/megatronModel.ts';
import type { PipelinePlan } from '../../../values/plan.ts';
import { type Launch, launchRefusal, type Unwritable, worldOf } from '../../launch.ts';
import { usualScaling } from '../model.ts';
import { writtenHere } from '../unresolved.ts';
import { flagArray, type FlagText } from './flagText.ts';
import { lacksBase, modelFlags, rotaryVariable } from './modelFlags.ts';
import { symbolsOf } from './symbols.ts';
import { trainingFlags } from './trainingFlags.ts';

export type MegatronScript = { readonly text: string; readonly notes: readonly string[] } | Unwritable;

/** Equal pipelines give equal texts. Of the file's text it has numbers and the name of the pipeline. */
export function exportMegatron(launch: Launch): MegatronScript {
  const { plan, pipeline } = launch;
  const refusal = launchRefusal(megatron, launch);
  if (refusal !== undefined) return refusal;
  const symbols = symbolsOf(pipeline.model, plan.stages, plan.devices.length);
  if ('problem' in symbols) return symbols;
  const model = modelFlags(pipeline.model, symbols.stages);
  const training = trainingFlags(launch, symbols.stages);
  if ('problem' in training) return training;
  const notes = [
    ...symbols.notes,
    ...model.notes,
    ...training.notes,
    ...notWritten(plan),
    ...notKnown(pipeline),
    ...usual,
  ];
  return { text: scriptText(launch, model.flags, training.flags, notes), notes };
}

/** What no argument says of this pipeline. */
const notWritten = ({ lengths, fill }: PipelinePlan): readonly string[] => [
  ...(lengths === undefined ? [] : ['The lengths of microbatches have no argument: they follow from the data.']),
  ...(fill === undefined ? [] : ['The fill job has no argument.']),
];

/** What arguments say of a model, and no figure of a plan needs. */
function notKnown({ model, mesh }: Launch['pipeline']): readonly string[] {
  const shapes = model.layers.flatMap(({ cost }) => (cost.kind === 'shape' ? [cost] : []));
  const embedding = shapes.find(({ shape }) => shape === 'embedding')?.args;
  if (embedding === undefined) return [];
  const [vocab, pad] = [numberOf(embedding, 'vocab', 1), numberOf(embedding, 'pad', 1)];
  const rows = Math.ceil(vocab / (pad * mesh.tensor)) * pad * mesh.tensor;
  return [
    `A tokenizer of ${figure(vocab)} entries is padded to a multiple of ${pad} × ${count(mesh.tensor, 'tensor rank', 'tensor ranks')}, ${figure(rows)} rows. \`pad\` of the model sets it; the default of Megatron-LM is 128.`,
    ...(lacksBase(model)
      ? [
          `The model does not say its \`rotary_base\`: the script stops until you set ${rotaryVariable}. The 10000 of Megatron-LM fits few models.`,
        ]
      : []),
    ...(model.constants?.normEpsilon === undefined
      ? ['The model does not say its `norm_epsilon`: Megatron-LM takes 1e-5.']
      : []),
    ...(blocksOf(model.layers).some((args) => args['kv_lora_rank'] !== undefined)
      ? [
          'Latent attention of Megatron-LM scales rotary positions by YaRN, 40 times from 4,096 tokens on: --rope-type rope behind the script does without.',
        ]
      : []),
    ...(isScaledOtherwise(model)
      ? [
          `Megatron-LM reads --rope-scaling-factor, and scales by ${usualScaling} all the same: the script stops until its gpt_builders.py passes \`rope_scaling_factor=args.rope_scaling_factor\`.`,
        ]
      : []),
  ];
}

/** Its builder of GPT models passes no factor on (gpt_builders.py). */
const isScaledOtherwise = ({ constants }: ModelDefinition): boolean =>
  constants?.ropeScaling !== undefined && constants.ropeScaling !== usualScaling;

const figure = (number: number): string => number.toLocaleString('en-US');

/** What no argument says of any pipeline. */
const usual = [
  'Times, links and the memory of devices have no arguments.',
  'Data, tokenizer, iterations, learning rate and checkpoints are yours: write them behind the script.',
];

/** What a run needs that is not of the plan, without data or a tokenizer. */
const trial = '--mock-data --tokenizer-type NullTokenizer --train-iters 10 --lr 1e-4';

const factorCheck = `grep -q args.rope_scaling_factor "\${MEGATRON:-.}/gpt_builders.py" || {
  echo 'gpt_builders.py ignores the factor of rope scaling' >&2
  exit 1
}
`;

function scriptText(
  launch: Launch,
  model: readonly FlagText[],
  training: readonly FlagText[],
  notes: readonly string[],
): string {
  const { plan } = launch;
  const asksBase = lacksBase(launch.pipeline.model);
  const { devices, nodes, each } = worldOf(launch);
  return `#!/usr/bin/env bash
# Pipeline "${plan.name}" on ${count(devices, 'device', 'devices')} for ${megatron.read}, ${writtenHere}
#
#   MASTER_ADDR=HOST NODE_RANK=0 ${asksBase ? `${rotaryVariable}=BASE ` : ''}MEGATRON=FOLDER bash SCRIPT ${trial}
#
# With your data, such as --data-path FILE_text_document --tokenizer-type HuggingFaceTokenizer --tokenizer-model FOLDER,
# it trains for --train-iters iterations at a learning rate of --lr. Megatron-LM refuses a script without these.
#
${notes.map((note) => `# - ${note}\n`).join('')}set -euo pipefail
${asksBase ? `: "\${${rotaryVariable}:?the model does not say its rotary_base}"\n` : ''}${isScaledOtherwise(launch.pipeline.model) ? factorCheck : ''}${connections(launch)}
${flagArray('MODEL', model)}
${flagArray('TRAINING', training)}
torchrun --nnodes ${nodes} --nproc-per-node ${each} \\
  --node-rank "\${NODE_RANK:-0}" --master-addr "\${MASTER_ADDR:-localhost}" --master-port "\${MASTER_PORT:-29500}" \\
  "\${MEGATRON:-.}/pretrain_gpt.py" "\${MODEL[@]}" "\${TRAINING[@]}" "$@"
`;
}

/** Megatron-LM asks for 32 where exchanges of experts overlap, and only warns of tensor ranks then. */
function connections(launch: Launch): string {
  const { overlap, mesh } = launch.pipeline;
  const most = overlap.expert > 0 && mesh.expert > 1 ? 32 : needsOrder(launch) ? 1 : undefined;
  return most === undefined ? '' : `export CUDA_DEVICE_MAX_CONNECTIONS=${most}\n`;
}

/** Up to Hopper, kernels of tensor and context ranks start in order only with one queue; Megatron FSDP needs several. */
const needsOrder = ({ pipeline: { mesh, optimizer } }: Launch): boolean =>
  (mesh.tensor > 1 || mesh.context > 1) && !['zero2', 'zero3', 'fsdp'].includes(optimizer?.shard ?? 'none');
