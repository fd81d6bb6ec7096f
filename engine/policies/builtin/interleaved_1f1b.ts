import { count } from '../../basics/quantities.ts';
import { badInteger, integerArgument, shownArgument } from '../arguments.ts';
import { idleLine, perDevice } from '../describe.ts';
import { loop } from '../placement.ts';
import type { Policy, Shape, ShapeFault } from '../policy.ts';

/** Fewer microbatches than devices are one group, as in PyTorch. */
const groupOf = (shape: Pick<Shape, 'devices' | 'microbatches' | 'args'>): number =>
  integerArgument(shape.args, 'group', Math.min(shape.devices, shape.microbatches));

/**
 * Forwards and backwards of a chunk that a device waits for: the route through the devices, and for groups that are shorter than
 * it.
 */
const idleSlots = ({ devices, microbatches, chunks }: Shape): number =>
  devices - 1 + (chunks - 1) * Math.max(0, devices - microbatches);

/** Forwards of a chunk that come ahead of the backward that they would follow. */
const extraOf = ({ args }: Pick<Shape, 'args'>): number => integerArgument(args, 'extra_warmup', 0);

/** Forwards before the first backward, at most all: `min(m·v, 2(p − 1 − i) + (v − 1)·g)`, and what is asked for beyond. */
const warmup = (shape: Shape, device: number): number =>
  Math.min(
    shape.microbatches * shape.chunks,
    2 * (shape.devices - 1 - device) + (shape.chunks - 1) * groupOf(shape) + extraOf(shape),
  );

const inFlight = (shape: Shape, device: number): number =>
  Math.min(shape.microbatches * shape.chunks, warmup(shape, device) + 1);

/**
 * Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (2021), section 2.2.
 * Microbatches go in groups; a device takes a whole group through one chunk, then through the next.
 */
export const interleaved1f1b: Policy = {
  name: 'interleaved_1f1b',
  summary:
    '1F1B with several chunks of layers on each device: idle time divided by the chunks, transfers multiplied by them.',
  page: 'interleaved_1f1b',
  parameters: [
    { name: 'chunks', kind: 'integer', summary: 'Stages that each device holds.', default: 2, min: 1 },
    {
      name: 'group',
      kind: 'integer',
      summary:
        'Microbatches that go through a chunk before the next chunk runs. Default: the number of devices, or all microbatches if there are fewer.',
      min: 1,
    },
    {
      name: 'extra_warmup',
      kind: 'integer',
      summary:
        'Further forwards before the first backward. Default: 0, and 1 under Megatron where the exchanges of experts overlap. No backward then waits for the forward next to it.',
      min: 0,
    },
  ],
  split: false,
  // Megatron-LM, `schedules.py`: `fwd_recv_buffer_size` on the first rank, `bwd_recv_buffer_size` on the last.
  messagesAtEnds: (shape) => Math.max(1, groupOf(shape) - shape.devices + 1),
  chunks: (args) => Math.max(1, integerArgument(args, 'chunks', 2)),
  placement: (shape) => loop(shape.stages, shape.devices),
  check: faults,
  order(shape, device, out) {
    const { devices, microbatches, chunks } = shape;
    const group = groupOf(shape);
    const total = microbatches * chunks;
    const before = warmup(shape, device);
    // Two walks of the same table: for each group, for each chunk, for each microbatch of the group.
    let fBase = 0;
    let fChunk = 0;
    let fAt = 0;
    let fSize = Math.min(group, microbatches);
    let bBase = 0;
    let bChunk = 0;
    let bAt = 0;
    let bSize = fSize;
    for (let step = 0; step < total + before; step += 1) {
      if (step < total) {
        out.forward(fChunk * devices + device, fBase + fAt);
        fAt += 1;
        if (fAt === fSize) {
          fAt = 0;
          fChunk += 1;
          if (fChunk === chunks) {
            fChunk = 0;
            fBase += fSize;
            fSize = Math.min(group, microbatches - fBase);
          }
        }
      }
      if (step >= before) {
        out.backward((chunks - 1 - bChunk) * devices + device, bBase + bAt);
        bAt += 1;
        if (bAt === bSize) {
          bAt = 0;
          bChunk += 1;
          if (bChunk === chunks) {
            bChunk = 0;
            bBase += bSize;
            bSize = Math.min(group, microbatches - bBase);
          }
        }
      }
    }
  },
  explain: (shape) => [
    `groups: ${count(groupOf(shape), 'microbatch', 'microbatches')} through each of ${count(shape.chunks, 'chunk', 'chunks')} in turn`,
    `warm-up: min(m·v, 2(p − 1 − i) + (v − 1)·g${extraOf(shape) === 0 ? '' : ` + ${extraOf(shape)}`}) = ${perDevice(shape, (device) => warmup(shape, device))} forwards of a chunk`,
    idleLine(
      shape,
      shape.microbatches < shape.devices
        ? '(p − 1 + (v − 1)(p − m))(F + B of one chunk)'
        : '(p − 1)(F + B of one chunk)',
      ({ f, i, w }) => idleSlots(shape) * (f + i + w),
    ),
    `in flight: ${perDevice(shape, (device) => inFlight(shape, device) / shape.chunks)} microbatches`,
  ],
};

