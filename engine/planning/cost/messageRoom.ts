/** Room for messages between stages: what a device holds of tensors that arrive and leave. */
import type { EdgePlan } from '../../values/plan.ts';
import type { SitedRanks } from '../place/sites.ts';

/**
 * - `stage`: each stage has room for this number of messages from each stage that sends to it. Megatron-LM without chunks: one.
 * - `device`: all stages of a device share room. This is Megatron-LM with chunks (`forward_backward_pipelining_with_interleaving`).
 *   While a backward runs, it holds the gradient that it reads and the activation of the next forward (`fwd_recv_buffer`). It also
 *   holds the last output (`deallocate_output_tensor` in `pp_pre_forward`) and the last gradient that it sent (`input_tensor_grad`).
 *   The first device has room for `ends` activations, the last for `ends` gradients.
 * - `all`: PyTorch, `torch/distributed/pipelining/stage.py`. Each stage has room for the messages of all microbatches (`args_recv_info`,
 *   `grad_recv_info`), and keeps what it sends until the backward (`fwd_cache`).
 */
export type MessageRoom =
  | { readonly of: 'stage'; readonly messages: number }
  | { readonly of: 'device'; readonly ends: number }
  | { readonly of: 'all'; readonly messages: number };

interface Messages {
  readonly edges: readonly EdgePlan[];
  readonly ranks: SitedRanks;
  readonly room: MessageRoom;
}

/** Bytes by stage. What a device shares is at its stage with the largest messages. */
export function bufferBytes({ edges, ranks, room }: Messages): Float64Array {
  const { entering, leaving } = messageBytes(edges, ranks);
  const { placement } = ranks;
  if (room.of !== 'device') return entering.map((bytes, stage) => room.messages * (bytes + leaving[stage]));
  const [first, last] = [placement[0], placement[placement.length - 1]];
  const bytes = new Float64Array(placement.length);
  const add = (sizes: Float64Array, messages: (rank: number) => number) => {
    const largest = new Map<number, number>();
    for (const [stage, rank] of placement.entries()) {
      const before = largest.get(rank);
      if (before === undefined || sizes[stage] > sizes[before]) largest.set(rank, stage);
    }
    for (const [rank, stage] of largest) bytes[stage] += messages(rank) * sizes[stage];
  };
  // What arrives, and what was sent the other way.
  add(entering, (rank) => (rank === first ? room.ends : 1) + 1);
  add(leaving, (rank) => (rank === last ? room.ends : 1) + 1);
  return bytes;
}

/**
 * By stage: bytes of a whole microbatch on one of its replicas that it sends to later stages and keeps until the backward. Elsewhere
 * 0: Megatron-LM frees them (`deallocate_pipeline_outputs`). `pieces`: shares of a microbatch that edges carry.
 */
export function sentBytes({
  edges,
  ranks,
  room,
  pieces,
}: Messages & { readonly pieces: readonly { readonly bytes: number }[] }): Float64Array {
  if (room.of !== 'all') return new Float64Array(pieces.length);
  const { leaving } = messageBytes(edges, ranks);
  const shareOf = (stage: number): number => ranks.ranks[ranks.placement[stage]].kind.share;
  return leaving.map((bytes, stage) => (bytes * shareOf(stage)) / pieces[stage].bytes);
}

/** By stage: bytes of one activation from each earlier stage, and of one gradient from each later one, on other devices. */
function messageBytes(
  edges: readonly EdgePlan[],
  ranks: SitedRanks,
): { readonly entering: Float64Array; readonly leaving: Float64Array } {
  const entering = new Float64Array(ranks.placement.length);
  const leaving = new Float64Array(ranks.placement.length);
  // A message comes from one of the replicas of the other stage: room for one is enough for all.
  const roomFor = new Set<string>();
  const number = (stage: number) => ranks.copies?.[stage].stage ?? stage;
  const add = (bytes: Float64Array, stage: number, other: number, size: number) => {
    const key = `${stage} ${number(other)}`;
    if (ranks.copies?.[other].segment === undefined && roomFor.has(key)) return;
    roomFor.add(key);
    bytes[stage] += size;
  };
  for (const edge of edges) {
    if (ranks.placement[edge.from] === ranks.placement[edge.to]) continue;
    // Each receives in parts of its own.
    add(entering, edge.to, edge.from, edge.back ?? edge.bytes);
    // No gradient comes back from a stage behind layers that do not train; to a spare copy `back` is 0.
    if (edge.forwardOnly !== true || edge.back === 0) add(leaving, edge.from, edge.to, edge.bytes);
  }
  return { entering, leaving };
}
