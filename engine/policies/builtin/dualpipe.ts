import { idleLine, perDevice } from '../describe.ts';
import { dualIdle, dualOrder } from '../orders/dualOrder.ts';
import { heldMost } from '../orders/held.ts';
import { nearestTo } from '../nearest.ts';
import { overlapArgument, overlapParameter } from '../overlap.ts';
import { bidirectional, bidirectionalCopies } from '../placement.ts';
import type { OperationSink, Policy, Shape, ShapeFault } from '../policy.ts';

/**
 * DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 3.2.1. Even microbatches enter at the first device, odd ones at the
 * last; device i holds stages i and p − 1 − i, so the weights are there twice.
 */
export const dualpipe: Policy = {
  name: 'dualpipe',
  summary:
    'Microbatches enter at both ends, and a forward of one direction shares its slot with a backward of the other, so that each hides the other’s communication. The weights are held twice.',
  page: 'dualpipe',
  parameters: [overlapParameter],
  split: true,
  chunks: () => 1,
  copies: (shape) => bidirectionalCopies(shape.stages),
  placement: (shape) => bidirectional(shape.stages),
  overlap: overlapArgument,
  check: faults,
  order,
  explain(shape) {
    const p = shape.devices;
    const overlap = overlapArgument(shape.args);
    return [
      `stages: device i holds stages i and p − 1 − i; even microbatches run down, odd ones up, ${shape.microbatches / 2} each`,
      `single forwards of the near end first: ${perDevice(shape, (device) => 2 * (p / 2 - 1 - Math.min(device, p - 1 - device)))}`,
      idleLine(
        shape,
        '(p/2 − 1)(F&B + B − 3W)',
        (times) => dualIdle(p / 2, times, overlap),
        overlap === 0 ? 'idle' : 'most idle, in the middle',
      ),
      `in flight until W: ${heldMost(shape, order)} microbatches at most, p + 1; weights: two stages per device`,
    ];
  },
};

function order({ devices, stages, microbatches }: Shape, device: number, out: OperationSink): void {
  const down = device < devices / 2;
  // Program stage s is stage s of the way down, program stage p + s of the way up.
  const [downStage, upStage] = [device, stages + stages - 1 - device];
  dualOrder(
    {
      half: devices / 2,
      place: down ? device : devices - 1 - device,
      count: microbatches / 2,
      stage: down ? [downStage, upStage] : [upStage, downStage],
      microbatch: (stream, k) => 2 * k + (down ? stream : 1 - stream),
    },
    out,
  );
}

function faults({ stages, microbatches }: Shape): readonly ShapeFault[] {
  const found: ShapeFault[] = [];
  const [even] = nearestTo(stages, 2, 2);
  if (stages % 2 !== 0)
    found.push({
      message: `the directions mirror each other on an even number of devices; there are ${stages}`,
      fix: { input: 'stages', values: nearestTo(stages, 2, 2) },
    });
  if (microbatches % 2 !== 0 || microbatches < 2 * even)
    found.push({
      message: `it needs an even number of microbatches, at least 2p = ${2 * even}; there are ${microbatches}`,
      fix: { input: 'microbatches', values: nearestTo(microbatches, 2, 2 * even) },
    });
  return found;
}
