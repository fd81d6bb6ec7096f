/** Workers under WSP by brute force: whole units of time, everything looked at anew at each of them. */
import type { Program } from '../../../engine/values/program.ts';
import { kindOf, microbatchOf, stageOf } from '../../../engine/values/program.ts';

export interface TickWorker {
  readonly program: Program;
  /** Ticks of an operation of a kind (0 F, 1 B, 5 U) on a stage. */
  readonly ticks: (kind: number, stage: number) => number;
  readonly latency: number;
}

export interface TickJob {
  readonly wave: number;
  readonly distance: number;
  /** Ticks that a push or pull holds the servers' way in or out, and ticks on the way after that. */
  readonly hold: number;
  readonly latency: number;
}

interface Op {
  readonly kind: number;
  readonly stage: number;
  readonly number: number;
  readonly ticks: number;
  start: number;
}

/** Times at which the global clock went up, and for each worker the ends of its waves and the updates that its minibatches missed. */
export function byTicks(workers: readonly TickWorker[], job: TickJob, waves: number) {
  const { wave, distance } = job;
  const all = workers.map(({ program, ticks }) => ({
    stages: program.stages,
    devices: Array.from({ length: program.devices }, (_, device) =>
      Array.from(program.order.slice(program.offsets[device], program.offsets[device + 1]), (word): Op => {
        const [kind, stage] = [kindOf(program, word), stageOf(program, word)];
        return { kind, stage, number: microbatchOf(program, word), ticks: ticks(kind, stage), start: -1 };
      }),
    ),
    late: new Set<number>(),
    ends: [] as number[],
    pushed: [] as number[],
    pulls: [] as { from: number; until: number }[],
    missed: [] as number[],
  }));
  const global: number[] = [];
  let [inFree, outFree] = [0, 0];
  const endOf = (op: Op | undefined) => (op === undefined || op.start < 0 ? Infinity : op.start + op.ticks);
  for (let now = 0; now < 100_000; now += 1) {
    for (let changed = true; changed;) {
      changed = false;
      for (const worker of all) {
        const own = worker.devices.flat().filter((op) => Math.floor(op.number / wave) === worker.ends.length);
        if (own.length === 0 || own.some((op) => endOf(op) > now)) continue;
        worker.ends.push(now);
        inFree = Math.max(now, inFree) + job.hold;
        worker.pushed.push(inFree + job.latency);
        changed = true;
      }
      while (all.every((worker) => worker.pushed.filter((at) => at <= now).length > global.length)) {
        global.push(now);
        for (const worker of all) {
          const from = Math.max(now, outFree);
          outFree = from + job.hold;
          worker.pulls.push({ from, until: outFree + job.latency });
        }
        changed = true;
      }
      if (global.length >= waves)
        return { global: global.slice(0, waves), workers: all.map(({ ends, missed }) => ({ ends, missed })) };
      for (const [index, worker] of all.entries()) {
        const pulls = worker.pulls.filter(({ until }) => until <= now);
        const isIn = (number: number) => Math.floor((number + 1) / wave) - (distance + 1) <= pulls.length;
        const find = (kind: number, stage: number, number: number) =>
          worker.devices.flat().find((op) => op.kind === kind && op.stage === stage && op.number === number);
        const from = (op: Op | undefined) => endOf(op) + workers[index].latency;
        for (const ops of worker.devices) {
          if (ops.some((op) => op.start >= 0 && endOf(op) > now)) continue;
          for (const op of ops.filter((candidate) => candidate.start < 0)) {
            const { kind, stage, number } = op;
            if (kind === 0 && stage === 0 && !isIn(number)) {
              worker.late.add(number);
              continue;
            }
            const ready =
              kind === 0
                ? stage === 0 || from(find(0, stage - 1, number)) <= now
                : kind === 1
                  ? endOf(find(0, stage, number)) <= now &&
                    (stage === worker.stages - 1 || from(find(1, stage + 1, number)) <= now)
                  : endOf(find(1, stage, number)) <= now;
            if (!ready && kind === 0 && worker.late.has(number)) continue;
            if (!ready) break;
            op.start = now;
            changed = true;
            if (kind === 0 && stage === 0) {
              const seenAt = pulls.at(-1)?.from ?? -1;
              const unseen = all
                .filter((other) => other !== worker)
                .map((other) => number - wave * other.pushed.filter((at) => at <= seenAt).length);
              worker.missed[number] = Math.max(0, ...unseen);
            }
            break;
          }
        }
      }
    }
  }
  throw new Error('the workers never got there');
}
