import { availableParallelism } from 'node:os';
import type { SweepBase } from '../../engine/sweep/base.ts';
import type { Outcome } from '../../engine/sweep/evaluateRow.ts';
import { foundPoint } from '../../engine/sweep/answer.ts';
import { type Figures, frontOf, isRoomy, paceOf } from '../../engine/sweep/front.ts';
import { outcomeOf, rowsSearch, type SweepSource } from '../../engine/sweep/rowsSearch.ts';
import { count, iterationTime } from '../../engine/basics/quantities.ts';
import { waveRows } from '../../engine/sweep/limits.ts';
import { type Shard, sweepSteps, type SweepResult, type Wave } from '../../engine/sweep/sweep.ts';
import { threadStarter } from '../../platform/node/startThread.ts';
import { createThreads, type Threads } from '../../server/threads/threads.ts';
import type { Io } from '../io.ts';
import { progressBar } from '../progress.ts';
import type { PartRows } from './rowsFolder.ts';

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
  /** Where decided rows go. Absent: the answer has all of them. */
  readonly rows?: PartRows;
}

/** Looks at the rows on all cores until all are decided, the time is up, or the user interrupts. */
export async function runSweep(
  { base, source, shard, time, threads: wanted, rows: kept }: SweepRun,
  io: Io,
): Promise<SweepResult> {
  const begun = io.now();
  let interrupted = false;
  // Other parts are not told which rows are tight. On devices that are alike the peak says it.
  const shared = (front: readonly Figures[]): readonly Figures[] =>
    (base.capacity === undefined ? front.filter(isRoomy) : front).map(figuresOf);
  const release = io.onInterrupt?.(() => (interrupted = true));
  const isInterrupted = (): boolean => interrupted || kept?.failure() !== undefined;
  const isOver = (): boolean => isInterrupted() || (time !== undefined && io.now() - begun >= time);
  const cores = wanted ?? availableParallelism();
  let threads: Threads | undefined;
  const decided = kept?.decided;
  const steps = sweepSteps(base, source.axes, {
    ...(shard === undefined ? {} : { shard }),
    ...(decided === undefined ? {} : { decided }),
    isLean: kept !== undefined,
  });
  let step = steps.next();
  let progress: ReturnType<typeof progressBar> | undefined;
  let looked = 0;
  const earlier = decided?.decided ?? 0;
  try {
    while (!step.done) {
      const wave = step.value;
      if (wave.rows.length === 0) {
        if (wave.unplaced !== undefined) kept?.addUnplaced(wave.unplaced);
        for (const { row, outcome } of wave.bounded ?? []) kept?.add(row, outcome, undefined, false);
        looked += wave.bounded?.length ?? 0;
        // Ctrl+C is heard between two turns.
        await new Promise((resolve) => setImmediate(resolve));
        step = steps.next({ outcomes: [], stop: isOver() });
        continue;
      }
      progress ??= progressBar(io, Math.ceil((wave.total - wave.impossible - earlier) / waveRows) + 1);
      if (threads === undefined && cores > 1 && wave.rows.length + looked > fewRows)
        threads = createThreads({ start: threadStarter(), most: cores, mostOfOwner: cores, keep: true });
      const found: Found = (row, outcome) => {
        const points = outcome.kind === 'ran' ? foundPoint(base, source.axes, row, outcome.figures) : [];
        kept?.add(row, outcome, points[0], wave.isFirstOfClass === true);
      };
      const front = [...wave.front, ...(kept?.share(shared(wave.front)) ?? [])].map(figuresOf);
      const look = { rows: wave.rows, front };
      const outcomes = await (threads === undefined
        ? here(base, source, look, wave.isWritten === true ? isInterrupted : isOver, found)
        : onThreads(threads, source, look, isOver, found));
      looked += wave.rows.length;
      progress.tick(
        `${(wave.impossible + earlier + looked).toLocaleString('en-US')} of ${count(wave.total, 'row', 'rows')} decided, ${wave.front.length} on the front${fastest(wave)}`,
      );
      step = steps.next({ outcomes, stop: isOver() });
    }
    // The last rows are known to other parts, too.
    kept?.share(shared(frontOf(step.value.points.filter(({ meets }) => meets))));
  } finally {
    progress?.end();
    threads?.close();
    release?.();
  }
  return step.value;
}

/** Seconds of all rows are for the same samples. */
const figuresOf = ({ peak, tight, ...row }: Figures): Figures => ({
  iteration: paceOf(row),
  peak,
  ...(tight === undefined ? {} : { tight }),
});

const fastest = ({ front: [first] }: Wave): string =>
  first === undefined ? '' : `, the fastest in ${iterationTime(first.iteration)}`;

type Outcomes = (Outcome | undefined)[];
/** Rows to look at, and rows that meet all limits. */
type Look = Pick<Wave, 'rows' | 'front'>;
type Found = (row: number, outcome: Outcome) => void;

/** Row by row in this thread. Between rows, an interrupt is seen. */
async function here(
  base: SweepBase,
  { axes }: SweepSource,
  { rows, front }: Look,
  isOver: () => boolean,
  found: Found,
): Promise<Outcomes> {
  const outcomes: Outcomes = rows.map(() => undefined);
  for (const [at, row] of rows.entries()) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver()) break;
    const outcome = outcomeOf(base, axes, row, front);
    outcomes[at] = outcome;
    found(row, outcome);
  }
  return outcomes;
}

async function onThreads(
  threads: Threads,
  source: SweepSource,
  { rows, front }: Look,
  isOver: () => boolean,
  found: Found,
): Promise<Outcomes> {
  const outcomes: Outcomes = rows.map(() => undefined);
  const tasks: { readonly done: Promise<void>; readonly cancel: () => void }[] = [];
  for (let from = 0; from < rows.length; from += rowsOfTask) {
    const part = rows.slice(from, from + rowsOfTask);
    const { answer, cancel } = threads.run('plan', rowsSearch, { source, rows: part, front });
    const done = answer.then((decided) => {
      for (const [at, outcome] of decided.entries()) {
        outcomes[from + at] = outcome;
        found(part[at], outcome);
      }
    });
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
