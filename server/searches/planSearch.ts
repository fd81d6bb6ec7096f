/** One search over the settings of a pipeline: its rows in several threads, until all are decided, it is stopped, or nobody wants it. */
import { answerOf, type Asked, type FoundPoint, foundPoint, type PlanAnswer } from '../../engine/sweep/answer.ts';
import type { SweepBase } from '../../engine/sweep/base.ts';
import type { Outcome, RowFigures } from '../../engine/sweep/evaluateRow.ts';
import { rowsSearch, type SweepSource, writtenSearch } from '../../engine/sweep/rowsSearch.ts';
import { sweepSteps, type SweepResult, type Wave } from '../../engine/sweep/sweep.ts';
import type { Platform } from '../../platform/common/platform.ts';
import type { PlanFound } from '../../webview/protocol/requests.ts';
import { nextTurn } from '../documents/eventLoop.ts';
import { createThreads, type Threads } from '../threads/threads.ts';

export interface PlanSearchHost {
  /** What was found since the last call. */
  found(found: Omit<PlanFound, 'search' | 'head'>): void;
  readonly platform: Pick<Platform, 'cores' | 'startThread'>;
  /** Default: threads for as many cores as the editor can spare. */
  readonly threads?: () => Threads;
}

/** A search that may run more than once: what was decided is not decided again. */
export interface PlanSearch {
  readonly base: SweepBase;
  readonly asked: Asked;
  /** Runs until all rows are decided or it is stopped. Undefined: nobody wants it any more. */
  run(host: PlanSearchHost): Promise<PlanAnswer | undefined>;
  /** The answer of the last run; undefined while one runs. */
  answer(): PlanAnswer | undefined;
  /** It ends soon, with what is found. */
  stop(): void;
  /** It ends soon, without an answer. */
  drop(): void;
}

/** Rows that a thread is given at a time. */
const rowsOfTask = 4;
/** Milliseconds between two reports of what is found. */
const reportEvery = 100;
const mostThreads = 8;
/** All searches have one owner: a pool serves one of them. */
const owner = 'pipewright:plan';

function spareThreads({ cores, startThread }: PlanSearchHost['platform']): Threads {
  const most = Math.max(2, Math.min(mostThreads, cores() - 1));
  return createThreads({ start: startThread, most, mostOfOwner: most, keep: true });
}

export function planSearch(base: SweepBase, source: SweepSource, asked: Asked): PlanSearch {
  const known = new Map<number, Outcome>();
  const points = new Map<number, FoundPoint>();
  let written: RowFigures | null | undefined;
  let state: 'running' | 'stopped' | 'dropped' = 'stopped';
  let latest: PlanAnswer | undefined;
  let wake = (): void => {};
  const isDropped = (): boolean => state === 'dropped';

  async function run({ found, platform, threads: start }: PlanSearchHost): Promise<PlanAnswer | undefined> {
    state = 'running';
    latest = undefined;
    const threads = start?.() ?? spareThreads(platform);
    const steps = sweepSteps(base, asked.axes);
    let fresh: FoundPoint[] = [];
    let looked = 0;
    let reported = -Infinity;
    const isOver = (): boolean => state !== 'running';

    function report({ total, impossible }: Pick<Wave, 'total' | 'impossible'>, now = performance.now()): void {
      reported = now;
      found({ points: fresh, looked: looked + impossible, total });
      fresh = [];
    }

    function decided(row: number, outcome: Outcome, wave: Wave): void {
      known.set(row, outcome);
      looked += 1;
      if (outcome.kind === 'ran')
        for (const point of foundPoint(base, asked.axes, row, outcome.figures)) {
          points.set(row, point);
          fresh.push(point);
        }
      const now = performance.now();
      if (now - reported >= reportEvery) report(wave, now);
    }

    async function look(wave: Wave): Promise<void> {
      const { rows, front } = wave;
      const left = rows.filter((row) => !known.has(row));
      looked += rows.length - left.length;
      if (isOver()) return;
      const tasks: { readonly done: Promise<void>; readonly cancel: () => void }[] = [];
      for (let from = 0; from < left.length; from += rowsOfTask) {
        const part = left.slice(from, from + rowsOfTask);
        const { answer, cancel } = threads.run(owner, rowsSearch, { source, rows: part, front });
        const done = answer.then((outcomes) => {
          if (!isOver()) for (const [at, row] of part.entries()) decided(row, outcomes[at], wave);
        });
        tasks.push({ done, cancel });
      }
      const over = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([Promise.all(tasks.map(({ done }) => done)), over]);
      if (isOver()) for (const { cancel } of tasks) cancel();
    }

    try {
      const asWritten = written === undefined ? threads.run(owner, writtenSearch, source).answer : undefined;
      // A failure is thrown where it is waited for.
      asWritten?.catch(() => undefined);
      let step = steps.next();
      while (!step.done) {
        if (isDropped()) return undefined;
        const { value } = step;
        looked += value.bounded?.length ?? 0;
        if (value.rows.length === 0) await nextTurn();
        else await look(value);
        // A search that is stopped goes through the rows that are left without a look at them: what an earlier run decided stays.
        step = steps.next({ outcomes: value.rows.map((row) => known.get(row)) });
      }
      if (asWritten !== undefined) written = await asWritten;
      if (isDropped()) return undefined;
      const { rows, unsearched } = step.value;
      looked = rows - unsearched;
      report({ total: rows, impossible: 0 });
      latest = answerOf(base, asked, resultOf(step.value));
      return latest;
    } finally {
      threads.close();
      if (state === 'running') state = 'stopped';
    }
  }

  const resultOf = (result: SweepResult): Parameters<typeof answerOf>[2] => ({
    ...result,
    points: result.points.flatMap(({ row }) => points.get(row) ?? []),
    written: written ?? undefined,
  });
  const end = (next: 'stopped' | 'dropped') => (): void => {
    if (state !== 'dropped') state = next;
    wake();
  };
  return { base, asked, run, answer: () => latest, stop: end('stopped'), drop: end('dropped') };
}
