import type { Analysis } from '../../flow/check.ts';
import { count } from '../../basics/quantities.ts';
import { type Effect, effectWords, type Figures, figuresOf, leastChange, relative, samplePeriod } from '../effect.ts';
import { simulated } from '../outcome.ts';

/** What a change does to the pipelines of a file. */
export interface Consequence {
  /** Pipelines that did not run before, then those whose figures move. */
  readonly effects: readonly Effect[];
  /** Whether the file has several pipelines that run, so that words name theirs. */
  readonly named: boolean;
}

/** Pipelines that run after a change and did not before, and those with other figures. */
export function consequenceOf(before: Analysis, after: Analysis): Consequence {
  const runs: Effect[] = [];
  const moves: Effect[] = [];
  let all = 0;
  for (const { plan, run } of after.pipelines) {
    if (run === undefined) continue;
    all += 1;
    const earlier = simulated(before, plan.name);
    const now = figuresOf(run.report);
    if (earlier === undefined) runs.push({ pipeline: plan.name, after: now });
    else {
      const effect = { pipeline: plan.name, before: figuresOf(earlier.run.report), after: now };
      if (isMoved(effect.before, now)) moves.push(effect);
    }
  }
  return { effects: [...runs, ...moves], named: all > 1 };
}

/** Whether a figure that a title states differs by more than rounding. A plan that does not fit before and after is not moved. */
const isMoved = (before: Figures, after: Figures): boolean =>
  before.fits !== after.fits ||
  (['iteration', 'throughput', 'peak'] as const).some(
    (figure) => Math.abs(relative(before[figure], after[figure])) >= leastChange,
  );

const mostNamed = 2;

/** `: runs, iteration 68 ms, bubble 64.7 %, peak 2 GiB`; empty where no figure moves. */
export function consequenceWords({ effects, named }: Consequence): string {
  if (effects.length === 0) return '';
  const parts = effects.slice(0, mostNamed).map((effect) => {
    const runs = effect.before === undefined ? 'runs, ' : '';
    return `${named ? `${effect.pipeline} ` : ''}${runs}${effectWords(effect, 'time')}`;
  });
  const left = effects.length - mostNamed;
  return `: ${parts.join('; ')}${left > 0 ? `; ${count(left, 'more pipeline', 'more pipelines')}` : ''}`;
}

/** Changes after which a pipeline newly runs first, then those with which all fit, then the faster. */
export function compareConsequences({ effects: a }: Consequence, { effects: b }: Consequence): number {
  const runs = (effects: readonly Effect[]): boolean => effects.some(({ before }) => before === undefined);
  const fits = (effects: readonly Effect[]): boolean => effects.every(({ after }) => after.fits);
  const period = (effects: readonly Effect[]): number =>
    effects.reduce((sum, { after }) => sum + samplePeriod(after), 0);
  const [first, second] = [period(a), period(b)];
  const alike = Math.abs(first - second) <= 1e-9 * Math.max(first, second);
  return Number(runs(b)) - Number(runs(a)) || Number(fits(b)) - Number(fits(a)) || (alike ? 0 : first - second);
}
