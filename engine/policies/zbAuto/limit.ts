/** The argument `limit` of `zb_auto`: what it allows on each device, and why it cannot be. */
import { count, bytes as byteText } from '../../basics/quantities.ts';
import type { PolicyParameter, Shape, ShapeFault } from '../policy.ts';

export const limitParameter: PolicyParameter = {
  name: 'limit',
  kind: 'integer',
  dimension: 'bytes',
  words: ['device'],
  summary:
    'Most activations that a device may hold: microbatches (`4`), bytes (`20GiB`), or `device` for the memory that is left.',
  default: 'device',
  min: 1,
};

interface Limit {
  readonly kind: 'microbatches' | 'bytes' | 'device';
  /** As an amount: microbatches, or bytes of every device; Infinity for `device`. */
  readonly amount: number;
}

export function limitOf({ args }: Pick<Shape, 'args'>): Limit {
  const limit = args['limit'];
  if (typeof limit === 'number') return { kind: 'microbatches', amount: limit };
  if (typeof limit === 'object' && 'dimension' in limit) return { kind: 'bytes', amount: limit.value };
  return { kind: 'device', amount: Infinity };
}

/** What orders are within, for a sentence on them: `the limit of 4 microbatches on each device`, `the memory of the devices`. */
export function limitWords({ kind, amount }: Limit): string {
  if (kind === 'device') return 'the memory of the devices';
  return `the limit of ${kind === 'bytes' ? byteText(amount) : count(amount, 'microbatch', 'microbatches')} on each device`;
}

/** Bytes that one microbatch takes at its most on a stage: after F, or after I where W needs more than F kept. */
const leastBytes = ({ activation, forWeight }: Sizes, device: number): number =>
  Math.max(activation[device], forWeight[device]);

interface Sizes {
  readonly activation: Float64Array;
  readonly forWeight: Float64Array;
}

/**
 * Bytes allowed on each device. A limit in microbatches is that many of the stage's own, each at its largest. A device without room for one gets one
 * all the same. That it runs out of memory is a separate finding, and the order is then the leanest there is.
 */
export function allowed(shape: Shape, sizes: Sizes, { kind, amount }: Limit): Float64Array {
  return Float64Array.from({ length: shape.devices }, (_, device) => {
    const least = leastBytes(sizes, device);
    if (kind === 'microbatches') return Math.max(amount * sizes.activation[device], least);
    return kind === 'bytes' ? amount : Math.max(shape.room[device] ?? Infinity, least);
  });
}

/** A limit under one microbatch, or one that is no number. */
export function limitFaults(shape: Shape): readonly ShapeFault[] {
  const { kind, amount } = limitOf(shape);
  const fix = { input: 'limit', values: [1] };
  if (kind === 'microbatches')
    return Number.isSafeInteger(amount) && amount >= 1
      ? []
      : [{ message: `a limit of ${count(amount, 'microbatch', 'microbatches')} allows no forward to start`, fix }];
  if (kind === 'device') return [];
  let worst = 0;
  let stage = 0;
  for (let device = 0; device < shape.devices; device += 1) {
    const least = Math.max(shape.activation[device], shape.activationForWeight[device]);
    if (least > worst) [worst, stage] = [least, device];
  }
  if (amount >= worst) return [];
  const message = `a limit of ${byteText(amount)} is less than the ${byteText(worst)} that one microbatch of stage ${stage} keeps; use at least that, or a number of microbatches`;
  return [{ message, fix }];
}
