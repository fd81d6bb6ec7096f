import { badInteger, integerArgument, shownArgument } from '../arguments.ts';
import { dependenciesOf } from '../../order/dependencies.ts';
import { figure } from '../describe.ts';
import { heldMost } from '../orders/held.ts';
import { listSchedule } from '../../order/listSchedule.ts';
import { wave } from '../placement.ts';
import type { OperationSink, Policy, Shape } from '../policy.ts';
import { B, type Program, kindOf, microbatchOf, stageOf } from '../../values/program.ts';
import { wholeTicks } from '../../order/wholeTicks.ts';

const wavesOf = (shape: Shape): number => Math.max(1, integerArgument(shape.args, 'waves', 2));

/**
 * Liu et al., "Hanayo" (2023): the layers pass over the devices to and fro; a wave is one pass in each direction. A device that
 * is free runs a ready backward, or a ready forward if there is none: of the lowest microbatch, the deepest stage. The paper's
 * order is for m = p. With more, forwards run further ahead and hold more, unless `in_flight` limits how many run at once.
 */
export const hanayo: Policy = {
  name: 'hanayo',
  summary:
    'Stages run in waves over the devices and back. More waves reduce idle time without a second copy of the weights, but increase transfers.',
  page: 'hanayo',
  parameters: [
    {
      name: 'waves',
      kind: 'integer',
      summary: 'Number of passes over all devices and back. A device holds two stages for each.',
      default: 2,
      min: 1,
    },
    {
      name: 'in_flight',
      kind: 'integer',
      summary: 'Most microbatches in flight. Fewer need less memory and idle longer. Default: all.',
      min: 1,
    },
  ],
  split: false,
  chunks: (args) => 2 * Math.max(1, integerArgument(args, 'waves', 2)),
  placement: (shape) => wave(shape.stages, shape.devices),
  check: ({ args }) =>
    ['waves', 'in_flight']
      .filter((name) => badInteger(args, name, 1))
      .map((name) => ({
        message: `${name} is ${shownArgument(args, name)}; it must be a whole number of at least 1`,
        fix: { input: name, values: [1] },
      })),
  order,
  explain(shape) {
    const waves = wavesOf(shape);
    const p = shape.devices;
    return [
      `stages: 2·W = ${2 * waves} on each device, in ${waves} ${waves === 1 ? 'wave' : 'waves'}`,
      'order: in time, a ready backward first, otherwise the forward of the lowest microbatch, deepest stage first',
      `transfers of a microbatch in one direction: 2W(p − 1) = ${2 * waves * (p - 1)}, compared with p − 1 = ${p - 1} for 1F1B`,
      `in flight: ${figure(heldMost(shape, order) / (2 * waves))} microbatches at most`,
    ];
  },
};

/** The program of a shape is one for all devices, but is asked for device by device. */
const programs = new WeakMap<Shape, Program>();

function programOf(shape: Shape): Program {
  const known = programs.get(shape);
  if (known !== undefined) return known;
  const { devices, stages, microbatches, forward, backwardInput, backwardWeight, transfer, args } = shape;
  const edges = Array.from({ length: stages - 1 }, (_, stage) => ({ from: stage, to: stage + 1, bytes: 0 }));
  const dependencies = dependenciesOf(edges, stages);
  const placement = wave(stages, devices);
  const durations = new Float64Array(3 * stages);
  const transfers = new Float64Array(dependencies.needs.length);
  for (let stage = 0; stage < stages; stage += 1) {
    durations[stage] = forward[stage];
    durations[stages + stage] = backwardInput[stage] + backwardWeight[stage];
  }
  for (let row = 0; row < 2 * stages; row += 1) {
    for (let need = dependencies.offsets[row]; need < dependencies.offsets[row + 1]; need += 1) {
      const sender = placement[dependencies.needs[need] % stages];
      if (sender !== placement[row % stages]) transfers[need] = transfer;
    }
  }
  const limits = new Float64Array(stages).fill(Infinity);
  limits[0] = Math.max(1, integerArgument(args, 'in_flight', microbatches));
  const ticks = wholeTicks(durations, transfers, microbatches);
  const program = listSchedule(
    { devices, placement, microbatches, limits, dependencies, ticks },
    { prefer: ['B', 'F'], split: false },
  );
  programs.set(shape, program);
  return program;
}

function order(shape: Shape, device: number, out: OperationSink): void {
  const program = programOf(shape);
  for (let position = program.offsets[device]; position < program.offsets[device + 1]; position += 1) {
    const word = program.order[position];
    if (kindOf(program, word) === B) out.backward(stageOf(program, word), microbatchOf(program, word));
    else out.forward(stageOf(program, word), microbatchOf(program, word));
  }
}
