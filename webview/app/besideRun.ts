import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import { share } from '../../engine/basics/quantities.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { RunText } from '../protocol/requests.ts';
import type { PairedColumns } from '../picture/drift.ts';
import type { RunFigures } from '../picture/runFigures.ts';
import { runSentence, slowestRank, stepWords } from '../session/runWords.ts';
import type { EnteredRun, racing } from '../session/racing.ts';
import type { BesideSide, BesideStanding } from '../view/race/besideHead.ts';

interface Asked {
  readonly key: string;
  readonly upper: number;
  readonly lower: number;
  readonly plan: PipelinePlan;
  readonly message?: EnteredRun;
}

/** What a comparison with a run shows; its timelines are drawn as two files are. */
export interface RunSides {
  readonly upper: BesideSide;
  readonly lower: BesideSide;
  readonly ids: { readonly upper?: number; readonly lower?: number };
  readonly plan?: PipelinePlan;
  readonly figures?: RunFigures;
  readonly longest: number;
  readonly sentence: string;
  /** Device that alone makes the run slow; −1 for none. */
  readonly behind: number;
}

export interface RunOwn {
  readonly name: string;
  readonly note: string;
  readonly plan?: PipelinePlan;
  readonly order?: GivenOrder;
  readonly problem?: string;
}

const unitTimes = 'A schedule without a pipeline has no times of a machine, so no run can be put next to it.';

/** Keeps a recorded run next to the plan on show: a plan that is edited meets the same run again. */
export function besideRun(race: ReturnType<typeof racing>) {
  let wanted: Asked | undefined;
  /** What is drawn stays until a newer one is there. */
  let shown: Asked | undefined;

  function enter({ plan, order }: RunOwn, run: RunText, replica: number): void {
    const key = plan === undefined || plan.unitTimes === true ? '' : JSON.stringify([plan, replica, run.text.length]);
    if (key === (wanted?.key ?? '')) return;
    if (wanted !== undefined && wanted !== shown) leave(wanted);
    if (plan === undefined || key === '') {
      if (shown !== undefined) leave(shown);
      [wanted, shown] = [undefined, undefined];
      return;
    }
    wanted = { key, plan, ...race.addRun(plan, order, { text: run.text, replica }) };
  }

  function leave({ upper, lower }: Asked): void {
    race.leave(upper);
    race.leave(lower);
  }

  return {
    forget(): void {
      [wanted, shown] = [undefined, undefined];
    },
    ran(message: EnteredRun): void {
      if (wanted?.upper !== message.upper) return;
      if (shown !== undefined && shown !== wanted) leave(shown);
      wanted = { ...wanted, message };
      shown = wanted;
    },
    sides(own: RunOwn, title: string, run: RunText, replica: number): RunSides {
      enter(own, run, replica);
      const message = shown?.message;
      const late = wanted !== shown;
      const result = message?.result;
      const figures = result === undefined || 'reason' in result ? undefined : result;
      const reason =
        own.plan?.unitTimes === true
          ? unitTimes
          : result !== undefined && 'reason' in result
            ? result.reason
            : undefined;
      const planned = message?.planned;
      const upper: BesideStanding | undefined =
        planned === undefined
          ? undefined
          : { figures: { iteration: planned.seconds, makespan: planned.seconds, bubble: planned.idle } };
      const lower: BesideStanding | undefined =
        figures === undefined
          ? undefined
          : {
              figures: { iteration: figures.measured, makespan: figures.ends.lower, bubble: figures.measuredIdle },
              deltas: {
                seconds: figures.measured - figures.planned,
                relative: figures.measured / figures.planned - 1,
                bubble: figures.measuredIdle - figures.plannedIdle,
                peak: 0,
              },
            };
      const devices = shown?.plan.devices.map(({ name }) => name) ?? [];
      const ranks = run.pipelines[replica] ?? [];
      const wrongLower = own.plan === undefined ? undefined : reason;
      return {
        upper: {
          name: own.name,
          note: own.note,
          stale: own.problem !== undefined && own.plan !== undefined,
          ...(upper === undefined ? {} : { standing: upper }),
          ...(own.problem === undefined ? {} : { problem: own.problem }),
        },
        lower: {
          name: title,
          note: figures === undefined ? '' : `${ranksWords(ranks)}, ${stepWords(figures)}`,
          stale: late && shown !== undefined,
          ...(lower === undefined ? {} : { standing: lower }),
          ...(wrongLower === undefined
            ? own.plan === undefined
              ? { problem: 'It needs a plan above.' }
              : {}
            : { problem: wrongLower }),
        },
        ids: {
          ...(planned === undefined || shown === undefined ? {} : { upper: shown.upper }),
          ...(figures === undefined || shown === undefined ? {} : { lower: shown.lower }),
        },
        ...(shown === undefined ? {} : { plan: shown.plan }),
        ...(figures === undefined ? {} : { figures }),
        longest: Math.max(planned?.seconds ?? 0, figures?.ends.lower ?? 0),
        sentence: figures === undefined ? '' : runSentence(figures, devices),
        behind: figures === undefined ? -1 : slowestRank(figures),
      };
    },
  };
}

/** Rows of the program that drifted, for the outlines. */
export const withDrifts = (pair: PairedColumns, { drifts }: RunFigures): PairedColumns => ({
  ...pair,
  drifted: new Set(drifts.map(({ kind, stage }) => kind * pair.columns.upper.stages + stage)),
});

export function ranksWords(ranks: readonly number[]): string {
  const [first] = ranks;
  const last = ranks[ranks.length - 1];
  const run = ranks.every((rank, at) => rank === first + at);
  return ranks.length === 1
    ? `rank ${first}`
    : run
      ? `ranks ${first} to ${last}`
      : `ranks ${ranks.slice(0, 8).join(', ')}${ranks.length > 8 ? ', …' : ''}`;
}

/** How far the reading of a run is. */
export const readingWords = ({ share: done, what }: { readonly share: number; readonly what: string }): string =>
  `Reading ${what.replace(/: \d+ %$/, '')} … ${share(done)}`;
