/** Words that keys of several blocks take. */
import { table } from '../../basics/table.ts';
import type { Word } from '../kinds.ts';
import type { RecomputeModule } from '../../costs/recompute.ts';

export const precisions: readonly Word[] = [
  { name: 'bf16', doc: 'Two bytes an element.' },
  { name: 'fp16', doc: 'Two bytes an element.' },
  { name: 'fp8', doc: 'Multiplied in one byte an element; stored in two.' },
  { name: 'fp4', doc: 'Products with weights are in half a byte an element (NVFP4); stored in two bytes.' },
  { name: 'tf32', doc: 'Four bytes an element, tensor-core rate.' },
  { name: 'fp32', doc: 'Four bytes an element.' },
];
/** Other names of modules: how Megatron-LM writes them. */
export const otherModuleNames: Readonly<Record<string, RecomputeModule>> = table({ core_attn: 'core_attention' });

/** Modules of a layer, as `modules(…)` takes them. */
export const moduleWords: Readonly<Record<RecomputeModule, string>> = {
  core_attention:
    'The attention core: frees its scores, or the log-sum-exp of FlashAttention. Megatron-LM calls it `core_attn`.',
  mla_up_proj: 'The products of latent attention that widen its vectors, with their norms: frees what both make.',
  layernorm:
    'The norms before latent attention and experts: frees their outputs. Other norms run inside the product behind them.',
  mlp: 'The MLP of a layer without experts, with the norm before it: frees all between its input and its last product.',
  moe: 'All of a mixture of experts: frees routing, inputs of experts and what is inside them.',
  moe_act: 'The activation function of the experts: frees its output.',
  shared_experts: 'Experts that every token goes to: frees what is inside them.',
};

/** Planners that `plan(…)` knows. */
export const planners = ['pipedream', 'dapple', 'alpa', 'hetpipe'] as const;

/** What each of them does. */
export const plannerWords: Readonly<Record<(typeof planners)[number], string>> = {
  pipedream: 'makes the slowest stage of a full pipeline as fast as possible, and ignores memory',
  dapple: 'makes a synchronous iteration as short as possible, and ignores memory',
  alpa: 'makes a synchronous iteration as short as possible, and chooses the tensor and data ranks of every stage',
  hetpipe: 'makes the slowest stage of a virtual worker of different devices as fast as possible',
};

/** How `plan(hetpipe)` divides a cluster into virtual workers. */
export const allocations = ['node', 'equal', 'hybrid'] as const;

/** What each of them makes a virtual worker of. */
export const allocationWords: Readonly<Record<(typeof allocations)[number], string>> = {
  node: 'each node is a virtual worker',
  equal: 'each virtual worker has one device of every node',
  hybrid: 'each virtual worker has half of a fast and half of a slow node',
};

/** What `plan(pipedream)` can make least: the bottleneck as the paper defines it, or as the released program does. */
export const pipedreamObjectives = ['paper', 'released'] as const;
