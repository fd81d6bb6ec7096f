/** What a person reads of a run next to its plan, in a terminal and in the preview. */
import { share, time } from '../basics/quantities.ts';
import { operationName, type Program } from '../values/program.ts';
import type { Stragglers } from '../runs/stragglers.ts';
import type { RunComparison } from './compareRun.ts';

/** Whether the order that ran is the plan's. */
export function orderWords(
  program: Program,
  { order, otherOrder }: Pick<RunComparison, 'order' | 'otherOrder'>,
): string {
  const { cells, of, first, dependsOnTimes } = order;
  if (dependsOnTimes) {
    const apart =
      cells === 0 ? 'It is the order of the plan.' : `The plan would order ${cells} of ${of} operations otherwise.`;
    const saved =
      otherOrder === undefined
        ? ''
        : otherOrder > 0
          ? ` An order made for the measured times would save ${time(otherOrder)}.`
          : ' An order made for the measured times would save nothing.';
    return `The order that ran is kept here, because the schedule makes its order for the times. ${apart}${saved}`;
  }
  if (cells === 0) return 'as planned';
  const places = first
    .map(
      ({ device, cell, planned, ran }) =>
        `rank ${device} ran ${operationName(program, ran)} at place ${cell}, planned ${operationName(program, planned)}`,
    )
    .slice(0, 8);
  return `${cells} of ${of} operations ran at another place: ${places.join('; ')}`;
}

export const slowdownWords = (slowdown: string): string =>
  `the run takes ${slowdown} × what it would take if every operation kept the planned ratio of times.`;

/** Of next to nothing, a share says nothing: then it is empty. */
export const lastStageWords = ({ slowdown, lastStage }: Pick<Stragglers, 'slowdown' | 'lastStage'>): string =>
  slowdown > 1.01 ? `Without the slowness of the last stage alone, ${share(lastStage)} of the loss would go away.` : '';

/** Replicas that the plan does not have, or does not all have. */
export const replicaWords = (name: string, planned: string, ran: string): string =>
  `"${name}" has ${planned}, and the traces are of ${ran}. Each is compared by itself; the exchange of gradients is left out.`;
