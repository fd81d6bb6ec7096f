/** The argument `limit` of `search`: bytes that it allows on each device, and why it cannot be. */
import { bytes as byteText, count } from '../../basics/quantities.ts';
import type { Shape, ShapeFault } from '../policy.ts';
import { limitOf } from '../zbAuto/limit.ts';

/** What one microbatch takes at its most on a stage: after F, or after I where W needs more than F kept. */
const mostOf = ({ activation, activationForWeight }: Shape, stage: number): number =>
  Math.max(activation[stage], activationForWeight[stage]);

/** Bytes of one microbatch on all stages of each device. */
export function onePerStage(shape: Shape, device: Int32Array): Float64Array {
  const least = new Float64Array(shape.devices);
  device.forEach((on, stage) => {
    least[on] += mostOf(shape, stage);
  });
  return least;
}

/**
 * Bytes allowed on each device. A limit in microbatches counts them on all stages of the device; `activation` are the bytes of each
 * stage as they are counted. A device without room for one microbatch gets that much, as for `zb_auto`.
 */
export function limitsOf(shape: Shape, device: Int32Array, activation: Float64Array): Float64Array {
  const { kind, amount } = limitOf(shape);
  const least = onePerStage(shape, device);
  const each = new Float64Array(shape.devices);
  device.forEach((on, stage) => {
    each[on] += activation[stage];
  });
  return least.map((most, on) => {
    if (kind === 'microbatches') return Math.max(amount * each[on], most);
    return kind === 'bytes' ? amount : Math.max(shape.room[on] ?? Infinity, most);
  });
}

/** A limit under one microbatch, or one that is no number. */
export function limitFaults(shape: Shape, device: Int32Array): readonly ShapeFault[] {
  const { kind, amount } = limitOf(shape);
  const fix = { input: 'limit', values: [1] };
  if (kind === 'device') return [];
  if (kind === 'microbatches')
    return Number.isSafeInteger(amount) && amount >= 1
      ? []
      : [{ message: `a limit of ${count(amount, 'microbatch', 'microbatches')} allows no forward to start`, fix }];
  const least = onePerStage(shape, device);
  const worst = least.reduce((most, value, on) => (value > least[most] ? on : most), 0);
  if (!(amount < least[worst])) return [];
  const message = `a limit of ${byteText(amount)} is less than the ${byteText(least[worst])} that one microbatch keeps on device ${worst}; use at least that, or a number of microbatches`;
  return [{ message, fix }];
}
