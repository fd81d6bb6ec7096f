import { branchParameters } from './branches.ts';
import { crossParameters } from './crossAttention.ts';
import { lookUpCollectives } from './embedding.ts';
import { moves, product } from './kernels.ts';
import { addParts, hiddenOf, parts, tokensOf, wholeRanks } from './layerPart.ts';
import { lmHead } from './lm_head.ts';
import { lossOf, lossParameter } from './loss.ts';
import { normParameters } from './norm.ts';
import { elementBytes } from './precision.ts';
import { type ShapeArguments, type ShapeSchema, wordOf } from './shape.ts';
import { checkTransformer, costOfTransformer, transformer, transformerMatrices } from './transformer.ts';
import type { Collective, LayerSetting, ShapeCost } from './types.ts';
import { paddedVocabulary, padParameter } from './vocabulary.ts';
import { matrix } from './weightMatrix.ts';

/** Arguments of layers that attend to another tower, or of an encoder: a prediction is neither. */
const ofTowers: ReadonlySet<string> = new Set([...crossParameters, ...branchParameters].map(({ name }) => name));

/** One depth of multi-token prediction (DeepSeek-V3, arXiv:2412.19437, section 2.2). */
export const mtp: ShapeSchema = {
  name: 'mtp',
  doc:
    'One depth of multi-token prediction, as in DeepSeek-V3: a projection of 2 × hidden, a transformer layer with the same ' +
    'arguments, and separate logits. Place it before the head, on the same stage; it shares the matrix of the head.',
  parameters: [
    { name: 'vocab', kind: 'integer', example: 32000, doc: 'entries of the vocabulary' },
    ...transformer.parameters.filter(({ name }) => !ofTowers.has(name)),
    padParameter,
    lossParameter,
  ],
  check: checkTransformer,
  cost: costOfPrediction,
  matrices: (args) => [...transformerMatrices(args), ...matrix(2 * hiddenOf(args), hiddenOf(args))],
};

/**
 * The layer, 2h² weights that join a token's vector to the embedding of the next one, a norm before each and one before the
 * logits: the layer of the arguments + 2h² + 3 norms. Embedding and head are shared with the model and counted there. The rank
 * also holds a copy of the embedding, which is on another stage. Full recomputation recomputes the layer, not projection and
 * logits, as `lm_head` does.
 *
 * Its loss is computed before the head's, and its backward runs behind the head's. So its softmax stays while the head has its
 * logits, whatever the file says of the loss (Megatron-LM, `GPTModel._postprocess` calls `process_mtp_loss` first, and
 * `MTPLossAutoScaler` keeps the graph of that loss).
 */
function costOfPrediction(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const hidden = hiddenOf(args);
  const { tensor } = setting;
  const layer = costOfTransformer(args, setting);
  const ofHead: ShapeArguments = { ...args, tied: true };
  const usual = lossOf(args, setting).kind === 'usual';
  const head = lmHead.cost(usual ? { ...ofHead, loss: 'parallel' } : ofHead, setting);
  const element = elementBytes(setting.precision);
  const tokens = tokensOf(setting);
  const bytes = element * tokens * hidden;
  const kept = bytes / wholeRanks(setting);
  const rows = Math.ceil(paddedVocabulary(args, tensor) / tensor);
  const norm = normParameters(wordOf(args, 'norm', 'layernorm'), hidden);
  const projection = 2 * hidden ** 2;
  const localProjection = projection / tensor;
  // The projection's outputs are split and gathered; its two inputs' gradients are summed.
  const joined: readonly Collective[] =
    tensor === 1
      ? []
      : [
          { over: 'tensor', pattern: 'all_gather', bytes, forward: 1, backward: 0 },
          { over: 'tensor', pattern: 'all_reduce', bytes, forward: 0, backward: 2 },
        ];
  return {
    ...layer,
    parameters: layer.parameters + projection + 2 * norm + head.parameters,
    localParameters: layer.localParameters + localProjection + 3 * norm + rows * hidden,
    embeddingParameters: rows * hidden,
    linearFlops: layer.linearFlops + 2 * tokens * localProjection + head.linearFlops,
    traffic: layer.traffic + element * localProjection + 5 * kept + 2 * bytes + head.traffic,
    // Both vectors before their norms and after them, and the token numbers.
    activation: layer.activation + 4 * kept + 8 * tokens + head.activation,
    activationParts: addParts(
      layer.activationParts ?? {},
      { [parts.norms]: 2 * kept, [parts.linearInputs]: 2 * kept, [parts.tokens]: 8 * tokens },
      head.activationParts ?? {},
    ),
    activationForWeight: layer.activationForWeight + 3 * kept + 8 * tokens + head.activationForWeight,
    workspace: Math.max(layer.workspace, head.workspace),
    ...(head.workspaceStays === undefined ? {} : { workspaceStays: head.workspaceStays }),
    collectives: [...layer.collectives, ...joined, ...lookUpCollectives(setting, bytes), ...head.collectives],
    kernels() {
      // A look-up, both norms, the two vectors joined, and their projection.
      const before = [
        moves(2 * bytes),
        moves(2 * kept, 2),
        moves(4 * bytes),
        product([tokens, 2 * hidden, hidden / tensor], element),
      ];
      return [
        ...layer.kernels(),
        ...[...before, ...head.kernels()].map((kernel) => ({ ...kernel, kept: true }) as const),
      ];
    },
  };
}
