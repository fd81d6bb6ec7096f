/**
 * Lock-free servers, as in Project Adam (Chilimbi et al., OSDI 2014): no worker ever waits for another.
 *
 * A worker runs at the times that it has alone. When a wave has ended, the worker pushes its summed update, and when that is with
 * the servers, it pulls the weights. It has one exchange at a time: waves that end meanwhile go with the next push. So a slow
 * link makes weights older and delays no minibatch. Of what happens at one time, the first worker's comes first.
 */
import type { JobPlan } from '../values/plan.ts';
import { freeRun } from './freeRun.ts';
import { type Exchange, serversOf } from './servers.ts';
import { Turns } from './turns.ts';
import type { Worker } from './worker.ts';
import { workerRun } from './workerRun.ts';
import type { JobTimeline, WorkerTimeline } from './wsp.ts';

/** What a worker does at its next turn. */
const push = 0;
const apply = 1;
const read = 2;
const arrive = 3;

/** Runs until each worker has ended `waves` waves; `undefined` where one has fewer. O(waves · log workers) after the workers. */
export function lockFree(
  job: Pick<JobPlan, 'servers' | 'link'>,
  workers: readonly Worker[],
  wave: number,
  waves: number,
): JobTimeline | undefined {
  const runs = workers.map((worker) => unheld(worker, wave));
  if (runs.some(({ clock }) => clock.length < waves)) return undefined;
  const globalClock = Array.from({ length: waves }, (_, number) =>
    runs.reduce((last, { clock }) => Math.max(last, clock[number]), 0),
  );
  const until = globalClock[waves - 1];
  const servers = serversOf(job);
  const turns = new Turns(workers.length);
  const states = runs.map(() => stateOf());
  for (const [index, { clock }] of runs.entries()) turns.set(index, clock[0] ?? Infinity);
  /** Updates of all workers that are in the weights of the servers. */
  let applied = 0;
  while (turns.time <= until) {
    const now = turns.time;
    const worker = turns.first;
    const state = states[worker];
    const { clock, entered } = runs[worker];
    if (state.next === push) {
      while (state.ended < clock.length && clock[state.ended] <= now) state.ended += 1;
      state.pushes.push(servers.push(workers[worker].bytes, now));
      turns.set(worker, state.pushes[state.pushes.length - 1].until);
      state.next = apply;
    } else if (state.next === apply) {
      for (let minibatch = state.applied * wave; minibatch < state.ended * wave; minibatch += 1) {
        const { pulls, othersRead } = state;
        while (state.used + 1 < pulls.length && pulls[state.used + 1].until <= entered[minibatch]) state.used += 1;
        const others = applied - wave * state.applied;
        state.missed.push(state.used < 0 ? others : others - othersRead[state.used]);
        state.reached.push(now);
      }
      applied += wave * (state.ended - state.applied);
      state.applied = state.ended;
      state.pulls.push(servers.pull(workers[worker].bytes, now));
      turns.set(worker, state.pulls[state.pulls.length - 1].from);
      state.next = read;
    } else if (state.next === read) {
      state.othersRead.push(applied - wave * state.applied);
      turns.set(worker, state.pulls[state.pulls.length - 1].until);
      state.next = arrive;
    } else {
      turns.set(worker, state.ended < clock.length ? Math.max(now, clock[state.ended]) : Infinity);
      state.next = push;
    }
  }
  return {
    globalClock,
    workers: runs.map(({ ends, waves: ended, clock }, index): WorkerTimeline => {
      const { pushes, pulls, missed, reached } = states[index];
      return { ends, waves: ended, clock, pushes, pulls, waits: [], missed, reached };
    }),
  };
}

function stateOf() {
  return {
    next: push as typeof push | typeof apply | typeof read | typeof arrive,
    /** Waves of which the push has begun, and waves that are in the weights of the servers. */
    ended: 0,
    applied: 0,
    /** The pull whose weights the minibatches looked at last have; −1 for the weights of the start. */
    used: -1,
    /** Updates of other workers in the weights of each pull. */
    othersRead: [] as number[],
    pushes: [] as Exchange[],
    pulls: [] as Exchange[],
    missed: [] as number[],
    reached: [] as number[],
  };
}

/** A worker that nobody holds back, to the end of its program. */
function unheld(worker: Worker, wave: number) {
  let now = 0;
  const waves: number[] = [];
  const entered: number[] = [];
  const events = {
    entered: (minibatch: number) => void (entered[minibatch] = now),
    waveEnded: (number: number, at: number) => void (waves[number] = at),
    refused: () => undefined,
    heldBack: () => undefined,
  };
  const run = worker.free === undefined ? workerRun(worker, wave, events) : freeRun(worker, worker.free, wave, events);
  run.open(worker.program.microbatches);
  run.start(now);
  for (now = run.next(); now < Infinity; now = run.next()) {
    run.end(now);
    run.start(now);
  }
  // A wave counts once those before it have ended. One that never ends leaves a gap.
  const clock: number[] = [];
  for (let number = 0; number < waves.length && waves[number] !== undefined; number += 1)
    clock.push(Math.max(waves[number], clock[number - 1] ?? 0));
  return { ends: run.ends, waves, entered, clock };
}
