/** Why a device waits: the chain of what ended last, from the end of the wait back in time. */
import { stageOf } from '../../values/program.ts';
import type { Timeline } from '../../values/timeline.ts';
import { blockedFrom } from './blocked.ts';
import type { Cause, ChainStop, Wait, WaitChain } from './chainTypes.ts';
import { iterationEnd } from './iterationEnd.ts';
import { piecesOf } from './lanePieces.ts';
import { linksOf } from './links.ts';
import { operationsFrom } from './operations.ts';
import { endedBy } from './iterationBefore.ts';
import { visit, type Walk } from './walk.ts';

/**
 * The chain of a wait. It goes from what begins to what ended last just then. That is the result that it needs, the link that
 * carried this result or another one ahead of it, or the operation before on the same device. If a result arrives at the moment in
 * which the device is free, the chain follows the result. It stops at an operation of the device that waits, or at the start of
 * the iteration. O(operations), and each link that transfers queue for is sorted once.
 */
export function waitChain(timeline: Timeline, wait: Wait): WaitChain {
  const slack = timeline.makespan * 1e-12;
  const walk: Walk = { timeline, wait, links: linksOf(timeline, slack), slack, causes: [], later: 0 };
  const stop = walkBack(walk);
  const causes = stop === 'repeats' ? untilRepeated(walk.causes) : walk.causes;
  return { stop, causes, ...(walk.tensor === undefined ? {} : { tensor: walk.tensor }) };
}

/** Up to the first operation that the chain has been at before. */
function untilRepeated(causes: readonly Cause[]): readonly Cause[] {
  const seen = new Set<number>();
  const last = causes.findIndex((cause) => {
    if (cause.kind !== 'operation') return false;
    if (seen.has(cause.position)) return true;
    seen.add(cause.position);
    return false;
  });
  return causes.slice(0, last + 1);
}

function walkBack(walk: Walk): ChainStop {
  const { timeline, wait, slack } = walk;
  const { blocking, program, makespan } = timeline;
  if (wait.before >= 0) {
    if (blocking === undefined) return operationsFrom(walk, wait.before);
    return blockedFrom(walk, blocking, program.placement[stageOf(program, program.order[wait.before])], wait.before);
  }
  // Without a barrier, the first operation of the next iteration ends the wait.
  const next = endedBy(timeline, wait);
  if (next !== undefined) {
    walk.later = next.period;
    return operationsFrom(walk, next.position);
  }
  // A device that sends last waits between its last operation and its step too.
  const end = wait.to >= makespan - slack ? iterationEnd(walk) : { device: wait.device };
  if (end === undefined) return 'unknown';
  if ('tensor' in end) {
    const made = piecesOf(walk, end.lane, end.tensor);
    if (made < 0) return 'unknown';
    const maker = program.placement[stageOf(program, program.order[made])];
    if (maker === wait.device) return 'device';
    return blocking === undefined ? operationsFrom(walk, made) : blockedFrom(walk, blocking, maker, made);
  }
  const { device } = end;
  if (blocking !== undefined) return blockedFrom(walk, blocking, device, -1);
  const last = program.offsets[device + 1] - 1;
  return visit(walk, last, false) ? 'device' : operationsFrom(walk, last);
}
