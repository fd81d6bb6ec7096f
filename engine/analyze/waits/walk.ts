/** A walk back in time from the end of a wait, and the steps that every walk takes. */
import { stageOf } from '../../values/program.ts';
import { type Timeline, endAt, startAt } from '../../values/timeline.ts';
import type { Carried, Cause, TensorNeed, Wait } from './chainTypes.ts';
import type { Links } from './links.ts';

/** `slack`: seconds that count as rounding. */
export interface Walk {
  readonly timeline: Timeline;
  readonly wait: Wait;
  readonly links: Links;
  readonly slack: number;
  readonly causes: Cause[];
  /** Seconds by which the iteration in which the walk is comes after the one of the timeline. */
  later: number;
  /** What the operation that ends the wait needs, if it runs other layers before. */
  tensor?: TensorNeed;
}

/** Adds an operation to the chain; true where it runs on the device that waits. */
export function visit({ timeline, causes, wait, later }: Walk, position: number, tied: boolean): boolean {
  const { program } = timeline;
  const device = program.placement[stageOf(program, program.order[position])];
  const [from, to] = [startAt(timeline, position) + later, endAt(timeline, position) + later];
  causes.push({ kind: 'operation', position, device, from, to, tied });
  return device === wait.device;
}

/**
 * Adds the transfer of a result that arrives at `time` for one of the operations from `first` to `last`, and the transfers that
 * its link carried before it. Returns the operation that made the first of them; −1 where nothing arrives then.
 */
export function transferTo(walk: Walk, first: number, last: number, time: number, tied: boolean): number {
  const { links, slack, causes, later } = walk;
  const shifted = (each: Carried): Carried => ({ ...each, from: each.from + later, to: each.to + later });
  const arrived = links.arriving(first, last, time);
  if (arrived === undefined) return -1;
  let carried = arrived;
  if (carried.to - carried.from > slack)
    causes.push({ kind: 'transfer', ...shifted(carried), tied, ahead: false, blocks: false });
  for (let next = links.ahead(carried); next !== undefined; next = links.ahead(carried)) {
    carried = next;
    causes.push({ kind: 'transfer', ...shifted(carried), tied: false, ahead: true, blocks: false });
  }
  return carried.position;
}
