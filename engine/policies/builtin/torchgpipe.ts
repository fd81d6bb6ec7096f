import { idleLine } from '../describe.ts';
import { linear } from '../placement.ts';
import type { Policy, PolicyArguments, Shape } from '../policy.ts';

type Checkpoint = 'always' | 'except_last' | 'never';

const checkpointOf = (args: PolicyArguments): Checkpoint => {
  const written = args['checkpoint'];
  return written === 'always' || written === 'never' ? written : 'except_last';
};

/** Microbatches that are checkpointed: those before `checkpoint_stop` of torchgpipe. */
const stopOf = ({ args, microbatches }: Shape): number =>
  ({ always: microbatches, except_last: microbatches - 1, never: 0 })[checkpointOf(args)];

/**
 * Kim et al., "torchgpipe: On-the-fly Pipeline Parallelism for Training Giant Models" (2020):
 * clock cycles, early recomputation, portals. Clock k runs microbatch k − j on partition j; the backward runs the
 * clocks in reverse, so that every device takes its microbatches in descending order.
 */
export const torchgpipe: Policy = {
  name: 'torchgpipe',
  summary:
    'GPipe as implemented by torchgpipe: clock cycles, backwards in reverse, and whole stages recomputed while they wait for their gradient.',
  page: 'torchgpipe',
  parameters: [
    {
      name: 'checkpoint',
      kind: 'word',
      words: ['always', 'except_last', 'never'],
      default: 'except_last',
      summary:
        'Microbatches that keep only the input of the stage and are recomputed: all, all but the last (whose backward comes first), or none.',
    },
    {
      name: 'skip',
      kind: 'word',
      words: ['portal', 'relay'],
      default: 'portal',
      summary:
        'Route of tensors that skip stages: directly to the device that needs them, or through every stage in between, which holds them.',
    },
  ],
  split: false,
  operations: 3,
  chunks: () => 1,
  recompute: (args) => (checkpointOf(args) === 'never' ? undefined : 'stage'),
  relays: (args) => args['skip'] === 'relay',
  placement: (shape) => linear(shape.stages),
  check: () => [],
  order(shape, device, out) {
    const { microbatches } = shape;
    const stop = stopOf(shape);
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) out.forward(device, microbatch);
    for (let microbatch = microbatches - 1; microbatch >= 0; microbatch -= 1) {
      if (microbatch < stop) out.recompute(device, microbatch);
      out.backward(device, microbatch);
    }
  },
  explain(shape) {
    const { microbatches, devices, recompute } = shape;
    const stop = stopOf(shape);
    const inside = checkpointOf(shape.args) === 'never' ? 0 : 1;
    return [
      `order: ${microbatches} forwards, then ${microbatches} backwards, last microbatch first`,
      `recomputed ahead of their gradient: ${stop} of ${microbatches} microbatches`,
      // Recomputation hides behind the wait for the gradient; the figures of a shape count it with the input gradient.
      idleLine(shape, '(p − 1)(F + B)', ({ f, i, w }) => (devices - 1) * (f + i - inside * recompute[0] + w)),
      `in flight: m = ${microbatches} on every device${stop > 0 ? `, ${stop} of them as the input of the stage` : ''}`,
    ];
  },
};
