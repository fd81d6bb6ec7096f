/**
 * Wave Synchronous Parallel (Park et al., "HetPipe: Enabling Large DNN Training on (Whimpy) Heterogeneous GPU Clusters", 2020,
 * section 5), all workers in one run.
 *
 * A wave is N minibatches, as many as a worker has in flight. When all operations of a wave have ended, the worker pushes the
 * wave's summed update, and when that is with the servers its clock goes up by one. The global clock is the least of all clocks;
 * each time it goes up, every worker pulls the weights. Minibatch j (from 0) of a worker enters only when the worker has pulled
 * weights of a global clock of at least ⌊(j + 1) / N⌋ − (D + 1). That is the wait at the end of a wave. When wave c ends, the
 * first N − 1 minibatches of wave c + 1 are in flight already. The last one waits until the slowest clock is c + 1 − D. The
 * updates that a minibatch misses are then at most (D + 1)·N + N − 2, which is (D + 1)(s + 1) + s − 1 with s = N − 1.
 */
import type { Worker } from './worker.ts';
import type { JobPlan } from '../values/plan.ts';
import { freeRun } from './freeRun.ts';
import { type Exchange, serversOf } from './servers.ts';
import { Turns } from './turns.ts';
import { type WorkerRun, workerRun } from './workerRun.ts';

export interface WaveJob extends Pick<JobPlan, 'servers' | 'link'> {
  readonly sync: { readonly kind: 'wsp'; readonly distance: number };
}

export interface JobTimeline {
  /** When the global clock reached 1, 2, …; the last one is the end of the run. */
  readonly globalClock: readonly number[];
  readonly workers: readonly WorkerTimeline[];
}

export interface WorkerTimeline {
  /** End of each operation by slot, as in `Timeline`; of those that the run did not reach −1, or an end after the last tick of the global clock. */
  readonly ends: Float64Array;
  /** When all operations of each wave had ended. */
  readonly waves: readonly number[];
  /** When the worker's clock reached 1, 2, …: the wave is with the servers, or has ended if no worker waits for another. */
  readonly clock: readonly number[];
  /** In order of time. Under `wsp` there is a push for each wave, and a pull for each global clock. */
  readonly pushes: readonly Exchange[];
  readonly pulls: readonly Exchange[];
  /** Times in which a minibatch could have entered but was held back. */
  readonly waits: readonly Exchange[];
  /**
   * Under `wsp` the most updates of one other worker that each minibatch missed, of those that came before it in number. Under
   * `free` the updates of all others that the servers applied after they had read its weights, and before its update.
   */
  readonly missed: readonly number[];
  /** Under `free`: when the update of each minibatch was with the servers. */
  readonly reached?: readonly number[];
}

/**
 * Runs until the global clock is `waves`. `undefined` where a worker runs out of minibatches before that without having reached
 * it, or waits for ever. Workers have one wave size, `wave` minibatches.
 */
export function runJob(job: WaveJob, workers: readonly Worker[], wave: number, waves: number): JobTimeline | undefined {
  // A worker that is never held back runs as by itself, which is known. Who is held back shows, and is then run in order of time.
  const inTime = Uint8Array.from(workers, ({ free }) => (free === undefined ? 1 : 0));
  for (;;) {
    const timeline = attempt(job, workers, inTime, wave, waves);
    if (timeline !== 'held back') return timeline;
  }
}

