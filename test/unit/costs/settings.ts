import type { DeviceSpeed, LayerSetting, ShapeCost } from '../../../engine/costs/types.ts';
import { findShape, type ShapeArguments } from '../../../engine/costs/shapes.ts';

export const setting = (over: Partial<LayerSetting> = {}): LayerSetting => ({
  sequence: 2048,
  microBatch: 1,
  precision: 'bf16',
  tensor: 1,
  sequenceParallel: false,
  context: 1,
  expert: 1,
  expertTensor: over.tensor ?? 1,
  recompute: 'none',
  ...over,
});

/** One unit of work a second, nothing else: times are FLOPs, or bytes where only they count. */
export const device = (over: Partial<DeviceSpeed> = {}): DeviceSpeed => ({
  compute: 1,
  efficiency: 1,
  bandwidth: 0,
  speed: 1,
  ...tensorRing(0),
  overlap: { tensor: 0, context: 1, expert: 0 },
  ...over,
});

/** Tensor ranks on a ring; nothing else is connected. */
export const tensorRing = (bandwidth: number, latency = 0): Pick<DeviceSpeed, 'rings'> => ({
  rings: { tensor: { bandwidth, latency }, context: still, expert: still },
});
const still = { bandwidth: 0, latency: 0 };

export function cost(shape: string, args: ShapeArguments, over: Partial<LayerSetting> = {}): ShapeCost {
  const found = findShape(shape);
  if (found === undefined) throw new Error(`no shape "${shape}"`);
  return found.cost(args, setting(over));
}

/** GPT models of arXiv:2205.05198, Table 3: heads, hidden, layers, microbatch. */
export const gpt = {
  '22B': { heads: 64, hidden: 6144, layers: 48, microBatch: 4 },
  '175B': { heads: 96, hidden: 12288, layers: 96, microBatch: 1 },
  '530B': { heads: 128, hidden: 20480, layers: 105, microBatch: 1 },
  '1T': { heads: 160, hidden: 25600, layers: 128, microBatch: 1 },
} as const;
