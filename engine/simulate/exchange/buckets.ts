/** The buckets in which a lane sends its tensors. */
import type { TensorPlan } from '../../values/exchangePlan.ts';
import type { Buckets } from '../../values/exchangeTimeline.ts';

export type LaneTensor = Pick<TensorPlan, 'stage' | 'bytes' | 'call'>;

/**
 * By tensor: 1 if a bucket closes with it. Backwards reach the last tensor of a stage first. A
 * bucket is full with the tensor that brings it to its size. `first` is the size of the first bucket of a stage, and `whole` are
 * stages with one bucket. Buckets keep to one stage and one kind of call.
 */
export function closesBySize(
  tensors: readonly LaneTensor[],
  bucket: number | 'layer',
  first?: number,
  whole: readonly number[] = [],
): Uint8Array {
  const closes = new Uint8Array(tensors.length);
  const size = bucket === 'layer' ? 0 : bucket;
  // By stage and call.
  const open = new Map<string, { held: number; most: number }>();
  for (let at = tensors.length - 1; at >= 0; at -= 1) {
    const { stage, call, bytes } = tensors[at];
    if (bytes === 0) continue;
    const key = `${stage} ${call}`;
    const filled = open.get(key) ?? { held: 0, most: whole.includes(stage) ? Infinity : (first ?? size) };
    open.set(key, filled);
    filled.held += bytes;
    if (filled.held < filled.most) continue;
    closes[at] = 1;
    filled.held = 0;
    if (filled.most < Infinity) filled.most = size;
  }
  return closes;
}

/** Buckets that close at `closes`. A tensor without bytes is in none. */
export function bucketsOf(tensors: readonly LaneTensor[], ready: Float64Array, closes: Uint8Array): Buckets {
  const found: number[][] = [];
  const open = new Map<string, number[]>();
  for (let at = tensors.length - 1; at >= 0; at -= 1) {
    const { stage, call, bytes } = tensors[at];
    if (bytes === 0) continue;
    const key = `${stage} ${call}`;
    let members = open.get(key);
    if (members === undefined) {
      found.push((members = []));
      open.set(key, members);
    }
    members.push(at);
    if (closes[at] === 1) open.delete(key);
  }
  const readyAt = (members: readonly number[]): number =>
    members.reduce((latest, tensor) => Math.max(latest, ready[tensor]), -Infinity);
  return columns(tensors, found, readyAt);
}

/**
 * Tensors that get ready between two multiples of `cycle` after `origin` are fused in that order, up to `fuse` bytes (Sergeev
 * and Del Balso, Horovod, arXiv:1802.05799, section 4; `operations.cc`).
 */
export function bucketsByCycle(
  tensors: readonly LaneTensor[],
  ready: Float64Array,
  cycle: number,
  fuse: number,
  origin: number,
): Buckets {
  const order = Array.from(tensors, (_, at) => at)
    .filter((at) => tensors[at].bytes > 0)
    .sort((a, b) => ready[a] - ready[b] || b - a);
  // A tensor that gets ready at a tick is taken in by it.
  const tickOf = (at: number): number => Math.max(0, Math.ceil((ready[at] - origin) / cycle - 1e-9));
  const found: number[][] = [];
  let held = 0;
  for (const at of order) {
    const open = found.at(-1);
    const { bytes, call } = tensors[at];
    const joins =
      open !== undefined && tickOf(open[0]) === tickOf(at) && tensors[open[0]].call === call && held + bytes <= fuse;
    if (joins) open.push(at);
    else found.push([at]);
    held = joins ? held + bytes : bytes;
  }
  return columns(tensors, found, (members) => origin + tickOf(members[0]) * cycle);
}

function columns(
  tensors: readonly LaneTensor[],
  found: readonly (readonly number[])[],
  readyAt: (members: readonly number[]) => number,
): Buckets {
  const front = (members: readonly number[]): number =>
    members.reduce((least, tensor) => Math.min(least, tensor), Infinity);
  const sorted = found
    .map((members) => ({ members, ready: readyAt(members), front: front(members) }))
    // Stable: of buckets that get ready at once, the one that was closed first.
    .sort((a, b) => a.ready - b.ready);
  const offsets = new Int32Array(sorted.length + 1);
  sorted.forEach(({ members }, at) => {
    offsets[at + 1] = offsets[at] + members.length;
  });
  return {
    offsets,
    members: Int32Array.from(sorted.flatMap(({ members }) => members)),
    ready: Float64Array.from(sorted, ({ ready }) => ready),
    bytes: Float64Array.from(sorted, ({ members }) => members.reduce((sum, tensor) => sum + tensors[tensor].bytes, 0)),
    call: Int32Array.from(sorted, ({ members }) => tensors[members[0]].call),
    front: Int32Array.from(sorted, ({ front }) => front),
  };
}
