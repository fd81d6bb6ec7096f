/** `search --summary`. */
import type { FoundOrder } from '../../engine/analyze/findOrder.ts';
import { longestSpan } from '../../engine/analyze/searchReport.ts';
import type { Run } from '../../engine/schedule/evaluation.ts';
import { jsonText } from '../../server/text/jsonText.ts';
import type { Summary } from './summary.ts';

/** `words`: what was found, in sentences. `text`: the order as a schedule of rows; absent if no rule places its stages. */
export function searchSummary(
  order: FoundOrder,
  { report, timeline }: Run,
  words: readonly string[],
  text: string | undefined,
): Summary {
  const { plan, iteration, bound, span, spanBound, effort, seed, p95 } = order;
  const fields = {
    pipeline: plan.name,
    iteration_seconds: iteration,
    ...(bound > 0 ? { least_iteration_seconds: bound } : {}),
    span_seconds: span,
    ...(spanBound > 0 ? { least_span_seconds: spanBound } : {}),
    ...(p95 === undefined ? {} : { p95_seconds: p95 }),
    as_written: {
      schedule: report.schedule,
      iteration_seconds: report.iteration,
      span_seconds: longestSpan(timeline),
    },
    effort,
    seed,
  };
  return {
    head: [`${plan.name}: ${words.join(' ')}`],
    fields,
    lists: [],
    ...(text === undefined ? {} : { text, whole: () => jsonText({ ...fields, text }) }),
  };
}
