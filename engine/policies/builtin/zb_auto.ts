import type { Answer } from '../zbAuto/answer.ts';
import { bytes, count, share, shareAtMost, time, timeAtLeast } from '../../basics/quantities.ts';
import { linear } from '../placement.ts';
import type { OperationSink, Policy, PolicyParameter, Shape } from '../policy.ts';
import type { Switches } from '../zbAuto/construct.ts';
import { allowed, limitFaults, limitOf, limitParameter, limitWords } from '../zbAuto/limit.ts';
import { forwardKind, inputKind, type Objective, problemOf, type SearchProblem } from '../zbAuto/problem.ts';
import { provenLeast } from '../zbAuto/proven.ts';
import { search } from '../zbAuto/search.ts';

interface Solution extends Answer {
  /** Seconds of a tick. */
  readonly tick: number;
}

/** The orders of all devices are found together, but are asked for device by device. */
const known = new WeakMap<Shape, Solution>();

function solve(shape: Shape): Solution {
  const before = known.get(shape);
  if (before !== undefined) return before;
  const problem = searchProblemOf(shape);
  const solution = { ...search(problem), tick: problem.tick };
  known.set(shape, solution);
  return solution;
}

/** What is searched for a shape. */
export function searchProblemOf(shape: Shape): SearchProblem {
  const limit = limitOf(shape);
  const counted = limit.kind === 'microbatches';
  const problem = problemOf(shape, counted);
  return {
    ...problem,
    limits: allowed(shape, problem, limit),
    unit: counted ? problem.activation : new Float64Array(shape.devices).fill(1),
    objective: objectiveOf(shape),
  };
}

const objectives: readonly Objective[] = ['makespan', 'span'];
const objectiveOf = ({ args }: Shape): Objective => objectives.find((name) => name === args['objective']) ?? 'makespan';

const objectiveParameter: PolicyParameter = {
  name: 'objective',
  kind: 'word',
  words: objectives,
  default: 'makespan',
  summary:
    'Time to minimise: `makespan`, the end of the last device, or `span`, the longest time between the first start and the last end of a device. The other one decides between equal orders.',
};

/** Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 3.1. */
export const zbAuto: Policy = {
  name: 'zb_auto',
  summary:
    'Splits the backward and searches an order for the times and memory of this pipeline. Weight gradients fill the gaps, and no device holds more activations than the limit.',
  page: 'zb_auto',
  parameters: [limitParameter, objectiveParameter],
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
  const { by, makespan, span, leastSpan, tick, ...found } = solve(shape);
  const within = limitWords(limitOf(shape));
  const least = Math.max(found.least, provenLeast(searchProblemOf(shape), makespan));
  return [
    limitLine(shape),
    'name' in by
      ? `order: ${by.name}, because no constructed order is better`
      : `order: constructed; ${switchesLine(by)}`,
    makespan <= least
      ? `end: ${time(makespan * tick)}, and no order within ${within} ends sooner`
      : `end: ${time(makespan * tick)}, at most ${shareAtMost(makespan / least - 1)} above the least possible within ${within} (${timeAtLeast(least * tick)})`,
    span <= leastSpan
      ? `longest span: ${time(span * tick)}, and no order within ${within} has a shorter one`
      : `longest span: ${time(span * tick)}; no order within ${within} has one under ${timeAtLeast(leastSpan * tick)}, so at most ${saved(span, leastSpan)} of it could be saved`,
  ];
}

/** Share of some ticks that is over the least. */
const saved = (ticks: number, least: number): string => share(1 - least / ticks);

function limitLine(shape: Shape): string {
  const { kind, amount } = limitOf(shape);
  if (kind === 'microbatches')
    return `limit: the activations of ${count(amount, 'microbatch', 'microbatches')} on a device`;
  if (kind === 'bytes') return `limit: ${bytes(amount)} of activations on a device`;
  const least = shape.room.reduce((low, value) => Math.min(low, value), Infinity);
  if (!(least < Infinity)) return 'limit: the memory of each device';
  const short = shape.activation.findIndex((value, stage) => value > (shape.room[stage] ?? Infinity));
  if (short >= 0) return `limit: the memory of each device; stage ${short} has no memory for one microbatch`;
  return `limit: the memory of each device, at least ${bytes(Math.max(0, least))} of activations`;
}

const switchesLine = ({ hold, turns, fill }: Switches): string =>
  [
    turns ? 'F and I alternate' : 'I goes before F',
    hold ? 'no F delays an I that arrives soon' : 'F starts whenever it can',
    fill ? 'W fills every gap' : 'W fills gaps that it fits in, and other gaps on the device that has idled longest',
  ].join('; ');
