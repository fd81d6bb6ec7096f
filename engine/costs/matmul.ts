import { elementBytes } from './precision.ts';
import { numberOf, type ShapeArguments, type ShapeSchema } from './shape.ts';
import type { LayerSetting, ShapeCost } from './types.ts';

/** A product of two activations, such as the core of an attention. It has nothing to train. */
export const matmul: ShapeSchema = {
  name: 'matmul',
  doc: 'A product of two activations for each sample: (rows × inner) · (inner × columns). It has no weights.',
  parameters: [
    { name: 'rows', kind: 'integer', example: 2048, doc: 'rows of the left factor' },
    { name: 'inner', kind: 'integer', example: 128, doc: 'columns of the left factor, rows of the right one' },
    { name: 'columns', kind: 'integer', example: 2048, doc: 'columns of the right factor' },
    {
      name: 'batch',
      kind: 'integer',
      default: 1,
      doc: 'products of one sample, such as heads; tensor ranks split them',
    },
  ],
  check: checkProduct,
  cost: costOfProduct,
};

function checkProduct(args: ShapeArguments, setting?: LayerSetting): string | undefined {
  const batch = numberOf(args, 'batch', 1);
  const tensor = setting?.tensor ?? 1;
  return batch % tensor === 0 ? undefined : `${batch} products cannot be split over ${tensor} tensor ranks`;
}

/** 2·rows·inner·columns FLOPs. Both factors are kept; the gradient of each is one more product of the same size. */
function costOfProduct(args: ShapeArguments, setting: LayerSetting): ShapeCost {
  const [rows, inner, columns] = ['rows', 'inner', 'columns'].map((name) => numberOf(args, name, 1));
  const element = elementBytes(setting.precision);
  const products = (setting.microBatch * numberOf(args, 'batch', 1)) / setting.tensor;
  const factors = element * products * (rows * inner + inner * columns);
  const output = element * products * rows * columns;
  const coreFlops = 2 * products * rows * inner * columns;
  return {
    parameters: 0,
    localParameters: 0,
    linearFlops: 0,
    coreFlops,
    traffic: factors + output,
    activation: factors,
    activationForWeight: 0,
    recomputed: 0,
    recomputeFlops: 0,
    output,
    workspace: 0,
    collectives: [],
    kernels: () => [
      {
        part: 'core',
        flops: coreFlops,
        bytes: factors + output,
        count: 1,
        factors: { rows, inner, columns, element, times: products },
      },
    ],
    weightless: true,
  };
}
