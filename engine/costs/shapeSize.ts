import { findShape, type ShapeArguments } from './shapes.ts';
import type { LayerSetting } from './types.ts';

/** A layer, or an array of equal ones, whose costs follow from a shape: all that they depend on, without a device. */
export interface LayerShape {
  readonly shape: string;
  readonly args: ShapeArguments;
  readonly setting: LayerSetting;
  /** Layers of the array. */
  readonly count: number;
  /** Tokens of a microbatch of the model. */
  readonly tokens: number;
}

/** Parameters of one layer, and FLOPs of its forward for each token of the model. */
export interface ShapeSize {
  readonly parameters: number;
  readonly flops: number;
}

/** Undefined for a shape that does not exist, or whose arguments do not fit together. */
export function shapeSize({ shape, args, setting, tokens }: LayerShape): ShapeSize | undefined {
  const schema = findShape(shape);
  if (schema === undefined || schema.check?.(args, setting) !== undefined) return undefined;
  const { parameters, linearFlops, coreFlops } = schema.cost(args, setting);
  return { parameters, flops: (linearFlops + coreFlops) / tokens };
}
