/** The configuration of DeepSpeed for a pipeline, which `pipeOfDeepspeed` reads back. */
import { someLayersIn } from '../../costs/recompute.ts';
import type { RecomputeMode } from '../../costs/types.ts';
import { deepspeed } from '../../engines/deepspeed.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import { type Launch, recomputeModeOf, type Unwritable } from '../launch.ts';

interface Configuration {
  readonly json: string;
  readonly notes: readonly string[];
}

export function configurationOf(launch: Launch): Configuration | Unwritable {
  const { plan, pipeline } = launch;
  const { mesh, model, optimizer } = pipeline;
  const mode = recomputeModeOf(plan, deepspeed.title);
  if (typeof mode !== 'string') return mode;
  const { precision } = model;
  if (precision !== 'bf16' && precision !== 'fp16' && precision !== 'fp32')
    return { problem: `DeepSpeed trains in bf16, fp16 or fp32, not in ${precision}` };
  const found = optimizerOf(launch);
  if ('problem' in found) return found;
  const interval = intervalOf(mode, plan);
  const settings = {
    train_batch_size: plan.microBatchSize * plan.microbatches * mesh.data,
    train_micro_batch_size_per_gpu: plan.microBatchSize,
    gradient_accumulation_steps: plan.microbatches,
    ...found.settings,
    ...(precision === 'fp32' ? {} : { [precision]: { enabled: true } }),
    gradient_clipping: optimizer?.clip === false ? 0 : 1,
    pipeline: { stages: plan.devices.length, activation_checkpoint_interval: interval },
  };
  return {
    json: JSON.stringify(settings, undefined, 2),
    notes: [
      ...found.notes,
      ...(interval === 0 ? [] : ['DeepSpeed recomputes every layer with weights, embedding and head too.']),
    ],
  };
}

/** Layers that are recomputed together: a whole stage has no more than the longest. */
function intervalOf(mode: RecomputeMode, { stages }: PipelinePlan): number {
  if (mode === 'none') return 0;
  if (mode === 'full') return 1;
  if (mode === 'stage') return Math.max(...stages.map(({ layers }) => layers.length));
  return someLayersIn(mode)?.layers ?? 1;
}

interface Found {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}

/** What each keeps is what the import takes it for. */
function optimizerOf({ pipeline: { optimizer, model, mesh } }: Launch): Found | Unwritable {
  if (optimizer === undefined)
    return { settings: {}, notes: ['The file names no optimizer: give one to deepspeed.initialize.'] };
  const { recipe, shard, over, offload } = optimizer;
  const { name } = recipe;
  const wanted = usualOf(model.precision);
  if (!wanted.includes(name))
    return {
      problem: `DeepSpeed has no optimizer \`${name}\` in ${model.precision} under a pipeline. The nearest that it runs is \`optimizer = ${wanted[0]}\``,
    };
  if (offload !== undefined)
    return { problem: 'under pipeline ranks the program would not keep a part of the optimizer on the host' };
  if (over !== undefined && over < mesh.data)
    return { problem: 'ZeRO-1 of DeepSpeed splits the state over all data ranks, and not over a part of them' };
  return {
    settings: {
      optimizer: { type: name.startsWith('sgd') ? 'SGD' : name === 'adam' ? 'Adam' : 'AdamW', params: { lr: 1e-4 } },
      zero_optimization: { stage: shard === 'none' ? 0 : 1 },
      ...(name === 'deepspeed_bf16' ? { data_types: { grad_accum_dtype: 'fp32' } } : {}),
    },
    notes: ['The learning rate is 1e-4: write yours.'],
  };
}

/** Optimizers by precision, the usual one first. */
const usualOf = (precision: string): readonly string[] =>
  precision === 'fp32'
    ? ['adam', 'adamw', 'sgd']
    : precision === 'fp16'
      ? ['adam_mixed', 'sgd_mixed']
      : ['deepspeed_bf16', 'sgd_mixed'];
