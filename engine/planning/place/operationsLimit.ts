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
  const most = Math.floor(limit / (operations / microbatches));
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
