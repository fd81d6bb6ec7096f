/** Arguments of the optimizer. */
import { elementBytes } from '../../../costs/precision.ts';
import type { Precision } from '../../../costs/types.ts';
import { type RecipeValues, usualOptimizer } from '../../../costs/optimizer.ts';
import type { SettledPipeline } from '../../../definitions/pipeline.ts';
import { isPrecisionAware, keepsProducts, optimizerWord } from '../../../engines/megatronOptimizer.ts';
import { namesOptimizer } from '../../launch.ts';
import type { FlagText, FlagTexts } from './flagText.ts';

/** Whether Megatron-LM keeps these bytes of a parameter at a precision. */
const keepsSame = (name: string, precision: Precision): boolean =>
  name === 'megatron_sgd' ||
  (elementBytes(precision) === 4 ? name === 'adam' || name === 'adamw' : name === `megatron_${precision}`);

export function optimizerFlags({ optimizer, model, mesh }: SettledPipeline): FlagTexts {
  if (optimizer === undefined)
    return { flags: [], notes: ['The file names no optimizer: Megatron-LM trains with Adam then.'] };
  const { recipe, shard, over, written, clip, offload, step } = optimizer;
  const holders = mesh.data * mesh.context;
  const fsdp = shard === 'zero2' || shard === 'zero3' || shard === 'fsdp';
  return {
    flags: [
      ['optimizer', optimizerWord(recipe.name) ?? 'adam'],
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
      ...formatFlags(written, model.precision, offload !== undefined),
      ...(offload === undefined
        ? []
        : ([['optimizer-cpu-offload'], ['optimizer-offload-fraction', String(offload.share)]] as const)),
      ['clip-grad', clip ? '1.0' : '0.0'],
    ],
    notes: [
      ...(!namesOptimizer(optimizer)
        ? ['The file names no optimizer: Megatron-LM trains with Adam then.']
        : keepsSame(recipe.name, model.precision)
          ? []
          : [
              `In ${model.precision} Megatron-LM keeps other bytes of a parameter than \`${recipe.name}\`: \`optimizer = ${usualOptimizer(model.precision)}\` counts them.`,
            ]),
      ...(step === undefined ? [] : ['The time of the update has no argument.']),
    ],
  };
}

/** Formats of gradients, main weights and moments: the precision-aware optimizer has a switch. The host keeps state with it only. */
function formatFlags(written: RecipeValues, precision: string, isOffloaded: boolean): readonly FlagText[] {
  const word = (name: string, usual: string): string => String(written.get(name) ?? usual);
  const [grads, params, moments] = [word('main_grads', 'fp32'), word('main_params', 'fp32'), word('moments', 'fp32')];
  return [
    ...(written.get('gradient_copies') === 'true' ? ([['grad-reduce-in-bf16']] as const) : []),
    ...(isOffloaded || isPrecisionAware(written) ? ([['use-precision-aware-optimizer']] as const) : []),
    ...(isPrecisionAware(written)
      ? ([
          ['main-grads-dtype', grads],
          // The remainder of bf16 weights is what fp32 main weights are stored as.
          ['main-params-dtype', params === 'remainder' ? 'fp32' : params],
          ['exp-avg-dtype', moments],
          ['exp-avg-sq-dtype', moments],
        ] as const)
      : []),
    ...(keepsProducts(written) ? ([[`${precision}-param-gather`]] as const) : []),
  ];
}
