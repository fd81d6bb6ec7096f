import { moves } from './kernels.ts';
import { addParts, parts, tokensOf } from './layerPart.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeSchema } from './shape.ts';
import { trainsWeights } from './training.ts';
import type { Collective, LayerSetting, ShapeCost } from './types.ts';
import { paddedVocabulary, padParameter, vocabularyParameters } from './vocabulary.ts';

/** A look-up of tokens: no FLOPs, only memory traffic. Its rows are split over tensor ranks. */
export const embedding: ShapeSchema = {
  name: 'embedding',
  doc: 'Token embedding. With `positions`, also a learned embedding of that many positions.',
  parameters: [
    ...vocabularyParameters,
    { name: 'positions', kind: 'integer', default: 0, min: 0, doc: 'learned positions; 0 for rotary or none' },
    { name: 'dropout', kind: 'boolean', default: true, doc: 'dropout after the look-up, whose mask is stored' },
    padParameter,
    {
      name: 'tied',
      kind: 'boolean',
      default: false,
      doc: 'shares its matrix with an earlier embedding, as the decoder of T5 with the encoder',
    },
  ],
  cost: costOfEmbedding,
};

/**
 * Recomputation leaves an embedding alone: it keeps only token numbers (8 bytes each) and a mask of bytes.
 * The forward reads a row and writes it; without sequence parallelism ranks add their parts up (all-reduce), with it they
 * scatter the sum, and the backward gathers it again.
 */
function costOfEmbedding(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const hidden = numberOf(args, 'hidden', 1);
  const positions = numberOf(args, 'positions', 0) * hidden;
  const tied = flagOf(args, 'tied', false);
  const { tensor, sequenceParallel } = setting;
  const rows = paddedVocabulary(args, tensor);
  const tokens = tokensOf(setting);
  const bytes = tokens * hidden * elementBytes(setting.precision);
  const whole = sequenceParallel ? tensor : 1;
  const mask = flagOf(args, 'dropout', true) ? (tokens * hidden) / whole : 0;
  const numbers = trainsWeights(setting) ? 8 * tokens : 0;
  return {
    parameters: (tied ? 0 : rows * hidden) + positions,
    localParameters: Math.ceil(rows / tensor) * hidden + positions,
    embeddingParameters: Math.ceil(rows / tensor) * hidden,
    ...(tied ? {} : { ownsEmbedding: true }),
    linearFlops: 0,
    coreFlops: 0,
    traffic: 2 * bytes,
    activation: numbers + mask,
    activationParts: addParts({ [parts.tokens]: numbers, [parts.masks]: mask }),
    // The scatter-add of W needs the tokens and the gradient of every row.
    activationForWeight: 8 * tokens + bytes / whole,
    recomputed: 0,
    recomputeFlops: 0,
    output: bytes / whole,
    workspace: 0,
    collectives: lookUpCollectives(setting, bytes),
    // Rows are read and written, positions added, and dropped out.
    kernels: () => [
      moves(2 * bytes),
      ...(positions > 0 ? [moves((2 * bytes) / whole)] : []),
      ...(mask > 0 ? [moves((2 * bytes) / whole + mask)] : []),
    ],
  };
}

/** The rows that a rank does not have come from the others: a sum over all, or scattered and, in the backward, gathered again. */
export function lookUpCollectives({ tensor, sequenceParallel }: LayerSetting, bytes: number): readonly Collective[] {
  if (tensor === 1) return [];
  if (!sequenceParallel) return [{ over: 'tensor', pattern: 'all_reduce', bytes, forward: 1, backward: 0 }];
  return [
    { over: 'tensor', pattern: 'reduce_scatter', bytes, forward: 1, backward: 0 },
    { over: 'tensor', pattern: 'all_gather', bytes, forward: 0, backward: 1 },
  ];
}
