import type { PolicyArgument } from '../../values/plan.ts';
import { idleLine, perDevice } from '../describe.ts';
import { count, time } from '../../basics/quantities.ts';
import { alternate } from '../orders/alternate.ts';
import { linear } from '../placement.ts';
import type { Policy, Shape, ShapeFault } from '../policy.ts';

/**
 * Sources: Narayanan et al., "Memory-Efficient Pipeline-Parallel DNN Training" (2021), section 3.2 (PipeDream-flush); Fan et al.,
 * "DAPPLE" (2021; policy A).
 */
export const oneFOneB: Policy = {
  name: '1f1b',
  summary:
    'One forward, one backward after a short warm-up. Same bubble as GPipe, but a device holds at most one microbatch per remaining stage.',
  page: '1f1b',
  parameters: [
    {
      name: 'warmup',
      kind: 'integers',
      words: ['hide_latency'],
      summary:
        'Forwards of each device before its first backward, first device first. `hide_latency` raises them so that transfers overlap with compute.',
    },
  ],
  split: false,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  check: faults,
  order: (shape, device, out) => alternate(device, shape.microbatches, warmupOf(shape, device), out),
  explain(shape) {
    const written = shape.args['warmup'];
    const formula =
      written === undefined
        ? 'min(m, p − i) = '
        : written === 'hide_latency'
          ? 'min(m, 1 + (p − 1 − i)(1 + ⌈2c / (F + B)⌉)) = '
          : '';
    const lines = [
      `warm-up: ${formula}${perDevice(shape, (device) => warmupOf(shape, device))} forwards`,
      ...(written === undefined || written === 'hide_latency'
        ? [idleLine(shape, '(p − 1)(F + B)', ({ f, i, w }) => (shape.devices - 1) * (f + i + w))]
        : []),
      `in flight: ${perDevice(shape, (device) => warmupOf(shape, device))}`,
    ];
    if (written === undefined && shape.transfer > 0 && shape.devices > 1) {
      const hiding = hidingWarmupOf(shape);
      lines.push(
        `warm-up that hides transfers of ${time(shape.transfer)}: ${perDevice(shape, (device) => hiding[device])}`,
      );
    }
    return lines;
  },
};

/**
 * Warm-up of each device, `min(m, 1 + (p − 1 − i)(1 + ⌈2c / (F + B)⌉))`. It lets a device start a microbatch each F + B although
 * each transfer takes c seconds in one direction. F + B is the time of the slowest stage, which sets the period.
 */
export function hidingWarmupOf(shape: Shape): readonly number[] {
  let period = 0;
  for (let stage = 0; stage < shape.stages; stage += 1) {
    period = Math.max(period, shape.forward[stage] + shape.backwardInput[stage] + shape.backwardWeight[stage]);
  }
  // A quotient that is whole but for rounding must not cost a microbatch.
  const extra = shape.transfer > 0 ? Math.ceil((2 * shape.transfer) / period - 1e-9) : 0;
  return Array.from({ length: shape.devices }, (_, device) => {
    const following = shape.devices - 1 - device;
    return following === 0 ? 1 : Math.min(shape.microbatches, 1 + following * (1 + extra));
  });
}

function warmupOf(shape: Shape, device: number): number {
  const written = shape.args['warmup'];
  if (written === 'hide_latency') return hidingWarmupOf(shape)[device];
  return Math.min(shape.microbatches, numbersOf(written)?.[device] ?? shape.devices - device);
}

/** A number stands for a list of one. */
const numbersOf = (written: PolicyArgument | undefined): readonly number[] | undefined =>
  typeof written === 'number' ? [written] : Array.isArray(written) ? (written as readonly number[]) : undefined;

/**
 * A device must have run at least as many forwards as the next one needs before its first backward. Otherwise both wait for each
 * other. So warm-ups never rise from one device to the next.
 */
function faults(shape: Shape): readonly ShapeFault[] {
  const written = shape.args['warmup'];
  if (written === undefined || written === 'hide_latency') return [];
  const values = numbersOf(written) ?? [];
  if (values.length !== shape.devices) {
    return [
      {
        message: `warmup gives ${values.length} of ${count(shape.devices, 'device', 'devices')} a number; it needs one for each`,
        fix: { input: 'warmup', values: [] },
      },
    ];
  }
  const bad = values.findIndex((value) => !Number.isSafeInteger(value) || value < 1);
  if (bad >= 0) {
    return [
      {
        message: `warmup of device ${bad} is ${values[bad]}; it must be a whole number of at least 1`,
        fix: { input: `warmup[${bad}]`, values: [Math.max(1, Math.round(values[bad]) || 1)] },
      },
    ];
  }
  const rise = values.findIndex(
    (value, device) =>
      device + 1 < values.length &&
      Math.min(value, shape.microbatches) < Math.min(values[device + 1], shape.microbatches),
  );
  return rise < 0
    ? []
    : [
        {
          message: `device ${rise} warms up with ${values[rise]} forwards and device ${rise + 1} with ${values[rise + 1]}, so each would wait for the other`,
          fix: { input: `warmup[${rise}]`, values: [values[rise + 1]] },
        },
      ];
}
