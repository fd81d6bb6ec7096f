import { elementBytes } from './precision.ts';
import type { Precision } from './types.ts';

/** What an optimizer keeps. Adding one: an entry of `optimizers`. */
export interface OptimizerRecipe {
  /** As written in a file: `adam_mixed`. */
  readonly name: string;
  readonly doc: string;
  readonly parameters: readonly OptimizerParameter[];
  bytes(parameters: OptimizerRequest): OptimizerBytes;
}

export interface OptimizerParameter {
  readonly name: string;
  readonly kind: 'word' | 'time';
  /** For words: what may be written. */
  readonly words?: readonly string[];
  readonly default?: string;
  readonly doc: string;
}

export type Shard = 'none' | 'zero1' | 'distributed';

export interface OptimizerRequest {
  /** Parameters on one tensor rank of a stage. */
  readonly local: number;
  /** Data-parallel ranks. */
  readonly data: number;
  /** Of the model; only `none` depends on it. */
  readonly precision: Precision;
  readonly shard?: Shard;
}

/** Bytes on one device. */
export interface OptimizerBytes {
  readonly weights: number;
  readonly gradients: number;
  readonly optimizer: number;
}

const step: OptimizerParameter = {
  name: 'step',
  kind: 'time',
  doc: 'seconds of the update after the last backward; none unless said',
};
const shard: OptimizerParameter = {
  name: 'shard',
  kind: 'word',
  words: ['none', 'zero1', 'distributed'],
  default: 'none',
  doc: 'splits the optimizer state over data ranks: `zero1` as ZeRO stage 1, `distributed` as Megatron-LM; the bytes are the same',
};

/** Bytes of one parameter: weight, gradient, and state, which is what is split over data ranks. */
function recipe(name: string, weight: number, gradient: number, state: number, doc: string): OptimizerRecipe {
  return {
    name,
    doc: `${doc} ${weight + gradient + state} bytes a parameter: weights ${weight}, gradients ${gradient}, state ${state}.`,
    parameters: state > 0 ? [shard, step] : [step],
    bytes: ({ local, data, shard: split = 'none' }) => ({
      weights: weight * local,
      gradients: gradient * local,
      optimizer: (state * local) / (split === 'none' ? 1 : Math.max(1, data)),
    }),
  };
}

/** Weights and gradients at the model's precision and nothing else: what holds where a file names no optimizer. */
const none: OptimizerRecipe = {
  name: 'none',
  doc: "Weights and gradients at the model's precision, no state.",
  parameters: [step],
  bytes: ({ local, precision }) => ({
    weights: elementBytes(precision) * local,
    gradients: elementBytes(precision) * local,
    optimizer: 0,
  }),
};

/**
 * Bytes by recipe: ZeRO (arXiv:1910.02054, section 3.1) for mixed precision; Megatron-LM's `dist_optimizer` guide for its own,
 * which keeps fp32 gradients with bf16 and an fp32 copy of fp16 ones.
 */
export const optimizers: readonly OptimizerRecipe[] = [
  none,
  recipe('sgd', 4, 4, 0, 'Plain SGD in fp32.'),
  recipe('momentum', 4, 4, 4, 'SGD with momentum in fp32.'),
  recipe('adam', 4, 4, 8, 'Adam in fp32.'),
  recipe('adam_mixed', 2, 2, 12, 'Mixed-precision Adam with 16-bit gradients, as in DeepSpeed.'),
  recipe('adam_bf16', 2, 2, 4, 'Adam with everything in bf16.'),
  recipe('megatron_bf16', 2, 4, 12, 'Megatron-LM with bf16 and fp32 gradients.'),
  recipe('megatron_fp16', 2, 2, 16, 'Megatron-LM with fp16 gradients and their fp32 copy.'),
];

export const findOptimizer = (name: string): OptimizerRecipe | undefined => optimizers.find((one) => one.name === name);
