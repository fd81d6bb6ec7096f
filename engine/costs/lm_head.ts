import { moves, product } from './kernels.ts';
import { addParts, inputRanks, parts, tokensOf } from './layerPart.ts';
import { lossBytes, lossOf, lossParameter, lossTraffic } from './loss.ts';
import { norms, normParameter, normParameters } from './norm.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeSchema, wordOf } from './shape.ts';
import { trainsWeights } from './training.ts';
import type { LayerSetting, ShapeCost } from './types.ts';
import { paddedVocabulary, padParameter, vocabularyParameters } from './vocabulary.ts';

/** Final norm, projection to the vocabulary, and loss. The vocabulary is split over tensor ranks. */
export const lmHead: ShapeSchema = {
  name: 'lm_head',
  doc: 'Final norm, projection to the vocabulary and loss.',
  parameters: [
    ...vocabularyParameters,
    {
      name: 'tied',
      kind: 'boolean',
      default: false,
      doc: 'shares its matrix with the embedding: counted once, but a stage that does not hold the embedding keeps a copy',
    },
    normParameter('final normalisation', [...norms, 'none']),
    padParameter,
    lossParameter,
  ],
  cost: costOfHead,
};

/**
 * Recomputation leaves the head alone, as in Megatron-LM. If the file does not say how the loss is computed, logits are workspace
 * (in fp32, with a 16-bit copy). The last stage runs the backward of a microbatch right after its forward in every policy that
 * keeps memory low.
 * Without sequence parallelism only the backward reduces (the input gradient); with it the input is gathered in the
 * forward and its gradient scattered in the backward.
 */
function costOfHead(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const hidden = numberOf(args, 'hidden', 1);
  const norm = wordOf(args, 'norm', 'layernorm');
  const { tensor, sequenceParallel } = setting;
  const element = elementBytes(setting.precision);
  const rows = paddedVocabulary(args, tensor);
  const localRows = Math.ceil(rows / tensor);
  const tokens = tokensOf(setting);
  const input = (tokens * hidden * element) / (sequenceParallel ? tensor : 1);
  const localParameters = localRows * hidden + normParameters(norm, hidden);
  const each = { over: 'tensor', bytes: tokens * hidden * element } as const;
  const normed = norm === 'none' ? 0 : input;
  const gathered = (tokens * hidden * element) / inputRanks(setting);
  const projected = trainsWeights(setting) ? gathered : 0;
  const loss = lossOf(args, setting);
  const held = lossBytes(loss, element, localRows, hidden, tensor > 1);
  const activation = normed + projected + tokens * (held.kept + held.gradient);
  const chunks = loss.kind === 'chunked' ? loss.chunks : 1;
  return {
    parameters: (flagOf(args, 'tied', false) ? 0 : rows * hidden) + normParameters(norm, hidden),
    localParameters,
    ...(flagOf(args, 'tied', false) ? { embeddingParameters: localRows * hidden } : {}),
    linearFlops: 2 * tokens * hidden * localRows,
    coreFlops: 0,
    traffic: localParameters * element + normed + input + tokens * localRows * element,
    activation,
    activationParts: addParts({
      [parts.norms]: normed,
      [parts.linearInputs]: projected,
      [parts.logits]: tokens * held.kept,
      [parts.lossGradient]: tokens * held.gradient,
    }),
    // W needs the projection's input and the gradient of the logits.
    activationForWeight: gathered + (tokens * localRows * element) / chunks,
    recomputed: 0,
    recomputeFlops: 0,
    // The loss of each token, fp32: nothing that a next stage would wait for.
    output: 4 * tokens,
    workspace: tokens * held.workspace,
    // Where data ranks share the weights, whole gradients of the head are on their way to them while the layers before it run again.
    ...(setting.sharesWeights === true ? { workspaceStays: true } : {}),
    collectives:
      tensor === 1
        ? []
        : sequenceParallel
          ? [
              { ...each, pattern: 'all_gather', forward: 1, backward: 0 },
              { ...each, pattern: 'reduce_scatter', forward: 0, backward: 1 },
            ]
          : [{ ...each, pattern: 'all_reduce', forward: 0, backward: 1 }],
    kernels: () => [
      ...(norm === 'none' ? [] : [moves(2 * input)]),
      product([tokens / chunks, hidden, localRows], element, chunks),
      // 16-bit logits are copied to fp32; the loss reads these and writes probabilities.
      ...lossTraffic(loss, element).map((bytes) => moves((bytes * tokens * localRows) / chunks, chunks)),
    ],
  };
}
