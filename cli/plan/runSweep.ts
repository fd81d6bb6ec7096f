import { availableParallelism } from 'node:os';
import type { SweepBase } from '../../engine/sweep/base.ts';
import type { Outcome } from '../../engine/sweep/evaluateRow.ts';
import { outcomeOf, rowsSearch, type SweepSource } from '../../engine/sweep/rowsSearch.ts';
import { count } from '../../engine/basics/quantities.ts';
import { waveRows } from '../../engine/sweep/limits.ts';
import { type Shard, sweepSteps, type SweepResult, type Wave } from '../../engine/sweep/sweep.ts';
import { createThreads, type Threads } from '../../server/threads/threads.ts';
import type { Io } from '../io.ts';
import { progressBar } from '../progress.ts';

/** Rows that a thread is given at a time. */
const rowsOfTask = 4;
/** Fewer rows are looked at here: starting threads takes longer. */
const fewRows = 24;

export interface SweepRun {
  readonly base: SweepBase;
  readonly source: SweepSource;
  readonly shard: Shard | undefined;
  /** Milliseconds. */
  readonly time: number | undefined;
  readonly threads: number | undefined;
}

/** Looks at the rows on all cores until all are decided, the time is up, or the user interrupts. */
export async function runSweep({ base, source, shard, time, threads: wanted }: SweepRun, io: Io): Promise<SweepResult> {
  const begun = io.now();
  let interrupted = false;
  const release = io.onInterrupt?.(() => (interrupted = true));
  const isOver = (): boolean => interrupted || (time !== undefined && io.now() - begun >= time);
  const cores = wanted ?? availableParallelism();
  let threads: Threads | undefined;
  const steps = sweepSteps(base, source.axes, shard);
  let step = steps.next();
  let progress: ReturnType<typeof progressBar> | undefined;
  let looked = 0;
  try {
    while (!step.done) {
      const wave = step.value;
      if (wave.rows.length === 0) {
        // Ctrl+C is heard between two turns.
        await new Promise((resolve) => setImmediate(resolve));
        step = steps.next({ outcomes: [], stop: isOver() });
        continue;
      }
      progress ??= progressBar(io, Math.ceil((wave.total - wave.impossible) / waveRows) + 1);
      if (threads === undefined && cores > 1 && wave.rows.length + looked > fewRows)
        threads = createThreads({ most: cores, mostOfOwner: cores, keep: true });
      const outcomes = await (threads === undefined
        ? here(base, source, wave, wave.isWritten === true ? () => interrupted : isOver)
        : onThreads(threads, source, wave, isOver));
      looked += wave.rows.length;
      progress.tick(
        `${(wave.impossible + looked).toLocaleString('en-US')} of ${count(wave.total, 'row', 'rows')} decided, ${wave.front.length} on the front`,
      );
      step = steps.next({ outcomes, stop: isOver() });
    }
  } finally {
    progress?.end();
    threads?.close();
    release?.();
  }
  return step.value;
}

type Outcomes = (Outcome | undefined)[];

/** Row by row in this thread. Between rows, an interrupt is seen. */
async function here(base: SweepBase, { axes }: SweepSource, wave: Wave, isOver: () => boolean): Promise<Outcomes> {
  const outcomes: Outcomes = wave.rows.map(() => undefined);
  for (const [at, row] of wave.rows.entries()) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver()) break;
    outcomes[at] = outcomeOf(base, axes, row, wave.front);
  }
  return outcomes;
}

async function onThreads(threads: Threads, source: SweepSource, wave: Wave, isOver: () => boolean): Promise<Outcomes> {
  const outcomes: Outcomes = wave.rows.map(() => undefined);
  const tasks: { readonly done: Promise<void>; readonly cancel: () => void }[] = [];
  for (let from = 0; from < wave.rows.length; from += rowsOfTask) {
    const rows = wave.rows.slice(from, from + rowsOfTask);
    const { answer, cancel } = threads.run('plan', rowsSearch, { source, rows, front: wave.front });
    const done = answer.then((found) => found.forEach((outcome, at) => (outcomes[from + at] = outcome)));
    tasks.push({ done, cancel });
  }
  const all = Promise.all(tasks.map(({ done }) => done)).then(() => 'done' as const);
  for (;;) {
    const tick = new Promise<'tick'>((resolve) => setTimeout(() => resolve('tick'), 50).unref());
    if ((await Promise.race([all, tick])) === 'done') return outcomes;
    if (!isOver()) continue;
    for (const { cancel } of tasks) cancel();
    return outcomes;
  }
}