/** One try; marks in `inTime` whom it saw held back without being run in order of time. */
function attempt(
  job: WaveJob,
  workers: readonly Worker[],
  inTime: Uint8Array,
  wave: number,
  waves: number,
): JobTimeline | undefined | 'held back' {
  const servers = serversOf(job);
  /** Pushes and pulls in progress: a few for each worker. */
  const agenda: Event[] = [];
  let agendaAt = Infinity;
  const globalClock: number[] = [];
  const states = workers.map(() => stateOf(workers.length));
  const expect = (event: Event): void => {
    agenda.push(event);
    if (event.at < agendaAt) agendaAt = event.at;
  };
  /** Workers whose times mean nothing any more: they hold up the global clock once it has reached them. */
  const heldBack: number[] = [];
  const runs: readonly WorkerRun[] = workers.map((worker, index) => {
    const state = states[index];
    const { missed, seen } = state;
    const events = {
      entered(minibatch: number) {
        let most = 0;
        for (let other = 0; other < seen.length; other += 1)
          if (other !== index && minibatch - wave * seen[other] > most) most = minibatch - wave * seen[other];
        missed[minibatch] = most;
      },
      waveEnded(number: number, now: number) {
        state.waves[number] = now;
        const push = servers.push(worker.bytes, now);
        state.pushes[number] = push;
        expect({ at: push.until, kind: 'pushed', worker: index });
      },
      refused(now: number) {
        if (state.waitingSince < 0) state.waitingSince = now;
      },
      heldBack() {
        inTime[index] = 1;
        heldBack.push(index);
      },
    };
    return worker.free === undefined || inTime[index] === 1
      ? workerRun(worker, wave, events)
      : freeRun(worker, worker.free, wave, events);
  });
  // Workers of which something has happened: only those can start anything.
  const turns = new Turns(workers.length);
  const touched = new Int32Array(workers.length);
  const isTouched = new Uint8Array(workers.length);
  let touches = 0;
  const touch = (worker: number): void => {
    if (isTouched[worker] === 1) return;
    isTouched[worker] = 1;
    touched[touches++] = worker;
  };
  const open = (worker: number, clock: number, now: number): void => {
    const state = states[worker];
    const before = state.allowed;
    state.allowed = wave * (clock + job.sync.distance + 2) - 1;
    runs[worker].open(state.allowed);
    touch(worker);
    if (state.waitingSince < 0 || state.allowed <= before) return;
    if (now > state.waitingSince) state.waits.push({ from: state.waitingSince, until: now });
    state.waitingSince = -1;
  };
  const happen = ({ at, kind, worker }: Event): void => {
    if (kind === 'pulled') {
      const state = states[worker];
      const pull = state.pulls[state.pulled];
      state.pulled += 1;
      for (const [other, { pushes, clock }] of states.entries())
        while (state.seen[other] < clock && pushes[state.seen[other]].until <= pull.from) state.seen[other] += 1;
      return open(worker, state.pulled, at);
    }
    states[worker].clock += 1;
    if (states.some(({ clock }) => clock <= globalClock.length)) return;
    globalClock.push(at);
    for (const [index, { bytes }] of workers.entries()) {
      const pull = servers.pull(bytes, at);
      states[index].pulls.push(pull);
      expect({ at: pull.until, kind: 'pulled', worker: index });
    }
  };
  const startAll = (now: number): void => {
    for (let next = 0; next < touches; next += 1) {
      const worker = touched[next];
      isTouched[worker] = 0;
      runs[worker].start(now);
      turns.set(worker, runs[worker].next());
    }
    touches = 0;
  };

  for (const worker of workers.keys()) open(worker, 0, 0);
  startAll(0);
  while (globalClock.length < waves) {
    const now = Math.min(agendaAt, turns.time);
    if (heldBack.some((worker) => states[worker].clock <= globalClock.length)) return 'held back';
    if (now === Infinity) return undefined;
    while (turns.time <= now) {
      const worker = turns.first;
      runs[worker].end(now);
      turns.set(worker, Infinity);
      touch(worker);
    }
    if (agendaAt <= now) {
      for (let at = 0; at < agenda.length;) {
        if (agenda[at].at > now) at += 1;
        else {
          happen(...(agenda.splice(at, 1) as [Event]));
          at = 0;
        }
      }
      agendaAt = agenda.reduce((least, event) => Math.min(least, event.at), Infinity);
    }
    startAll(now);
  }
  if (heldBack.length > 0) return 'held back';
  for (const run of runs) run.stop();
  return {
    globalClock,
    workers: states.map((state, index) => {
      const last = globalClock[globalClock.length - 1];
      if (state.waitingSince >= 0 && state.waitingSince < last)
        state.waits.push({ from: state.waitingSince, until: last });
      return {
        ends: runs[index].ends,
        waves: state.waves,
        clock: state.pushes.map(({ until }) => until),
        pushes: state.pushes,
        pulls: state.pulls,
        waits: state.waits,
        missed: state.missed,
      };
    }),
  };
}

interface Event {
  readonly at: number;
  readonly kind: 'pushed' | 'pulled';
  readonly worker: number;
}

function stateOf(workers: number) {
  return {
    clock: 0,
    pulled: 0,
    allowed: 0,
    waitingSince: -1,
    /** Waves of each worker that the weights pulled last contain. */
    seen: new Int32Array(workers),
    waves: [] as number[],
    pushes: [] as Exchange[],
    pulls: [] as Exchange[],
    waits: [] as Exchange[],
    missed: [] as number[],
  };
}
