import { conv2d } from './conv2d.ts';
import { custom } from './custom.ts';
import { embedding } from './embedding.ts';
import { linear } from './linear.ts';
import { lmHead } from './lm_head.ts';
import { matmul } from './matmul.ts';
import { mtp } from './mtp.ts';
import { norm } from './normLayer.ts';
import { patchEmbedding } from './patchEmbedding.ts';
import type { ShapeSchema } from './shape.ts';
import { transformer } from './transformer.ts';

export type { ShapeArguments, ShapeParameter, ShapeSchema } from './shape.ts';

/** All shapes that a layer may have, in the order in which lists show them. */
export const shapes: readonly ShapeSchema[] = [
  transformer,
  embedding,
  lmHead,
  mtp,
  linear,
  norm,
  patchEmbedding,
  conv2d,
  matmul,
  custom,
];

export const findShape = (name: string): ShapeSchema | undefined => shapes.find((shape) => shape.name === name);

export const takesArgument = (shape: string, name: string): boolean =>
  findShape(shape)?.parameters.some((parameter) => parameter.name === name) === true;
