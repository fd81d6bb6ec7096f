import { moves } from './kernels.ts';
import { elementBytes } from './precision.ts';
import type { RecomputeModule } from './recompute.ts';
import { flagOf, numberOf, type ShapeArguments } from './shape.ts';
import type { AdapterPart } from './training.ts';
import type { ApartFlops, Collective, FusedCore, Kernel, LayerSetting, Parts } from './types.ts';

export { parts } from './partNames.ts';

/** One half of a transformer layer, attention or MLP, on one tensor rank. FLOPs and bytes are per token. */
export interface LayerPart {
  /** Over all tensor ranks, and held by one. */
  readonly parameters: number;
  readonly localParameters: number;
  /** Forward FLOPs of products with weights, and of those without. A multiply-add counts two. */
  readonly linear: number;
  readonly core: number;
  /** Present if the core is a fused kernel. */
  readonly fused?: FusedCore;
  /** Of `linear`, what the model itself does not ask for: repeated on tensor ranks, or `capacity`. None where absent. */
  readonly spare?: number;
  /** Of `linear`, products whose inputs need no gradient, and of these the ones without a weight gradient: run, and asked for by the model. Only of an indexer. */
  readonly apart?: { readonly run: ApartFlops; readonly asked: ApartFlops };
  /** Of `linear`, what goes by the tokens of another tower. Only of cross-attention. */
  readonly otherTower?: number;
  /** The part of `localParameters` that belongs to experts. */
  readonly expertParameters?: number;
  /** Bytes that the forward keeps, by what they are; `scores` are recomputed under selective recomputation. */
  readonly keeps: Parts;
  /** Bytes that the backward makes again for itself, whatever is recomputed. */
  readonly remade: number;
  /** Bytes that its core holds in addition while it runs, in either direction; absent: none. */
  readonly whileInCore?: number;
  /** Bytes that the weight gradient needs: inputs of layers with weights, and the gradients of their outputs. */
  readonly forWeight: number;
  /** Bytes of a token too; counted where their group has several ranks. */
  readonly collectives: readonly Collective[];
  /** Of a whole microbatch, one forward. */
  readonly kernels: () => readonly Kernel[];
  /** Weights of its products on one rank, if not every token meets each of them once. */
  readonly matrices?: number;
  /** Of `keeps`, tokens of another tower, which all layers of a stage hold once. */
  readonly crossInput?: number;
  /** Adapters of its products, in none of the figures above but `keeps`. */
  readonly adapters?: AdapterPart;
  /** What can be recomputed apart. */
  readonly modules?: ModuleTable;
  readonly operations?: Operations;
}

/** What recomputation of one module frees and runs again, for one microbatch on one rank. */
export interface ModuleRepeats {
  /** Bytes of a token that are not kept, by what they are. */
  readonly frees: Parts;
  readonly kernels: () => readonly Kernel[];
  /** Bytes of a token too. */
  readonly collectives?: readonly Collective[];
}
export type ModuleTable = Readonly<Partial<Record<RecomputeModule, ModuleRepeats>>>;

/** One half of a layer, by operation. Bytes are per token. */
export interface Operations {
  /** Products with weights in the order in which they run. `kept`: the layer keeps the output anyway if nothing is recomputed. */
  readonly products: readonly { readonly output: number; readonly kept: boolean; readonly kernel: () => Kernel }[];
  /** Outputs that always stay. */
  readonly saves: Parts;
  /** Products that always run again: of the router, and grouped ones of experts. */
  readonly again?: () => readonly Kernel[];
  /** Outputs that stay, which the layer does not keep if nothing is recomputed. */
  readonly extra: Parts;
}

/** Bytes by name, each once, in order; what is 0 is left out. */
export function addParts(...all: readonly Parts[]): Parts {
  const sum: Record<string, number> = {};
  for (const parts of all)
    for (const [name, bytes] of Object.entries(parts)) if (bytes > 0) sum[name] = (sum[name] ?? 0) + bytes;
  return sum;
}

export const scaleParts = (parts: Parts, factor: number): Parts =>
  Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, bytes * factor]));

export const sumParts = (parts: Parts): number => Object.values(parts).reduce((sum, part) => sum + part, 0);

/** Tokens of a microbatch on one rank: context ranks each have a part of every sequence. */
export const tokensOf = ({ sequence, microBatch, context }: LayerSetting): number => (sequence * microBatch) / context;

/**
 * Around one half of a transformer layer. Without sequence parallelism: an all-reduce in each direction. With it: a gather and a
 * scatter.
 */
export function tensorCollectives({ tensor, sequenceParallel }: LayerSetting, bytes: number): readonly Collective[] {
  if (tensor === 1) return [];
  const each = { over: 'tensor', bytes, forward: 1, backward: 1 } as const;
  if (!sequenceParallel) return [{ ...each, pattern: 'all_reduce' }];
  return [
    { ...each, pattern: 'all_gather' },
    { ...each, pattern: 'reduce_scatter' },
  ];
}

/** The MLP's or attention's own view of a layer: widths, and the ranks that split what is not split by heads or width. */
export const hiddenOf = (args: ShapeArguments): number => numberOf(args, 'hidden', 1);
export const wholeRanks = ({ tensor, sequenceParallel }: LayerSetting): number => (sequenceParallel ? tensor : 1);
/** Ranks that split what is kept of the head's input, which sequence parallelism gathers. */
export const inputRanks = (setting: LayerSetting): number => (setting.wholeInputs === true ? 1 : wholeRanks(setting));

/** Bytes per token of a dropout mask over the hidden width: a byte per element. */
export const maskBytes = (args: ShapeArguments, setting: LayerSetting): number =>
  flagOf(args, 'dropout', true) ? hiddenOf(args) / wholeRanks(setting) : 0;

/** Behind each half of a layer: bias, dropout and residual, fused. Two tensors are read, one is written, and a mask. */
export function residual(args: ShapeArguments, setting: LayerSetting): Kernel {
  const hidden = hiddenOf(args) / wholeRanks(setting);
  return moves(tokensOf(setting) * (3 * elementBytes(setting.precision) * hidden + maskBytes(args, setting)));
}

/** A layer whose outputs tensor ranks split: `output` bytes are gathered in the forward, the gradient of `input` bytes summed in the backward. */
export function splitOutputs({ tensor }: LayerSetting, output: number, input: number): readonly Collective[] {
  if (tensor === 1) return [];
  return [
    { over: 'tensor', pattern: 'all_gather', bytes: output, forward: 1, backward: 0 },
    { over: 'tensor', pattern: 'all_reduce', bytes: input, forward: 0, backward: 1 },
  ];
}
