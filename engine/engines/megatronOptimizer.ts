/** Optimizers of Megatron Core: its names for them, and what their formats need. */
import { type RecipeValues, usualOptimizer } from '../costs/optimizer.ts';
import type { Row, Setup } from './engine.ts';
import { partsRefusal, recipeRow, scatterRefusal } from './shared.ts';

/** What Megatron-LM calls them. Some keep other bytes of a parameter there: exports say so. */
const words: ReadonlyMap<string, 'adam' | 'sgd'> = new Map([
  ...['adam', 'adamw', 'adam_mixed', 'megatron_bf16', 'megatron_fp16', 'megatron_fp8', 'megatron_fp4'].map(
    (name) => [name, 'adam'] as const,
  ),
  ['megatron_sgd', 'sgd'] as const,
]);

export const optimizerWord = (recipe: string): 'adam' | 'sgd' | undefined => words.get(recipe);

const format = (written: RecipeValues, name: string): string => String(written.get(name) ?? 'fp32');

/** Formats of gradients, main weights or moments that only the precision-aware optimizer has. */
export const isPrecisionAware = (written: RecipeValues): boolean =>
  written.get('gradient_copies') !== 'true' &&
  ['main_grads', 'main_params', 'moments'].some((name) => format(written, name) !== 'fp32');

/** Weights are kept in the format of the products. */
export const keepsProducts = (written: RecipeValues): boolean => (written.get('primary') ?? 'bf16') !== 'bf16';

export const optimizerRows = (title: string): readonly Row[] => [
  recipeRow(title, {
    runs: 'Adam and SGD. `megatron_bf16`, `megatron_fp16`, `megatron_fp8` and `megatron_fp4` count their bytes at a precision, `adam` in fp32.',
    source: 'megatron/training/arguments.py: --optimizer; docs/api-guide/dist_optimizer.md',
    has: ({ precision }) => [...new Set([usualOptimizer(precision), ...words.keys()])],
  }),
  {
    key: 'optimizer',
    runs: 'With a `shard`: other formats of gradients, main weights and moments, weights in fp8 or fp4, and a part of the optimizer on the host. The precision-aware optimizer is Adam.',
    source:
      'megatron/training/arguments.py: validate_args (optimizer_cpu_offload, fp8_param_gather); core/optimizer/optimizer_config.py: __post_init__',
    refusesAsWritten: (setup) => shardRefusal(setup, title),
  },
  {
    key: 'optimizer',
    runs: 'Megatron FSDP gives up gathered weights after each pass of a layer, and scatters gradients after each backward.',
    source: 'megatron/core/distributed/fsdp/src/megatron_fsdp/megatron_fsdp.py: MegatronFSDP',
    refusesAsWritten: (setup) => {
      const { optimizer, mesh } = setup;
      if (optimizer?.reshard !== false)
        return partsRefusal(setup, 'Megatron FSDP') ?? scatterRefusal(setup, 'Megatron FSDP');
      return (optimizer.shard === 'zero3' || optimizer.shard === 'fsdp') && mesh.data * mesh.context > 1
        ? {
            reason: 'Megatron FSDP drops gathered weights after each pass of a layer, and this pipeline keeps them',
            nearest: { key: 'optimizer', argument: 'reshard', value: 'true' },
          }
        : undefined;
    },
  },
];

function shardRefusal({ optimizer }: Setup, title: string): ReturnType<NonNullable<Row['refuses']>> {
  if (optimizer === undefined || optimizer.shard !== 'none') return undefined;
  const wants =
    isPrecisionAware(optimizer.written) || keepsProducts(optimizer.written)
      ? 'these formats of gradients, weights and moments'
      : optimizer.offload !== undefined
        ? 'a part of the optimizer on the host'
        : undefined;
  return wants === undefined
    ? undefined
    : {
        reason: `${title} has ${wants} with its distributed optimizer only`,
        nearest: { key: 'optimizer', argument: 'shard', value: 'distributed' },
      };
}