const groupFits = (microbatches: number, devices: number, group: number): boolean =>
  group >= Math.min(devices, microbatches) &&
  group <= microbatches &&
  (microbatches % group === 0 || microbatches % group >= devices);

/**
 * The condition on groups is Megatron-LM's (`microbatch_group_size_per_vp_stage`): no group may be shorter than the pipeline. If
 * microbatches are fewer than devices there is one group, as PyTorch has it.
 */
function faults(shape: Shape): readonly ShapeFault[] {
  const { devices, microbatches, args } = shape;
  if (badInteger(args, 'chunks', 1)) {
    return [
      {
        message: `chunks is ${shownArgument(args, 'chunks')}; it must be a whole number of at least 1`,
        fix: { input: 'chunks', values: [2] },
      },
    ];
  }
  if (badInteger(args, 'group', 1)) {
    return [
      {
        message: `group is ${shownArgument(args, 'group')}; it must be a whole number of at least 1`,
        fix: { input: 'group', values: [devices] },
      },
    ];
  }
  if (badInteger(args, 'extra_warmup', 0)) {
    return [
      {
        message: `extra_warmup is ${shownArgument(args, 'extra_warmup')}; it must be a whole number of at least 0`,
        fix: { input: 'extra_warmup', values: [0, 1] },
      },
    ];
  }
  const group = groupOf(shape);
  if (groupFits(microbatches, devices, group)) return [];
  if (args['group'] !== undefined) {
    const near = nearest(group, Math.min(devices, microbatches), microbatches, (value) =>
      groupFits(microbatches, devices, value),
    );
    const message =
      microbatches < devices
        ? `groups of ${group}; with fewer microbatches than the ${devices} devices, all ${microbatches} are one group`
        : group < devices || group > microbatches
          ? `groups of ${count(group, 'microbatch', 'microbatches')}; a group has at least as many as there are devices (${devices}) and at most all (${microbatches})`
          : `groups of ${group} leave ${microbatches % group} of ${count(microbatches, 'microbatch', 'microbatches')}, fewer than the ${devices} devices`;
    return [{ message, fix: { input: 'group', values: near } }];
  }
  const [fitting] = nearest(group, devices, microbatches, (value) => groupFits(microbatches, devices, value));
  return [
    {
      message: `${count(microbatches, 'microbatch does', 'microbatches do')} not divide into groups of ${group}, but would with group = ${fitting}`,
      fix: {
        input: 'microbatches',
        values: nearest(microbatches, devices, microbatches + group, (value) => groupFits(value, devices, group)),
      },
    },
  ];
}

/** The nearest fitting value below and above, nearer first. */
function nearest(from: number, least: number, most: number, fits: (value: number) => boolean): readonly number[] {
  const found: number[] = [];
  for (let below = Math.min(from - 1, most); below >= least; below -= 1) {
    if (fits(below)) {
      found.push(below);
      break;
    }
  }
  for (let above = Math.max(from + 1, least); above <= most; above += 1) {
    if (fits(above)) {
      found.push(above);
      break;
    }
  }
  return found.toSorted((a, b) => Math.abs(a - from) - Math.abs(b - from));
}
