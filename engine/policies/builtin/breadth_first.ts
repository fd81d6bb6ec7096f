import { count } from '../../basics/quantities.ts';
import { integerArgument } from '../arguments.ts';
import { chunkFaults, chunksParameter } from '../chunks.ts';
import { idleLine } from '../describe.ts';
import { loop } from '../placement.ts';
import type { Policy, Shape } from '../policy.ts';

/**
 * Chunks follow each other without a gap only if a chunk has as many microbatches as there are devices. With fewer, each further
 * chunk waits p − m forwards, and as many backwards, for the round through all devices.
 */
const slots = ({ devices, microbatches, chunks }: Shape): number =>
  devices - 1 + (chunks - 1) * Math.max(0, devices - microbatches);

/** Lamy-Poirier, "Breadth-First Pipeline Parallelism" (2023). Backwards run in reverse, as PyTorch's LoopedBFS runs them. */
export const breadthFirst: Policy = {
  name: 'breadth_first',
  summary:
    'Runs all microbatches through one chunk of layers, then through the next. Sharded weights are gathered only twice per chunk, but the activations of every microbatch are kept.',
  page: 'breadth_first',
  parameters: [chunksParameter],
  split: false,
  chunks: (args) => Math.max(1, integerArgument(args, 'chunks', 2)),
  placement: (shape) => loop(shape.stages, shape.devices),
  check: chunkFaults,
  order({ devices, microbatches, chunks }, device, out) {
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
        out.forward(chunk * devices + device, microbatch);
    }
    for (let chunk = chunks - 1; chunk >= 0; chunk -= 1) {
      for (let microbatch = microbatches - 1; microbatch >= 0; microbatch -= 1)
        out.backward(chunk * devices + device, microbatch);
    }
  },
  explain: (shape) => [
    `order: ${count(shape.microbatches, 'forward', 'forwards')} of each of ${count(shape.chunks, 'chunk', 'chunks')} in turn, then the backwards in reverse`,
    idleLine(
      shape,
      shape.microbatches < shape.devices
        ? '(p − 1 + (v − 1)(p − m))(F + B of one chunk)'
        : '(p − 1)(F + B of one chunk)',
      ({ f, i, w }) => slots(shape) * (f + i + w),
    ),
    `in flight: m = ${shape.microbatches} on every device`,
    `gathers of sharded weights: 2 for each chunk, ${2 * shape.chunks} per device and iteration, for any number of microbatches`,
  ],
};
