import { splitOutputs } from './layerPart.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeSchema } from './shape.ts';
import { trainsWeights } from './training.ts';
import type { LayerSetting, ShapeCost } from './types.ts';

/** A two-dimensional convolution over square windows. A sample is one image; `sequence` has no part in it. */
export const conv2d: ShapeSchema = {
  name: 'conv2d',
  doc: 'A two-dimensional convolution of images, one for each sample. Over tensor ranks its outputs are split, then gathered.',
  parameters: [
    { name: 'inputs', kind: 'integer', example: 64, doc: 'channels of what it reads' },
    { name: 'outputs', kind: 'integer', example: 64, doc: 'channels of what it writes' },
    { name: 'height', kind: 'integer', example: 56, doc: 'height of what it reads' },
    { name: 'width', kind: 'integer', default: null, doc: 'width of the input image. Default: `height`' },
    { name: 'kernel', kind: 'integer', default: 3, doc: 'side of the window' },
    { name: 'stride', kind: 'integer', default: 1, doc: 'step of the window' },
    {
      name: 'padding',
      kind: 'integer',
      default: null,
      min: 0,
      doc: 'rows added at each edge. Default: (kernel − 1) / 2, which keeps the size at stride 1',
    },
    { name: 'groups', kind: 'integer', default: 1, doc: 'groups of channels that do not meet' },
    { name: 'bias', kind: 'boolean', default: true, doc: 'a bias for each output channel' },
  ],
  check: checkConvolution,
  cost: costOfConvolution,
};

function sizes(args: ShapeArguments) {
  const kernel = numberOf(args, 'kernel', 3);
  const height = numberOf(args, 'height', 1);
  const width = numberOf(args, 'width', height);
  const padding = numberOf(args, 'padding', Math.floor((kernel - 1) / 2));
  const out = (size: number) => Math.floor((size + 2 * padding - kernel) / numberOf(args, 'stride', 1)) + 1;
  return {
    ...{ kernel, height, width, outHeight: out(height), outWidth: out(width) },
    inputs: numberOf(args, 'inputs', 1),
    outputs: numberOf(args, 'outputs', 1),
    groups: numberOf(args, 'groups', 1),
  };
}

function checkConvolution(args: ShapeArguments): string | undefined {
  const { inputs, outputs, groups, kernel, height, width, outHeight, outWidth } = sizes(args);
  if (inputs % groups !== 0) return `inputs ${inputs} is not a multiple of groups ${groups}`;
  if (outputs % groups !== 0) return `outputs ${outputs} is not a multiple of groups ${groups}`;
  return outHeight >= 1 && outWidth >= 1
    ? undefined
    : `the ${kernel} × ${kernel} window is larger than the padded ${height} × ${width} image`;
}

/** k²·(inputs / groups)·outputs weights, each multiplied once for every output pixel. It keeps its input. */
function costOfConvolution(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const { inputs, outputs, groups, kernel, height, width, outHeight, outWidth } = sizes(args);
  const { tensor, microBatch } = setting;
  const element = elementBytes(setting.precision);
  const local = Math.ceil(outputs / tensor);
  const weights = kernel ** 2 * (inputs / groups);
  const perOutput = weights + (flagOf(args, 'bias', true) ? 1 : 0);
  const pixels = microBatch * outHeight * outWidth;
  const read = element * microBatch * inputs * height * width;
  const linearFlops = 2 * pixels * weights * local;
  const traffic = element * (perOutput * local + pixels * local) + read;
  return {
    parameters: perOutput * outputs,
    localParameters: perOutput * local,
    linearFlops,
    coreFlops: 0,
    traffic,
    activation: trainsWeights(setting) ? read : 0,
    activationForWeight: read + element * pixels * local,
    recomputed: 0,
    recomputeFlops: 0,
    output: element * pixels * outputs,
    workspace: 0,
    single: true,
    collectives: splitOutputs(setting, element * pixels * outputs, read),
    kernels: () => [{ part: 'linear', flops: linearFlops, bytes: traffic, count: 1 }],
  };
}
