import type { Program } from '../program.ts';
import { runInOrder } from './inOrder.ts';
import { runWithQueues } from './queues.ts';
import { runRendezvous } from './rendezvous.ts';
import { transfersNeverQueue } from './channels.ts';
import type { Timeline, Timing } from '../timeline.ts';

/**
 * Runs a program: every device works through its order, an operation starting when the one before it has ended and all that it
 * needs has arrived. A transfer leaves when its operation ends, waits for its channel, holds it for `needOccupancy` and arrives
 * `needLatency` later (where ways over several hops meet, transfers share hops instead); where sends and receives block, `runRendezvous` says how. Returns undefined where operations wait for one another for ever.
 */
export function simulate(program: Program, timing: Timing): Timeline | undefined {
  if (timing.transfer !== undefined) return runRendezvous(program, timing, timing.transfer);
  const simple = program.fused === undefined && timing.flows === undefined && transfersNeverQueue(program, timing);
  return simple ? runInOrder(program, timing) : runWithQueues(program, timing);
}
