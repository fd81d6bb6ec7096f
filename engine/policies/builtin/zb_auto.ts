import { bytes, share, time } from '../../quantities.ts';
import { linear } from '../placement.ts';
import type { OperationSink, Policy, Shape } from '../policy.ts';
import type { Switches } from '../zbAuto/construct.ts';
import { allowed, limitFaults, limitOf, limitParameter } from '../zbAuto/limit.ts';
import { forwardKind, inputKind, problemOf } from '../zbAuto/problem.ts';
import { type Found, search } from '../zbAuto/search.ts';

interface Solution extends Found {
  /** Seconds of a tick. */
  readonly tick: number;
}

/** The orders of all devices are found together, but are asked for device by device. */
const known = new WeakMap<Shape, Solution>();

function solve(shape: Shape): Solution {
  const before = known.get(shape);
  if (before !== undefined) return before;
  const limit = limitOf(shape);
  const counted = limit.kind === 'microbatches';
  const problem = problemOf(shape, counted);
  const unit = counted ? problem.activation : new Float64Array(shape.devices).fill(1);
  const solution = { ...search(problem, allowed(shape, problem, limit), unit), tick: problem.tick };
  known.set(shape, solution);
  return solution;
}

/** Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 3.1. */
export const zbAuto: Policy = {
  name: 'zb_auto',
  summary:
    'The backward split and an order made for the times and the memory of this pipeline: weight gradients fill the gaps, and no device holds more activations than the limit.',
  page: 'zb_auto',
  parameters: [limitParameter],
  split: true,
  searches: true,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  check: limitFaults,
  order,
  explain,
};

function order(shape: Shape, device: number, out: OperationSink): void {
  const { words } = solve(shape);
  const length = 3 * shape.microbatches;
  let [forward, input, weight] = [0, 0, 0];
  for (let at = device * length; at < (device + 1) * length; at += 1) {
    if (words[at] === forwardKind) out.forward(device, forward++);
    else if (words[at] === inputKind) out.backwardInput(device, input++);
    else out.backwardWeight(device, weight++);
  }
}

function explain(shape: Shape): readonly string[] {
  if (limitFaults(shape).length > 0) return [`limit: ${limitFaults(shape)[0].message}`];
  const { by, makespan, least, tick } = solve(shape);
  const over = least > 0 ? makespan / least - 1 : 0;
  return [
    limitLine(shape),
    'name' in by
      ? `order: that of ${by.name}, none of the constructed ones is shorter`
      : `order: constructed; ${switchesLine(by)}`,
    makespan <= least
      ? `end: ${time(makespan * tick)}, and no order within the limit ends sooner`
      : `end: ${time(makespan * tick)}; no order within the limit ends before ${time(least * tick)}, so at most ${share(over / (1 + over))} of it could be saved`,
  ];
}

function limitLine(shape: Shape): string {
  const { kind, amount } = limitOf(shape);
  if (kind === 'microbatches') return `limit: ${amount} microbatch${amount === 1 ? '' : 'es'} in flight on a device`;
  if (kind === 'bytes') return `limit: ${bytes(amount)} of activations on a device`;
  const least = shape.room.reduce((low, one) => Math.min(low, one), Infinity);
  if (!(least < Infinity)) return 'limit: the memory of each device';
  const short = shape.activation.findIndex((one, stage) => one > (shape.room[stage] ?? Infinity));
  if (short >= 0) return `limit: the memory of each device; that of stage ${short} has no room for one microbatch`;
  return `limit: the memory of each device, at least ${bytes(Math.max(0, least))} of activations`;
}

const switchesLine = ({ hold, turns, fill }: Switches): string =>
  [
    turns ? 'F and I take turns' : 'I goes before F',
    hold ? 'no F delays an I that is on its way' : 'F starts whenever it can',
    fill ? 'W fills every gap' : 'W fills gaps that it fits in, and others where no device has idled for longer',
  ].join('; ');
