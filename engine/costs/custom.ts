import type { Dimension } from '../values/plan.ts';
import { numberOf, type ShapeArguments, type ShapeParameter, type ShapeSchema } from './shape.ts';
import type { ShapeCost } from './types.ts';

const quantity = (name: string, dimension: Dimension, doc: string): ShapeParameter => ({
  name,
  kind: 'quantity',
  dimension,
  default: 0,
  doc,
});

/** A layer whose amounts are known and whose times are not: they follow from the device. */
export const custom: ShapeSchema = {
  name: 'custom',
  doc:
    'A layer given by its FLOPs and bytes, for one microbatch on one device. Times follow from the device. Tensor ranks do not divide ' +
    'them. Without `params` the whole backward is input gradient.',
  parameters: [
    quantity('flops', 'flops', 'forward FLOPs; a multiply-add is two'),
    quantity('traffic', 'bytes', 'bytes of memory that the forward moves'),
    { name: 'params', kind: 'integer', default: 0, min: 0, doc: 'parameters' },
    quantity('activation', 'bytes', 'bytes kept from the forward to the backward'),
    quantity('output', 'bytes', 'bytes sent to the next layer'),
    quantity('workspace', 'bytes', 'bytes held only while the layer runs'),
  ],
  check: checkCustom,
  cost: costOfCustom,
};

function checkCustom(args: ShapeArguments): string | undefined {
  const works = numberOf(args, 'flops', 0) > 0 || numberOf(args, 'traffic', 0) > 0;
  return works ? undefined : 'flops and traffic are both 0, so the layer takes no time';
}

/** Nothing says what the weight gradient does without, so all of `activation` stays for it; recomputation leaves the layer alone. */
function costOfCustom(args: ShapeArguments): ShapeCost {
  const amount = (name: string) => numberOf(args, name, 0);
  const parameters = amount('params');
  const weightless = parameters === 0;
  return {
    parameters,
    localParameters: parameters,
    linearFlops: weightless ? 0 : amount('flops'),
    coreFlops: weightless ? amount('flops') : 0,
    traffic: amount('traffic'),
    activation: amount('activation'),
    activationForWeight: weightless ? 0 : amount('activation'),
    recomputed: 0,
    recomputeFlops: 0,
    output: amount('output'),
    workspace: amount('workspace'),
    collectives: [],
    kernels: () => [
      { part: weightless ? 'core' : 'linear', flops: amount('flops'), bytes: amount('traffic'), count: 1 },
    ],
    ...(weightless ? { weightless } : {}),
  };
}
