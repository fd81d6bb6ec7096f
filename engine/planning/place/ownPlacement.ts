/** Devices of the stages under a schedule that a file declares. */
import type { ScheduleDefinition, ScheduleNumbers } from '../../definitions/schedule.ts';
import type { StagesOf } from '../../definitions/scheduleEvaluator.ts';
import { lcm } from '../../basics/gcd.ts';
import { copyRuns, turnsOfCopy } from '../../order/copyTurns.ts';
import type { StageCopy } from '../../values/plan.ts';
import { placementOf } from '../../policies/placement.ts';
import type { Asking } from '../ownSchedule.ts';
import { copiesByFunction, type OwnPlacement, type PlacedStages } from './copiesByFunction.ts';

/**
 * The placement; `undefined` where an expression is wrong for these numbers (reported). `linear`: where stages are if the schedule
 * says nothing; stage s on device s if absent.
 */
export function ownPlacement(
  asking: Asking,
  definition: ScheduleDefinition,
  numbers: ScheduleNumbers,
  linear?: Int32Array,
): OwnPlacement | undefined {
  const { placement, on, weights, parts } = definition;
  const { stages, devices } = numbers;
  const found =
    on !== undefined
      ? copiesByFunction(asking, { ...definition, on }, numbers)
      : placement === undefined && linear !== undefined
        ? { placement: linear }
        : placementOf(placement?.rule ?? 'linear', stages, devices);
  if (found === undefined || 'problem' in found) return found;
  const problem = weights === 'flush' ? undefined : separateUpdates(found.copies, definition, numbers);
  if (problem !== undefined) return { problem };
  const forwards = definition.forwardOnly ? asking.heard(asking.schedules.forwardOnly(definition, numbers)) : [];
  if (forwards === undefined) return undefined;
  const placed = forwards.includes(true) ? withForwards(found, forwards, weights) : found;
  if ('problem' in placed) return placed;
  return parts === 1 ? placed : inParts(placed, parts);
}

/** Stages that run forwards only come before all others: the gradient of a stage before them would come from there. */
function withForwards(
  { placement, copies, devices }: PlacedStages,
  forwards: readonly boolean[],
  weights: string,
): OwnPlacement {
  const late = forwards.findIndex((isForward, stage) => isForward && stage > 0 && !forwards[stage - 1]);
  if (late > 0)
    return {
      problem: `stage ${late} runs forwards only, so no gradient reaches stage ${late - 1} before it; \`forward_only\` holds for the first stages, or for all`,
    };
  if (weights !== 'flush') return { problem: `\`forward_only\` is for \`weights = flush\`, not for "${weights}"` };
  const all = copies ?? Array.from(placement, (_, stage): StageCopy => ({ stage, every: 1, first: 0 }));
  const idle = devices === undefined ? {} : { devices };
  return {
    placement,
    ...idle,
    copies: all.map((copy) => (forwards[copy.stage] ? { ...copy, forwardOnly: true } : copy)),
  };
}

/** Rules of the weights that are defined for copies, whose updates wait for each other. */
const rulesOfCopies: readonly string[] = ['stash', 'vertical_sync', 'latest'];

/**
 * Why copies of a stage cannot be updated without a flush, if so. They exchange gradients once in each iteration, or once in each
 * round if an iteration has one microbatch: all copies of a stage then have equally many.
 */
function separateUpdates(
  copies: readonly StageCopy[] | undefined,
  { on, weights, kind }: Pick<ScheduleDefinition, 'on' | 'weights' | 'kind'>,
  { microbatches }: ScheduleNumbers,
): string | undefined {
  if (copies === undefined) return undefined;
  const how = on === undefined ? 'bidirectional placement has two copies of each stage' : '`on` gives copies of stages';
  if (kind === 'greedy') return `${how}, which "${weights}" would update separately; write rows`;
  if (!rulesOfCopies.includes(weights)) return `${how}, but "${weights}" is for stages with one copy`;
  if (copies.some(({ spare }) => spare === true))
    return `${how}, and spare copies, which "${weights}" would not update`;
  const shareOf = new Map<number, number>();
  for (const copy of copies) {
    const { stage, every } = copy;
    const share = turnsOfCopy(copy).length / every;
    const other = shareOf.get(stage) ?? share;
    shareOf.set(stage, share);
    if (other !== share)
      return `copies of stage ${stage} run different numbers of microbatches, but are updated together`;
    if (copy.turns !== undefined && (microbatches === 1 || microbatches % every !== 0))
      return `copies of stage ${stage} run microbatches in turns of ${every}, which ${microbatches} microbatches of an iteration do not divide into`;
    if (microbatches !== 1 && microbatches % every !== 0)
      return `${microbatches} microbatches of an iteration do not divide evenly among the ${every} copies of stage ${stage}`;
  }
  return undefined;
}

/** Each stage or copy as its parts, next to each other. */
function inParts({ placement, copies, devices }: PlacedStages, parts: number): PlacedStages {
  const at = (index: number): number => Math.trunc(index / parts);
  const length = placement.length * parts;
  return {
    ...(devices === undefined ? {} : { devices }),
    placement: Int32Array.from({ length }, (_, index) => placement[at(index)]),
    copies: Array.from({ length }, (_, index): StageCopy => {
      const copy = copies?.[at(index)] ?? { stage: at(index), every: 1, first: 0 };
      return { ...copy, segment: index % parts, segments: parts };
    }),
  };
}

/** Lists are kept for this many microbatches before they repeat. */
const mostTurns = 1024;

/** Stages of the cut on each device. */
export function stagesOfDevices(
  placement: ArrayLike<number>,
  copies: readonly StageCopy[] | undefined,
  devices: number,
): StagesOf {
  const here: number[][] = Array.from({ length: devices }, () => []);
  for (let index = 0; index < placement.length; index += 1) {
    const copy = copies?.[index];
    if (copy === undefined) here[placement[index]].push(index);
    else if (copy.spare !== true && (copy.segment ?? 0) === 0) here[placement[index]].push(index);
  }
  if (copies === undefined) return { all: here };
  const all = here.map((list) => list.map((index) => copies[index].stage).sort((a, b) => a - b));
  const turns = copies.reduce((most, { every }) => Math.min(mostTurns + 1, lcm(most, every)), 1);
  if (turns === 1) return { all };
  const runs = copies.map(copyRuns);
  const of = (device: number, microbatch: number): readonly number[] =>
    here[device]
      .filter((index) => runs[index](microbatch))
      .map((index) => copies[index].stage)
      .sort((a, b) => a - b);
  if (turns > mostTurns) return { all, running: of };
  const known: (readonly number[])[][] = here.map(() => []);
  return {
    all,
    running: (device, microbatch) => (known[device][microbatch % turns] ??= of(device, microbatch % turns)),
  };
}
