import type { Span } from '../../../grammar/syntax.ts';
import { bestSlowest } from '../costs/balance.ts';
import type { FileContext } from '../context.ts';
import type { StagePlan } from '../plan.ts';
import { totalTime } from './layerCosts.ts';

/** A better cut must win at least this share of the slowest stage: less is rounding. */
const leastGain = 0.01;

/**
 * `stage/imbalance` where the slowest stage is over the mean by more than the threshold and the exact best cut into as many
 * contiguous stages is better. `times`: seconds of each layer in cutting order; all stages on devices of one kind.
 */
export function reportImbalance(
  context: FileContext,
  pipeline: string,
  stages: readonly StagePlan[],
  times: Float64Array,
  at: (stage: number) => Span,
): void {
  const totals = stages.map(totalTime);
  const mean = totals.reduce((sum, one) => sum + one, 0) / totals.length;
  const slowest = Math.max(...totals);
  const over = mean > 0 ? slowest / mean - 1 : 0;
  if (over <= context.options.thresholds.imbalance) return;
  const best = bestSlowest(times, stages.length);
  const gain = 1 - best / slowest;
  if (gain <= leastGain) return;
  const stage = totals.indexOf(slowest);
  context.report.report(
    'stage/imbalance',
    at(stage),
    { stage: stages[stage].name, slowest, mean, over, best, gain },
    { hint: { kind: 'balance', pipeline } },
  );
}
