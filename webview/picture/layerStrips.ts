import { deviceOf, stageOf } from './blocks.ts';
import { firstEndingAfter } from './columns.ts';
import type { Lane } from './lanes.ts';
import { firstForwardOf } from './laneWords.ts';
import type { Picture } from './picture.ts';

/** Part of a block in which a layer runs that replicas exchange. */
export interface LayerStrip {
  readonly device: number;
  readonly block: number;
  /** The layer's weights are needed, in the first forward; or its gradients are made, in the last backward. */
  readonly side: 'needs' | 'makes';
  readonly from: number;
  readonly to: number;
  readonly lane: Lane;
  readonly bucket: number;
}

const known = new WeakMap<Picture, readonly LayerStrip[]>();

/** Of all lanes; empty without an exchange. Kept with the picture. */
export function layerStrips(picture: Picture): readonly LayerStrip[] {
  const strips = known.get(picture) ?? (picture.lanes?.all ?? []).flatMap((lane) => stripsOf(picture, lane));
  known.set(picture, strips);
  return strips;
}

function stripsOf(picture: Picture, lane: Lane): readonly LayerStrip[] {
  const bucketOf = bucketsByTensor(lane);
  const stages = new Set(lane.tensors.map(({ stage }) => stage));
  return [...stages].flatMap((stage) => {
    const tensors = [...lane.tensors.keys()].filter((tensor) => lane.tensors[tensor].stage === stage);
    // The front layer comes first in a forward, and last in a backward.
    const forward = tensors.toSorted((a, b) => lane.tensors[a].before - lane.tensors[b].before);
    const backward = tensors.toSorted((a, b) => lane.ready[a] - lane.ready[b]);
    const found = (strips: readonly Place[]): readonly LayerStrip[] =>
      strips.map(({ tensor, ...place }) => ({
        ...place,
        device: deviceOf(picture, place.block),
        lane,
        bucket: bucketOf[tensor],
      }));
    return [...found(needed(picture, lane, stage, forward)), ...found(made(picture, lane, stage, backward))];
  });
}

type Place = Pick<LayerStrip, 'block' | 'side' | 'from' | 'to'> & { readonly tensor: number };

function needed({ columns }: Picture, { tensors }: Lane, stage: number, order: readonly number[]): readonly Place[] {
  const block = firstForwardOf(columns, stage);
  if (block < 0) return [];
  const [start, end] = [columns.start[block], columns.end[block]];
  const at = (index: number): number =>
    index < order.length ? start + tensors[order[index]].before * (end - start) : end;
  return order.map((tensor, index) => ({ tensor, block, side: 'needs', from: at(index), to: at(index + 1) }));
}

function made(picture: Picture, { ready }: Lane, stage: number, order: readonly number[]): readonly Place[] {
  const { columns, lanes } = picture;
  const device = picture.placement[stage];
  const noise = 1e-9 * (lanes?.period ?? 0);
  const places: Place[] = [];
  for (const tensor of order) {
    if (!Number.isFinite(ready[tensor])) continue;
    const block = firstEndingAfter(columns, device, ready[tensor] - noise);
    if (block >= columns.offsets[device + 1] || stageOf(picture, block) !== stage) continue;
    const before = places.at(-1);
    const from = before?.block === block ? before.to : columns.start[block];
    places.push({ tensor, block, side: 'makes', from, to: Math.min(ready[tensor], columns.end[block]) });
  }
  return places;
}

function bucketsByTensor({ tensors, buckets: { offsets, members } }: Lane): Int32Array {
  const found = new Int32Array(tensors.length);
  for (let bucket = 0; bucket + 1 < offsets.length; bucket += 1)
    for (let at = offsets[bucket]; at < offsets[bucket + 1]; at += 1) found[members[at]] = bucket;
  return found;
}
