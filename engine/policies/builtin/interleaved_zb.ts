import { count } from '../../basics/quantities.ts';
import { integerArgument } from '../arguments.ts';
import { chunkFaults, chunksParameter } from '../chunks.ts';
import { idleLine, perDevice } from '../describe.ts';
import { loop } from '../placement.ts';
import type { OperationSink, Policy, Shape, ShapeFault } from '../policy.ts';
import { zbIdle } from './zb_h1.ts';

/** PyTorch's rounds: as many as leave each at least p microbatches; one where there are fewer. */
const roundsOf = (devices: number, microbatches: number): number =>
  Math.max(1, Math.floor(microbatches / Math.max(1, devices)));

const groupOf = ({ devices, microbatches }: Shape): number => microbatches / roundsOf(devices, microbatches);

const warmup = (shape: Shape, device: number): number =>
  Math.min(shape.microbatches * shape.chunks, shape.devices - 1 - device + (shape.chunks - 1) * groupOf(shape));

/**
 * PyTorch's ScheduleInterleavedZeroBubble: the groups of Narayanan et al. (2021), section 2.2, with the split backward and the
 * delay of W of Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 2.1.
 */
export const interleavedZb: Policy = {
  name: 'interleaved_zb',
  summary: 'Interleaved 1F1B with a split backward. Half the warm-up, and weight gradients fill the idle time.',
  page: 'interleaved_zb',
  parameters: [chunksParameter],
  split: true,
  chunks: (args) => Math.max(1, integerArgument(args, 'chunks', 2)),
  placement: (shape) => loop(shape.stages, shape.devices),
  check: faults,
  order,
  explain: (shape) => [
    `rounds: max(1, ⌊m / p⌋) = ${roundsOf(shape.devices, shape.microbatches)}, of ${count(groupOf(shape), 'microbatch', 'microbatches')} through each of ${count(shape.chunks, 'chunk', 'chunks')} in turn`,
    `warm-up: min(m·v, (p − 1 − i) + (v − 1)·g) = ${perDevice(shape, (device) => warmup(shape, device))} forwards of a chunk`,
    `W runs ${perDevice(shape, (device) => device)} input gradients after its input gradient`,
    idleLine(shape, '(p − 1)(F + I − W of one chunk)', (times) => zbIdle(shape, times)),
    `in flight until W: ${perDevice(shape, (device) => inFlight(shape, device) / shape.chunks)} microbatches`,
  ],
};

/** Its warm-up, one more forward before the first input gradient, and i whose W is still to come. */
const inFlight = (shape: Shape, device: number): number =>
  Math.min(shape.microbatches * shape.chunks, warmup(shape, device) + 1 + device);

function order(shape: Shape, device: number, out: OperationSink): void {
  const { devices, microbatches, chunks } = shape;
  const group = groupOf(shape);
  const total = microbatches * chunks;
  const before = warmup(shape, device);
  const chunkAt = (step: number): number => Math.floor(step / group) % chunks;
  const microbatchAt = (step: number): number => Math.floor(step / (group * chunks)) * group + (step % group);
  const forward = (step: number): void => out.forward(chunkAt(step) * devices + device, microbatchAt(step));
  const behind = (step: number): number => (chunks - 1 - chunkAt(step)) * devices + device;
  for (let step = 0; step < before; step += 1) forward(step);
  for (let step = 0; step < total + device; step += 1) {
    if (step + before < total) forward(step + before);
    if (step < total) out.backwardInput(behind(step), microbatchAt(step));
    if (step >= device) out.backwardWeight(behind(step - device), microbatchAt(step - device));
  }
}

function faults(shape: Shape): readonly ShapeFault[] {
  const { devices, microbatches } = shape;
  const chunk = chunkFaults(shape);
  if (chunk.length > 0) return chunk;
  const rounds = roundsOf(devices, microbatches);
  if (microbatches % rounds === 0) return [];
  // Multiples of p always fit, so the nearest values are never far.
  const fits = (value: number): boolean => value % roundsOf(devices, value) === 0;
  let below = microbatches - 1;
  while (!fits(below)) below -= 1;
  let above = microbatches + 1;
  while (!fits(above)) above += 1;
  const values = microbatches - below <= above - microbatches ? [below, above] : [above, below];
  const message = `${microbatches} microbatches do not divide into ${rounds} equal rounds`;
  return [{ message, fix: { input: 'microbatches', values } }];
}
