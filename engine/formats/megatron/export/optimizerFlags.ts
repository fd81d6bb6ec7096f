/** Arguments of the optimizer. */
import { elementBytes } from '../../../costs/precision.ts';
import type { Precision } from '../../../costs/types.ts';
import { usualOptimizer } from '../../../costs/optimizer.ts';
import type { SettledPipeline } from '../../../definitions/pipeline.ts';
import type { Unwritable } from '../../launch.ts';
import type { FlagText, FlagTexts } from './flagText.ts';

/** What Megatron-LM calls the optimizers that it has, by their names here. */
const words: ReadonlyMap<string, 'adam' | 'sgd'> = new Map([
  ...['adam', 'adamw', 'adam_mixed', 'megatron_bf16', 'megatron_fp16', 'megatron_fp8', 'megatron_fp4'].map(
    (name) => [name, 'adam'] as const,
  ),
  ['megatron_sgd', 'sgd'] as const,
]);

/** Whether Megatron-LM keeps these bytes of a parameter at a precision. */
const keepsSame = (name: string, precision: Precision): boolean =>
  name === 'megatron_sgd' ||
  (elementBytes(precision) === 4 ? name === 'adam' || name === 'adamw' : name === `megatron_${precision}`);

export function optimizerFlags({ optimizer, model, mesh }: SettledPipeline): FlagTexts | Unwritable {
  if (optimizer === undefined)
    return { flags: [], notes: ['The file names no optimizer: Megatron-LM trains with Adam then.'] };
  const { recipe, shard, reshard, over, written, clip, offload, step } = optimizer;
  const word = words.get(recipe.name);
  if (word === undefined)
    return {
      problem: `Megatron-LM has no optimizer \`${recipe.name}\`. The nearest that it runs is \`optimizer = ${usualOptimizer(model.precision)}\``,
    };
  if (!reshard && (shard === 'zero3' || shard === 'fsdp') && mesh.data * mesh.context > 1)
    return {
      problem:
        'Megatron FSDP drops gathered weights after each pass of a layer, and this pipeline keeps them (`reshard = false`)',
    };
  const formats = formatFlags(written, model.precision);
  if (shard === 'none' && formats.some(([name]) => needsShard.has(name)))
    return {
      problem:
        'Megatron-LM has these formats of gradients, weights and moments with its distributed optimizer only. The nearest that it runs is `shard = distributed`',
    };
  const holders = mesh.data * mesh.context;
  const fsdp = shard === 'zero2' || shard === 'zero3' || shard === 'fsdp';
  return {
    flags: [
      ['optimizer', word],
      ...(shard === 'none' ? [] : ([['use-distributed-optimizer']] as const)),
      ...(fsdp
        ? ([
            ['use-megatron-fsdp'],
            ['data-parallel-sharding-strategy', shard === 'zero2' ? 'optim_grads' : 'optim_grads_params'],
            // The only format of checkpoints that Megatron FSDP starts with.
            ['ckpt-format', 'fsdp_dtensor'],
          ] as const)
        : []),
      ...(shard !== 'none' && over !== undefined && over < holders
        ? ([['num-distributed-optimizer-instances', String(holders / over)]] as const)
        : []),
      ...formats,
      ...(offload === undefined
        ? []
        : ([['optimizer-cpu-offload'], ['optimizer-offload-fraction', String(offload.share)]] as const)),
      ['clip-grad', clip ? '1.0' : '0.0'],
    ],
    notes: [
      ...(keepsSame(recipe.name, model.precision)
        ? []
        : [
            `In ${model.precision} Megatron-LM keeps other bytes of a parameter than \`${recipe.name}\`: \`optimizer = ${usualOptimizer(model.precision)}\` counts them.`,
          ]),
      ...(step === undefined ? [] : ['The time of the update has no argument.']),
    ],
  };
}

const needsShard: ReadonlySet<string> = new Set([
  'use-precision-aware-optimizer',
  'fp8-param-gather',
  'fp4-param-gather',
]);

/** Formats of gradients, main weights and moments: the precision-aware optimizer has a switch. */
function formatFlags(written: ReadonlyMap<string, string | number>, precision: string): readonly FlagText[] {
  const word = (name: string, usual: string): string => String(written.get(name) ?? usual);
  const [grads, params, moments] = [word('main_grads', 'fp32'), word('main_params', 'fp32'), word('moments', 'fp32')];
  const copies = word('gradient_copies', 'false') === 'true';
  const aware = !copies && (grads !== 'fp32' || params !== 'fp32' || moments !== 'fp32');
  return [
    ...(copies ? ([['grad-reduce-in-bf16']] as const) : []),
    ...(aware
      ? ([
          ['use-precision-aware-optimizer'],
          ['main-grads-dtype', grads],
          // The remainder of bf16 weights is what fp32 main weights are stored as.
          ['main-params-dtype', params === 'remainder' ? 'fp32' : params],
          ['exp-avg-dtype', moments],
          ['exp-avg-sq-dtype', moments],
        ] as const)
      : []),
    ...(word('primary', 'bf16') === 'bf16' ? [] : ([[`${precision}-param-gather`]] as const)),
  ];
}
