import { frozenKernels } from './kernels.ts';
import { parts, splitOutputs, tokensOf } from './layerPart.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeSchema } from './shape.ts';
import { storedInput } from './stored.ts';
import {
  type AdaptedProducts,
  adapterPart,
  frozenWeights,
  inputForWeight,
  loraOf,
  packedBytes,
  trainsWeights,
  unpacks,
} from './training.ts';
import type { LayerSetting, ShapeCost } from './types.ts';
import { matrix } from './weightMatrix.ts';

/** A linear layer by itself. Outputs are split over tensor ranks and gathered again. */
export const linear: ShapeSchema = {
  name: 'linear',
  doc: 'A linear layer. Over tensor ranks its outputs are split, then gathered.',
  parameters: [
    { name: 'inputs', kind: 'integer', example: 4096, doc: 'width of what it reads' },
    { name: 'outputs', kind: 'integer', example: 4096, doc: 'width of what it writes' },
    { name: 'bias', kind: 'boolean', default: true, doc: 'a bias for each output' },
    {
      name: 'tokens',
      kind: 'integer',
      default: null,
      doc: 'vectors of a microbatch. Default: sequence × micro_batch',
    },
  ],
  cost: costOfLinear,
  matrices: (args) => matrix(numberOf(args, 'inputs', 1), numberOf(args, 'outputs', 1)),
};

/** Recomputation leaves it alone: all it keeps is its input. */
function costOfLinear(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const inputs = numberOf(args, 'inputs', 1);
  const outputs = numberOf(args, 'outputs', 1);
  const { tensor } = setting;
  const element = elementBytes(setting.precision);
  const tokens = numberOf(args, 'tokens', tokensOf(setting));
  const localOutputs = Math.ceil(outputs / tensor);
  const perOutput = inputs + (flagOf(args, 'bias', true) ? 1 : 0);
  const whole = setting.sequenceParallel ? tensor : 1;
  const input = (inputs * element) / whole;
  const products: AdaptedProducts = {
    input: trainsWeights(setting) ? storedInput(setting, input) : input,
    inputs,
    outputs: { up: outputs },
  };
  const kept = tokens * inputForWeight(setting, products);
  const linearFlops = 2 * tokens * inputs * localOutputs;
  const traffic = (perOutput * localOutputs + tokens * (inputs + localOutputs)) * element;
  const cost: ShapeCost = {
    parameters: perOutput * outputs,
    localParameters: perOutput * localOutputs,
    linearFlops,
    coreFlops: 0,
    traffic,
    activation: kept,
    activationParts: { [parts.linearInputs]: kept },
    activationForWeight: kept + storedInput(setting, tokens * localOutputs * element),
    recomputed: 0,
    recomputeFlops: 0,
    output: (tokens * outputs * element) / whole,
    workspace: 0,
    single: true,
    collectives: splitOutputs(setting, tokens * outputs * element, tokens * inputs * element),
    kernels: () => [
      {
        part: 'linear',
        flops: linearFlops,
        bytes: traffic,
        count: 1,
        factors: { rows: tokens, inner: inputs, columns: localOutputs, element, times: 1 },
      },
    ],
  };
  const adapters = adapterPart(setting, products);
  if (adapters === undefined) return cost;
  const packed = loraOf(setting)?.packed === true ? inputs * localOutputs : 0;
  const unpacked = packed * (packedBytes + element);
  const ofAdapters = tokens * adapters.traffic + adapters.localParameters * element;
  return {
    ...cost,
    parameters: cost.parameters + adapters.parameters,
    localParameters: cost.localParameters + adapters.localParameters,
    linearFlops: linearFlops + tokens * adapters.linear,
    traffic: traffic + ofAdapters,
    ...(packed > 0 ? { unpacking: unpacked } : {}),
    activation: kept + tokens * adapters.sums,
    activationParts: { [parts.linearInputs]: kept, [parts.adapters]: tokens * adapters.sums },
    activationForWeight: tokens * adapters.forWeight,
    workspace: element * packed,
    kernels: () => [
      ...frozenKernels(cost.kernels()),
      ...(packed > 0 ? [unpacks(unpacked)] : []),
      ...adapters.kernels(tokens),
    ],
    trainable: adapters.parameters,
    frozen: frozenWeights(cost.localParameters, 0, packed),
    weightFlops: tokens * adapters.linear,
    weightTraffic: ofAdapters,
  };
}
