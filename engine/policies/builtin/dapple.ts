import { badInteger, integerArgument, shownArgument } from '../arguments.ts';
import { idleLine, perDevice } from '../describe.ts';
import { alternate } from '../orders/alternate.ts';
import { linear } from '../placement.ts';
import type { Policy, Shape } from '../policy.ts';

const isB = (shape: Shape): boolean => shape.args['policy'] === 'b';

const capOf = (shape: Shape): number => integerArgument(shape.args, 'in_flight', shape.microbatches);

function warmup(shape: Shape, device: number): number {
  const following = shape.devices - device;
  return Math.min(shape.microbatches, isB(shape) ? 2 * following - 1 : following, Math.max(1, capOf(shape)));
}

/** Fan et al., "DAPPLE" (2021): K_i = min(p − i, D) under policy A, min(2(p − i) − 1, D) under policy B. */
export const dapple: Policy = {
  name: 'dapple',
  summary:
    '1F1B’s warm-up (policy a) or about twice as much (policy b), limited to the microbatches that fit in memory.',
  page: 'dapple',
  parameters: [
    {
      name: 'policy',
      kind: 'word',
      words: ['a', 'b'],
      summary: '`a` warms up with p − i forwards, `b` with 2(p − i) − 1, which hides transfers.',
      default: 'a',
    },
    {
      name: 'in_flight',
      kind: 'integer',
      summary: 'Most microbatches that a device may hold. Below the number of devices, the iteration gets longer.',
      min: 1,
    },
  ],
  split: false,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  check: (shape) =>
    badInteger(shape.args, 'in_flight', 1)
      ? [
          {
            message: `in_flight is ${shownArgument(shape.args, 'in_flight')}; it must be a whole number of at least 1`,
            fix: { input: 'in_flight', values: [1] },
          },
        ]
      : [],
  order: (shape, device, out) => alternate(device, shape.microbatches, warmup(shape, device), out),
  explain(shape) {
    const { devices } = shape;
    const written = shape.args['in_flight'] !== undefined;
    const formula = `min(m, ${isB(shape) ? '2(p − i) − 1' : 'p − i'}${written ? ', D' : ''})`;
    const capped = capOf(shape) < Math.min(isB(shape) ? 2 * devices - 1 : devices, shape.microbatches);
    const free = `(p − 1)(F + B)`;
    return [
      `warm-up: ${formula} = ${perDevice(shape, (device) => warmup(shape, device))} forwards`,
      idleLine(shape, capped ? `${free} + (m − D)(p − D)(F + B) under policy a` : free, ({ f, i, w }) =>
        capped && isB(shape) ? undefined : idleSlots(shape) * (f + i + w),
      ),
      `in flight: ${perDevice(shape, (device) => warmup(shape, device))}`,
    ];
  },
};

/**
 * Idle time in units of F + B, for equal stages and policy A. With all devices at a limit of D below p, a microbatch starts each
 * p − D + 1 units. Each device waits for the forward of a microbatch before the backward of one D − 1 earlier.
 */
function idleSlots({ devices, microbatches, args }: Shape): number {
  const cap = Math.min(devices, Math.max(1, integerArgument(args, 'in_flight', devices)));
  return devices - 1 + Math.max(0, microbatches - cap) * (devices - cap);
}
