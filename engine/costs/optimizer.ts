/** Optimizers that a file may name, and the bytes that they keep. */
import { custom } from './optimizer/custom.ts';
import { inFp32 } from './optimizer/fp32.ts';
import { megatron } from './optimizer/megatron.ts';
import { muon } from './optimizer/muon.ts';
import { clip, recipe, step, type OptimizerRecipe } from './optimizer/recipe.ts';
import { elementBytes } from './precision.ts';
import type { Precision } from './types.ts';

export type {
  MovedBytes,
  OptimizerBytes,
  OptimizerParameter,
  OptimizerRecipe,
  OptimizerRequest,
  ParameterBytes,
  RecipeValues,
} from './optimizer/recipe.ts';
export { keptBytes, splitBytes, withoutState } from './optimizer/recipe.ts';
export {
  type GradientSync,
  isGradientSync,
  isShard,
  reducesEach,
  scattersEach,
  type Shard,
  shardRanks,
  shardsGradients,
  shardsState,
  shardsWeights,
} from './optimizer/shard.ts';

/** Weights and gradients at the model's precision and nothing more: used if a file names no optimizer. */
const none: OptimizerRecipe = {
  name: 'none',
  doc: "Weights and gradients at the model's precision, no state. Nothing is split.",
  parameters: [step, clip],
  bytes: ({ local, experts, precision }) => ({
    weights: elementBytes(precision) * (local + experts),
    gradients: elementBytes(precision) * (local + experts),
    optimizer: 0,
  }),
  moved: (precision) => {
    const element = elementBytes(precision);
    return { weight: element, gradient: element, whole: element, gathered: element };
  },
};

/**
 * Bytes by recipe. Mixed precision keeps an fp32 main copy of 16-bit weights (arXiv:1710.03740, section 3.1) and the moments in
 * fp32: ZeRO (arXiv:1910.02054, section 3.1) counts 2 + 2 + 12 with Adam, so 2 + 2 + 8 with momentum and 2 + 2 + 4 with neither.
 * DeepSpeed's BF16_Optimizer (deepspeed/runtime/bf16_optimizer.py) sums gradients in fp32 by default (`grad_accum_dtype`). It
 * drops the bf16 gradients of a backward only when the next begins (`immediate_grad_update` drops them at once: `custom(weight =
 * 2, gradient = 4, state = 12)`). AdamW keeps the two moments of Adam (arXiv:1711.05101, algorithm 2), Lion one momentum
 * (arXiv:2302.06675, algorithm 2), Muon one too (arXiv:2502.16982, section 2.1). Adafactor keeps n + m numbers of the second moment
 * of an n × m matrix (arXiv:1804.04235, algorithm 4), and 8-bit Adam a byte of each moment (arXiv:2110.02861, section 2).
 */
export const optimizers: readonly OptimizerRecipe[] = [
  none,
  inFp32('sgd', { state: 0 }, 'Plain SGD in fp32.'),
  recipe('sgd_mixed', { weight: 2, gradient: 2, state: 4 }, 'Mixed-precision SGD with 16-bit gradients.'),
  inFp32('momentum', { state: 4 }, 'SGD with momentum in fp32.'),
  recipe(
    'momentum_mixed',
    { weight: 2, gradient: 2, state: 8 },
    'Mixed-precision SGD with momentum and 16-bit gradients.',
  ),
  inFp32('adam', { state: 8 }, 'Adam in fp32.'),
  inFp32(
    'adamw',
    { state: 8 },
    'AdamW in fp32. It takes the same bytes as `adam`: decoupled weight decay keeps no state.',
  ),
  recipe(
    'adam_mixed',
    { weight: 2, gradient: 2, state: 12 },
    'Mixed-precision Adam with 16-bit gradients, as DeepSpeed keeps it with fp16.',
  ),
  inFp32('adam_8bit', { state: 2 }, 'Adam with both moments in 8 bits, weights and gradients in fp32 (bitsandbytes).'),
  inFp32('lion', { state: 4 }, 'Lion in fp32: one momentum.'),
  inFp32(
    'adafactor',
    // All squares are summed by row and column first, then the update's own size is found, then it is applied (algorithm 4).
    { state: 0, reads: 3 },
    'Adafactor in fp32 without momentum: of the second moment of a matrix it keeps a row and a column.',
  ),
  muon,
  recipe('adam_bf16', { weight: 2, gradient: 2, state: 4, inPlace: true }, 'Adam with everything in bf16.'),
  recipe(
    'deepspeed_bf16',
    { weight: 2, gradient: 6, sum: 4, state: 12 },
    'Adam of DeepSpeed with bf16: gradients of a backward in bf16, and their sum in fp32.',
  ),
  ...megatron,
  custom,
];

export const findOptimizer = (name: string): OptimizerRecipe | undefined =>
  optimizers.find((optimizer) => optimizer.name === name);

/** What training at a precision usually keeps: the recipe that is offered where a file names none. */
export const usualOptimizer = (precision: Precision): string =>
  elementBytes(precision) === 4
    ? 'adam'
    : precision === 'fp8' || precision === 'fp4' || precision === 'fp16'
      ? `megatron_${precision}`
      : 'megatron_bf16';
