import type { Notes } from '../notes.ts';
import type { Span } from '../../../grammar/syntax.ts';
import type { StagePlan } from '../../values/plan.ts';
import { type CutRequest, cutByTime, slowestStage } from './balanceCut.ts';
import { totalTime } from '../cost/layerCosts.ts';
import type { Searches } from '../../basics/searches.ts';

/** A better cut must win at least this share of the slowest stage: less is rounding. */
const leastGain = 0.01;

/** The best cut into as many stages: seconds of its slowest stage, and what `OrderedCut` says of it. */
export interface BestCut {
  readonly slowest: number;
  readonly above?: number;
}

/**
 * `stage/imbalance` where the slowest stage is over the mean by more than the threshold and the best cut into as many stages is
 * better. `best` is asked for only then; all stages are on devices of one kind. It gives `undefined` if the cut is being found elsewhere.
 */
export function reportImbalance(
  notes: Notes,
  pipeline: string,
  stages: readonly StagePlan[],
  best: () => BestCut | undefined,
  at: (stage: number) => Span,
): void {
  const totals = stages.map(totalTime);
  const mean = totals.reduce((sum, total) => sum + total, 0) / totals.length;
  const slowest = Math.max(...totals);
  const over = mean > 0 ? slowest / mean - 1 : 0;
  if (over <= notes.options.thresholds.imbalance) return;
  const found = best();
  if (found === undefined) return;
  const { slowest: fastest, above = 0 } = found;
  const gain = 1 - fastest / slowest;
  if (gain <= leastGain) return;
  const stage = totals.indexOf(slowest);
  notes.report.report(
    'stage/imbalance',
    at(stage),
    { stage: stages[stage].name, slowest, mean, over, best: fastest, gain, ...(above > 0 ? { above } : {}) },
    { hint: { kind: 'balance', pipeline } },
  );
}

/** The best cut of layers on devices of one kind; `undefined` if it is being found elsewhere. */
export function bestCut<Kind>(searches: Searches, request: CutRequest<Kind>): BestCut | undefined {
  const cut = cutByTime(searches, request);
  if (cut === undefined) return undefined;
  const { above } = cut;
  return { slowest: slowestStage(request, cut), ...(above === undefined ? {} : { above }) };
}
