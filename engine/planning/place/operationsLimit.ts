/** `limit/too-large` for more operations than the settings allow. */
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';

/** Counted before anything is made: stages × microbatches × kinds of operations. */
export function withinLimit(
  notes: Notes,
  { name, use, microbatches, iterations, at }: SettledPipeline,
  stages: number,
): boolean {
  const kinds =
    use.kind === 'policy' ? (use.policy.operations ?? (use.policy.split ? 3 : 2)) : use.definition.split ? 3 : 2;
  // An R for each microbatch too, where recomputation goes ahead.
  const ahead = use.kind === 'policy' && use.args['recompute'] === 'ahead' ? 1 : 0;
  const operations = Math.ceil(stages * microbatches * iterations * (kinds + ahead));
  const limit = notes.options.limits.operations;
  if (operations <= limit) return true;
  const most = fewerMicrobatches(limit, operations / microbatches);
  notes.report.report(
    'limit/too-large',
    at('microbatches'),
    {
      what: `Operations of pipeline "${name}"`,
      figure: operations.toLocaleString('en-US'),
      limit: limit.toLocaleString('en-US'),
      setting: 'pipewright.limits.operations',
    },
    most >= 1 ? { hint: { kind: 'value', pipeline: name, input: 'microbatches', values: [most] } } : {},
  );
  return false;
}

/** Plans of more operations are no quick fix: simulating them takes seconds. */
const mostTried = 1_000_000;

/** The most microbatches within the limit; where that is still a large plan, a power of two within a smaller one. */
function fewerMicrobatches(limit: number, operationsOfEach: number): number {
  if (limit <= mostTried) return Math.floor(limit / operationsOfEach);
  const most = mostTried / operationsOfEach;
  return most < 1 ? 0 : 2 ** Math.floor(Math.log2(most));
}
