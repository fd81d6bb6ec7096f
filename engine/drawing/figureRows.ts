/** The main figures of a pipeline as rows of a table, for pages that show no timeline. */
import { amount, devicesInWords, excludesSome, iterationTime, share, shareAtMost } from '../basics/quantities.ts';
import { cutStages } from '../costs/stages.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { PipelineReport } from '../values/report.ts';
import { boundNote, boundOrders, withinWords } from '../analyze/boundWithin.ts';
import {
  drawWords,
  exposedWords,
  isPeriod,
  measuredNote,
  measuredWords,
  peakWords,
  throughputWords,
} from '../analyze/figureWords.ts';
import { exposedCommunication } from '../analyze/shares.ts';
import { tokenWords } from '../analyze/tokenWords.ts';

/** Names of all rows, in their order. */
export const figureNames = [
  'Schedule',
  'Devices',
  'Stages',
  'Microbatches',
  'Iteration',
  'Period',
  '95th percentile',
  'Measured',
  'Throughput',
  'Tokens',
  'Training',
  'MFU',
  'Bubble',
  'Bound of the bubble',
  'Order',
  'Exposed communication',
  'Peak memory',
] as const;
export type FigureRows = Readonly<Partial<Record<(typeof figureNames)[number], string>>>;

/** In words and units of the report. What is not known of a pipeline is left out. */
export function figureRows(plan: PipelinePlan, report: PipelineReport): FigureRows {
  const { bubble, iteration, jitter, model_flops: flops, search, tokens } = report;
  const words = tokens === undefined ? undefined : tokenWords(tokens);
  const exposed = exposedCommunication(report);
  return {
    Schedule: report.schedule,
    Devices: devicesInWords(plan.devices),
    Stages: String(cutStages(plan).length),
    Microbatches: String(report.microbatches),
    [isPeriod(report) ? 'Period' : 'Iteration']: iterationTime(iteration),
    '95th percentile': jitter === undefined ? undefined : `${iterationTime(jitter.p95)} (${drawWords(jitter)})`,
    Measured:
      report.measured === undefined
        ? undefined
        : `${measuredWords(report.measured)} (${measuredNote(report.measured)})`,
    Throughput: throughputWords(report),
    Tokens: words === undefined ? undefined : `${words.all}, ${words.each}`,
    Training: words?.total,
    MFU: flops === undefined ? undefined : `${share(flops.utilisation)}, ${amount(flops.rate)}FLOP/s per device`,
    Bubble: share(bubble.makespan),
    'Bound of the bubble': excludesSome(bubble.bound) ? boundWords(report) : undefined,
    Order:
      search === undefined ? undefined : search.status === 'optimal' ? 'optimal' : `gap ${shareAtMost(search.gap)}`,
    'Exposed communication': excludesSome(exposed) ? `${share(exposed)}: ${exposedWords(report)}` : share(exposed),
    'Peak memory': peakWords(report),
  };
}

/** `11.1 %: no order can go below, even with split backwards`. */
function boundWords(report: PipelineReport): string {
  const memory = withinWords(report);
  return `${share(report.bubble.bound)}: ${memory === undefined ? '' : `within ${memory} `}no ${boundOrders(report)} can go below${boundNote(report)}`;
}
