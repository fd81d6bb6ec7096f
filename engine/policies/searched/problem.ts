/** What `search` looks for: the problem of a shape, and how long and by what. */
import { problemOf, type TimedProblem } from '../../search/problemOf.ts';
import type { Objective } from '../../search/run.ts';
import type { RandomTimes } from '../../search/search.ts';
import { integerArgument } from '../arguments.ts';
import { linear, loop, wave } from '../placement.ts';
import type { PolicyArguments, Shape } from '../policy.ts';
import { limitOf } from '../zbAuto/limit.ts';
import { limitsOf } from './limits.ts';

export const chunksOf = (args: PolicyArguments): number => integerArgument(args, 'chunks', 1);

export const isWhole = (args: PolicyArguments): boolean => args['backward'] === 'whole';

export const objectiveOf = (args: PolicyArguments): Objective => (args['objective'] === 'span' ? 'span' : 'end');

/** The random times that the order is chosen for; undefined if it is the shortest that is wanted. */
export const randomTimes = ({ args, jitter, slow }: Shape): RandomTimes | undefined =>
  args['prefer'] === 'p95' && jitter !== undefined
    ? { jitter, whole: isWhole(args), ...(slow === undefined ? {} : { slow }) }
    : undefined;

export const effortOf = (args: PolicyArguments): number => integerArgument(args, 'effort', 1);

/** Device of each stage. Default: one stage on each device, or two in a V. */
export function placementOf({ args, stages, devices, chunks }: Shape): Int32Array {
  if (chunks === 1) return linear(stages);
  return args['placement'] === 'loop' ? loop(stages, devices) : wave(stages, devices);
}

/**
 * The shape in whole ticks. With `limit` in microbatches, each counts at its largest state, so that W, where it keeps more than F,
 * takes no room of another microbatch. A stage that keeps nothing counts as 1 for each.
 */
export function problemOfShape(shape: Shape): TimedProblem {
  const { devices, stages, microbatches, args } = shape;
  const device = placementOf(shape);
  const whole = isWhole(args);
  const counted = limitOf(shape).kind === 'microbatches';
  const each = (of: (stage: number) => number): Float64Array =>
    Float64Array.from({ length: stages }, (_, stage) => of(stage));
  const isBare = (stage: number): boolean => counted && !(shape.activation[stage] > 0);
  const forWeight = each((stage) => (whole ? 0 : isBare(stage) ? 1 : shape.activationForWeight[stage]));
  const activation = each((stage) => {
    if (isBare(stage)) return 1;
    return counted ? Math.max(shape.activation[stage], forWeight[stage]) : shape.activation[stage];
  });
  const timed = problemOf({
    devices,
    microbatches,
    device,
    forward: shape.forward,
    input: each((stage) => shape.backwardInput[stage] + (whole ? shape.backwardWeight[stage] : 0)),
    weight: each((stage) => (whole ? 0 : shape.backwardWeight[stage])),
    transfer: shape.transfers,
    step: Float64Array.from({ length: devices }, (_, on) => shape.step[on] ?? 0),
    activation,
    forWeight,
    limit: limitsOf(shape, device, activation),
  });
  // A weight gradient that takes no time follows its input gradient. If it needs more than the forward kept, its bytes must fit:
  // it counts as an operation, of one tick.
  const weight = timed.problem.weight.map((ticks, stage) =>
    forWeight[stage] > activation[stage] ? Math.max(1, ticks) : ticks,
  );
  return { ...timed, problem: { ...timed.problem, weight } };
}
