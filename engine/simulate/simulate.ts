import type { Program } from '../values/program.ts';
import { runExchange } from './exchange/iterations.ts';
import { runInOrder } from './inOrder.ts';
import { runWithQueues } from './queues.ts';
import { runRendezvous } from './rendezvous.ts';
import { transfersNeverQueue } from './channels.ts';
import type { Timeline, Timing } from '../values/timeline.ts';

/**
 * Runs a program. Every device works through its order. An operation starts when the one before it has ended and all that it
 * needs has arrived. A transfer leaves when its operation ends and waits for its channel. It holds the channel for
 * `needOccupancy` and arrives `needLatency` later. If routes over several hops meet, transfers share hops instead. If sends and
 * receives block, `runRendezvous` applies. Lanes of a rule of exchange follow the operations, and without a barrier the iteration after. Returns undefined if operations wait for each other for ever.
 * `over`: ends of a run of this program that nobody needs any more; the run may write over them.
 */
export function simulate(program: Program, timing: Timing, over?: Float64Array): Timeline | undefined {
  const { exchange } = timing;
  return exchange === undefined
    ? runOperations(program, timing, over)
    : runExchange(timing, exchange, (times) => runOperations(program, times));
}

function runOperations(program: Program, timing: Timing, over?: Float64Array): Timeline | undefined {
  if (timing.transfer !== undefined) return runRendezvous(program, timing, timing.transfer);
  const { single, flows, crowd } = timing;
  const plain = program.fused === undefined && single === undefined && flows === undefined && crowd === undefined;
  const simple = plain && transfersNeverQueue(program, timing);
  return simple ? runInOrder(program, timing, over) : runWithQueues(program, timing);
}
