import { idleLine } from '../describe.ts';
import { dualIdle, dualOrder } from '../orders/dualOrder.ts';
import { heldMost } from '../orders/held.ts';
import { overlapArgument, overlapParameter } from '../overlap.ts';
import { wave } from '../placement.ts';
import type { OperationSink, Policy, Shape } from '../policy.ts';

/**
 * The half of DualPipe that one direction needs: "DualPipe could be better without the Dual", Qi et al. (2025), as published with
 * DualPipe; PyTorch's ScheduleDualPipeV has the same order.
 */
export const dualpipeV: Policy = {
  name: 'dualpipe_v',
  summary:
    'DualPipe cut in half to a V. Each device has two chunks, and a forward of one shares its slot with a backward of the other. The weights are held once.',
  page: 'dualpipe_v',
  parameters: [overlapParameter],
  split: true,
  chunks: () => 2,
  placement: (shape) => wave(shape.stages, shape.devices),
  overlap: overlapArgument,
  check: ({ devices, microbatches }) =>
    microbatches >= 2 * devices
      ? []
      : [
          {
            message: `it needs at least 2p = ${2 * devices} microbatches; there are ${microbatches}`,
            fix: { input: 'microbatches', values: [2 * devices] },
          },
        ],
  order,
  explain(shape) {
    const p = shape.devices;
    const overlap = overlapArgument(shape.args);
    return [
      'chunks: device i holds stages i and 2p − 1 − i',
      idleLine(
        shape,
        '(p − 1)(F&B + B − 3W) of a chunk',
        (times) => dualIdle(p, times, overlap),
        overlap === 0 ? 'idle' : 'most idle, on the last devices',
      ),
      `in flight until W: ${heldMost(shape, order) / 2} microbatches at most, p + ½`,
    ];
  },
};

function order({ devices, stages, microbatches }: Shape, device: number, out: OperationSink): void {
  dualOrder(
    {
      half: devices,
      place: device,
      count: microbatches,
      stage: [device, stages - 1 - device],
      microbatch: (_, k) => k,
    },
    out,
  );
}
