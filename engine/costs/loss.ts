/** What the loss behind the head holds of the logits, by how it is computed. */
import type { ShapeArguments, ShapeParameter } from './shape.ts';
import type { LayerSetting } from './types.ts';

/** What a logit in 16 bits takes. */
const meanings = {
  parallel: '6 B, Megatron-LM',
  eager: '14 B, PyTorch step by step',
  compiled: '4 B, one kernel in each direction',
  fused: '2 B, gradients in the place of the logits',
} as const;
type LossWord = keyof typeof meanings;

export const lossWords: readonly { readonly name: LossWord; readonly doc: string }[] = (
  Object.keys(meanings) as LossWord[]
).map((name) => ({ name, doc: `Bytes of a logit in 16 bits: ${meanings[name]}.` }));

export const lossParameter: ShapeParameter = {
  name: 'loss',
  kind: 'word',
  words: lossWords.map(({ name }) => name),
  calls: { kind: 'loss', name: 'chunked' },
  default: null,
  doc:
    'how the loss is computed, which sets the bytes of a logit in 16 bits. ' +
    `${lossWords.map(({ name }) => `\`${name}\`: ${meanings[name]}`).join('. ')}. ` +
    '`chunked(8)`: as `eager`, for an eighth of the tokens at a time. ' +
    'With tensor ranks `eager` takes 18 B. Default: as the model says, otherwise as the `engine` does. ' +
    'Without both it is `eager` if data ranks share the weights (`fsdp`, `zero3`) with a recipe that is not of Megatron-LM, otherwise `parallel`',
};

/** Bytes of one logit: those that stay from the forward to the backward, and those that one pass holds in addition. */
export interface LogitBytes {
  readonly kept: number;
  readonly workspace: number;
}

/**
 * - `parallel`: the 16-bit logits are copied to fp32, which becomes the softmax in place and stays. The backward turns it into the
 *   gradient in place, and copies that to 16 bits (Megatron-LM, `tensor_parallel/cross_entropy.py`).
 * - `eager`: 16-bit logits, which the caller still holds, and fp32 log-probabilities stay. The forward also holds the logits in fp32.
 *   The backward holds gradients before and behind the log-softmax, in fp32. Source: PyTorch, `cross_entropy(logits.float(), …)`.
 * - `compiled`: logits stay, the backward makes their gradient (`torch.compile`).
 * - `fused`: the forward writes the gradient over the logits (Transformer Engine, `parallel_cross_entropy`; Liger Kernel).
 *
 * In fp32 nothing is copied.
 */
export const logitBytes: Readonly<Record<LossWord, (element: number) => LogitBytes>> = {
  parallel: (element) => ({ kept: 4, workspace: copied(element) }),
  eager: (element) => ({ kept: element + 4, workspace: 8 }),
  compiled: (element) => ({ kept: element, workspace: element }),
  fused: (element) => ({ kept: element, workspace: 0 }),
};

/**
 * If tensor ranks split the vocabulary, an eager backward holds three tensors in fp32: a gradient, its sum with the softmax, and a
 * product (PyTorch, `torch/distributed/tensor/parallel/loss.py`, `_nll_loss_and_log_softmax_backward`).
 */
const splitWorkspace = 12;

const copied = (element: number): number => (element === 4 ? 0 : element);

/** How a head computes its loss. `usual` where the file does not say: the bytes of `parallel`, all while a pass runs. */
export type Loss = { readonly kind: LossWord | 'usual' } | { readonly kind: 'chunked'; readonly chunks: number };

/** The loss that the arguments of a head ask for, as `eager` or `chunked(8)`, or the loss where it is. */
export function lossOf(args: ShapeArguments, { loss = 'usual' }: Pick<LayerSetting, 'loss'>): Loss {
  const written = String(args['loss'] ?? loss);
  const word = lossWords.find(({ name }) => name === written);
  if (word !== undefined) return { kind: word.name };
  const [, chunks] = /^chunked\((\d+)\)$/.exec(written) ?? [];
  return chunks === undefined ? { kind: 'usual' } : { kind: 'chunked', chunks: Number(chunks) };
}

/** Bytes per token of a loss over `rows` logits of a token on a rank. */
export interface LossBytes {
  /** Logits, or what is left of them, from the forward to the backward. */
  readonly kept: number;
  /** The gradient of what the head reads, which a loss in chunks makes in the forward. */
  readonly gradient: number;
  readonly workspace: number;
}

/**
 * A loss in chunks runs forward and backward of one chunk after the other, and so in the forward of the stage. Of each chunk it
 * holds what `eager` does. The gradient of its input adds up in fp32 and stays in the number format of the model (torchtitan,
 * `ChunkedLossWrapper`).
 */
export function lossBytes(loss: Loss, element: number, rows: number, hidden: number, split = false): LossBytes {
  const eager = logitBytes.eager(element);
  const ofEager = { kept: eager.kept, workspace: split ? splitWorkspace : eager.workspace };
  if (loss.kind === 'chunked') {
    const { kept, workspace } = ofEager;
    const sums = (4 - element) * hidden;
    return { kept: 0, gradient: element * hidden, workspace: ((kept + workspace) * rows) / loss.chunks + sums };
  }
  if (loss.kind === 'usual') return { kept: 0, gradient: 0, workspace: rows * (4 + copied(element)) };
  const { kept, workspace } = loss.kind === 'eager' ? ofEager : logitBytes[loss.kind](element);
  return { kept: kept * rows, gradient: 0, workspace: workspace * rows };
}

/** Bytes per logit that the kernels behind the product move in a forward: a copy to fp32 where there is one, then the loss. */
export const lossTraffic = ({ kind }: Loss, element: number): readonly number[] =>
  kind === 'compiled' || kind === 'fused' ? [element] : [...(element === 2 ? [6] : []), 8];
