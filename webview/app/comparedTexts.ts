import type { BesideSide } from '../view/race/besideHead.ts';
import type { Side } from '../picture/drift.ts';
import { rowPairs } from '../picture/rowPairs.ts';
import { driftSentence, rowsSentence } from '../session/driftWords.ts';
import { type LowerTimeline, lowerTimeline } from '../session/lowerTimeline.ts';
import { saidOf } from '../session/raceSaid.ts';
import type { racing } from '../session/racing.ts';
import { standings } from '../session/standings.ts';
import type { besidePairs } from './besidePairs.ts';
import { besidePlaces } from './besidePlaces.ts';
import { type Compared, deviceNames, type Other, type OwnTimeline } from './compared.ts';

interface Question {
  readonly own: OwnTimeline;
  readonly other: Other;
  /** The newest text of what is below is not planned yet. */
  readonly late: boolean;
  /** Share of the upper iteration from which on a difference is shown. */
  readonly tolerance: number;
}

/** Compares the file on show with another text, each with its newest timeline. */
export function comparedTexts(race: ReturnType<typeof racing>, pairs: ReturnType<typeof besidePairs>) {
  const places = besidePlaces(race);
  let lowerName = '';

  /** Which texts are to be drawn. What is wrong with each. */
  function enter({ own, other, late }: Question): Readonly<Record<Side, string | undefined>> {
    places.enter('upper', own.name, own);
    const below = lowerTimeline(other, own.plan?.name);
    const clash = clashWords(own, below);
    if (other.broken !== true) places.enter('lower', below.name, clash === undefined ? below : undefined);
    // A text with an error does not say which pipelines it has.
    if (other.broken !== true || lowerName === '') lowerName = below.name;
    const reasons = { upper: places.settle('upper'), lower: places.settle('lower') };
    const problem = clash ?? lowerProblem(other, below, { late, isDrawn: places.shown('lower') >= 0 });
    return { upper: own.problem ?? reasons.upper, lower: problem ?? reasons.lower };
  }

  return {
    compare(question: Question): Compared {
      const { own, other, late, tolerance } = question;
      const wrong = enter(question);
      const [upper, lower] = [places.shown('upper'), places.shown('lower')];
      const names = { upper: own.name, lower: lowerName };
      const standing = standings(places.runners(names), 'iteration', upper);
      const of = (side: Side) => standing.rows.find(({ runner }) => runner.id === places.shown(side));
      const plans = { upper: places.plan('upper'), lower: places.plan('lower') };
      const rows = rowPairs(deviceNames(plans.upper), deviceNames(plans.lower));
      pairs.pairUp(upper, lower, rows.rows);
      const iteration = of('upper')?.figures?.iteration ?? of('lower')?.figures?.iteration ?? 0;
      const words =
        plans.upper === undefined || plans.lower === undefined
          ? undefined
          : { names, plans: { upper: plans.upper, lower: plans.lower }, tolerance, iteration };
      const pair = pairs.pair();
      const drifted = pair === undefined ? [] : pairs.drifts(pair, tolerance * iteration);
      const said = saidOf(standing, { attended: lower, behind: (id) => race.behind(id, upper), plan: undefined });
      const sentences = [
        ...(words === undefined ? [] : [said.text, rowsSentence(rows, names)]),
        ...(pair === undefined || words === undefined ? [] : [driftSentence(pair, drifted, words)]),
        pairs.areTooMany() ? 'There are too many operations to compare them one by one.' : '',
      ];
      return {
        state: {
          of: {
            upper: sideOf(of('upper'), own, wrong.upper, own.problem !== undefined && own.plan !== undefined),
            lower: sideOf(
              of('lower'),
              { name: lowerName, note: other.note ?? '' },
              wrong.lower,
              other.broken === true || late,
            ),
          },
          ids: { ...(upper < 0 ? {} : { upper }), ...(lower < 0 ? {} : { lower }) },
          rows,
          longest: standing.longest,
          ...(pair === undefined ? {} : { pair }),
          ...{ drifted, tolerance, iteration },
          sentence: sentences.filter((text) => text !== '').join(' '),
          behind: said.mark?.device ?? -1,
        },
        ...(words === undefined ? {} : { words }),
      };
    },
    forget(): void {
      places.forget();
      lowerName = '';
    },
  };
}

function lowerProblem(
  { broken }: Other,
  { problem }: LowerTimeline,
  { late, isDrawn }: { readonly late: boolean; readonly isDrawn: boolean },
): string | undefined {
  if (problem !== undefined) return broken === true && isDrawn ? `${problem} Its last valid timeline stays.` : problem;
  return late ? 'Planning the newest text …' : undefined;
}

/** Times of a schedule without a pipeline are no times of a machine. */
function clashWords({ plan, name }: OwnTimeline, other: LowerTimeline): string | undefined {
  if (plan === undefined || other.plan === undefined) return undefined;
  if ((plan.unitTimes === true) === (other.plan.unitTimes === true)) return undefined;
  const [unit, real] = plan.unitTimes === true ? [name, other.name] : [other.name, name];
  return `${unit} is a schedule without a pipeline, in which a forward takes 1 s. ${real} has the times of a machine. They have no common axis.`;
}

const sideOf = (
  standing: BesideSide['standing'],
  { name, note }: { readonly name: string; readonly note: string },
  problem: string | undefined,
  stale: boolean,
): BesideSide => ({
  ...{ name, note, stale },
  ...(standing === undefined ? {} : { standing }),
  ...(problem === undefined ? {} : { problem }),
});
