/** What one device has to do before it makes gradients, and after it gets them back. */
import type { LaneTiming } from '../../values/exchangeTimeline.ts';
import { slotWidth } from '../../order/slot.ts';
import { endAt, startAt, type Timeline } from '../../values/timeline.ts';
import { gradientsReady, lastBackward } from '../gradients.ts';
import type { LaneProblem } from './lane.ts';
import { pathsToEnd, type Waits } from './paths.ts';
import { type FirstForward, secondsFrom } from './runForward.ts';

interface Held {
  /** What operations wait for; absent if that takes long, or if operations overlap. */
  readonly waits?: Waits | undefined;
  readonly device: number;
  readonly lane: LaneTiming;
  /** Number of the lane. */
  readonly index: number;
  readonly forwards: readonly FirstForward[];
}

/**
 * By tensor of a lane, seconds of work of a device. `ready` is minus its work after the gradients are ready, and `tail` its work from the
 * layer's step on. Both are −∞ if the device does not have the tensor. All tensors are one set if all first forwards of the stages come
 * before all of their last backwards. Otherwise each stage is a set. A second set for each stage contains the work of other devices
 * between its first forward and its last backward.
 */
export function rowTimes(timeline: Timeline, { device, lane, index, forwards, waits }: Held): readonly RowTimes[] {
  const { program } = timeline;
  const after = workAfter(timeline, device);
  const readyAt = gradientsReady(timeline);
  const found = lane.plan.tensors.flatMap((_, tensor): readonly HeldTensor[] => {
    const maker = lane.makers[tensor].find((each) => each.device === device);
    const forward = forwards.find(
      (each) =>
        each.device === device && each.tensors.some((needed) => needed.lane === index && needed.tensor === tensor),
    );
    const made = maker === undefined ? -1 : lastBackward(program, device, maker.stage);
    if (maker === undefined || forward === undefined || made < forward.position) return [];
    const left = endAt(timeline, made) - readyAt(maker);
    const own = secondsFrom(forward, index, tensor);
    const later = stepsFrom(forwards, device, forward.position + 1);
    return [
      {
        ...{ tensor, made, needed: forward.position, left, own },
        ready: -(after[made] + left),
        tail: own + after[forward.position] + later,
      },
    ];
  });
  const lastForward = found.reduce((latest, { needed }) => Math.max(latest, needed), -1);
  const isOneSet = found.every(({ made }) => made > lastForward);
  const positions = [...new Set(found.map(({ needed }) => needed))];
  const sets = isOneSet ? [found] : positions.map((at) => found.filter(({ needed }) => needed === at));
  return [...sets, ...(waits === undefined ? [] : alongPaths(waits, found, positions))].map((set) =>
    columnsOf(set, lane.plan.tensors.length),
  );
}

/** Tensors with one first forward and one last backward. */
function alongPaths(
  waits: Waits,
  found: readonly HeldTensor[],
  positions: readonly number[],
): readonly (readonly HeldTensor[])[] {
  return positions.map((at) => {
    const set = found.filter(({ needed }) => needed === at);
    const [{ made }] = set;
    const path = pathsToEnd(waits, made)[at] - waits.seconds[at];
    return set
      .filter((each) => each.made === made)
      .map((each) => ({ ...each, ready: -each.left, tail: each.own + path }));
  });
}

type RowTimes = Pick<LaneProblem, 'ready' | 'tail'>;

interface HeldTensor {
  readonly tensor: number;
  /** Positions of the last backward and of the first forward. */
  readonly made: number;
  readonly needed: number;
  /** Seconds of the last backward after the gradients are ready, and of the first forward from the layer's step on. */
  readonly left: number;
  readonly own: number;
  readonly ready: number;
  readonly tail: number;
}

function columnsOf(set: readonly HeldTensor[], tensors: number): RowTimes {
  const ready = new Float64Array(tensors).fill(-Infinity);
  const tail = new Float64Array(tensors).fill(-Infinity);
  for (const each of set) {
    ready[each.tensor] = each.ready;
    tail[each.tensor] = each.tail;
  }
  return { ready, tail };
}

/** By position, seconds in which the device works after that operation. Indexes are positions in `order`. */
function workAfter(timeline: Timeline, device: number): Float64Array {
  const { program } = timeline;
  const { offsets } = program;
  const after = new Float64Array(offsets[device + 1]);
  let ends = 0;
  for (let at = offsets[device]; at < offsets[device + 1]; at += slotWidth(program, at)) {
    const last = at + slotWidth(program, at) - 1;
    const start = Math.min(startAt(timeline, at), startAt(timeline, last));
    const end = Math.max(endAt(timeline, at), endAt(timeline, last));
    ends += end - start;
    // What is left of the slot after each of its operations.
    for (let each = at; each <= last; each += 1) after[each] = end - endAt(timeline, each) - ends;
  }
  return after.map((each) => each + ends);
}

const stepsFrom = (forwards: readonly FirstForward[], device: number, position: number): number =>
  forwards.reduce(
    (sum, each) =>
      each.device === device && each.position >= position
        ? sum + each.tensors.reduce((all, { step }) => all + step, 0)
        : sum,
    0,
  );
