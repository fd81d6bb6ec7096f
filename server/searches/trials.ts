/** Other texts of one file, checked for quick fixes. */
import { type Analysis, checkSteps } from '../../engine/flow/check.ts';
import { toEnd } from '../../engine/basics/steps.ts';
import type { Again } from '../../engine/fixes/proposal.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { View } from '../view.ts';

/** Larger runs are found in threads, which keep them while they are wanted. */
const largestKept = 20_000;

/**
 * Checks other texts with the file's host and options, and with the params set as `overrides` say. Each text is planned once for one
 * request, and checked once, unless an answer is still to come.
 */
export function trials(
  { uri, files, options, analysis }: View,
  overrides: Readonly<Record<string, number>> = {},
): (searches: Searches) => Again {
  const known = new Map<string, Analysis>();
  const plans = new Map<string, Pick<Analysis, 'syntax' | 'resolution'>>();
  const unknown = new Set(analysis.pending);
  const { syntax, pipelines, jobs, resolution: before } = analysis;
  // What was measured is a run of the file as it is, so no other text is compared with it.
  const host = { read: files.read, resolve: files.resolve };
  const earlier = {
    syntax,
    pipelines: pipelines.filter(({ plan }) => !unknown.has(plan.name)),
    jobs,
    resolution: before,
  };

  function* found(text: string, searches: Searches): Generator<undefined, Analysis, void> {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const planned = plans.get(text);
    for (const steps = checkSteps({ uri, text, host, options, overrides, earlier, planned, searches }); ;) {
      const { value } = steps.next();
      if (typeof value === 'string' || !('pipelines' in value)) {
        yield undefined;
        continue;
      }
      const { resolution } = value;
      // What waits for answers is asked again, and need not be planned again.
      if (resolution.pending.length === 0) plans.set(text, { syntax: value.syntax, resolution });
      const operations = value.pipelines.reduce((sum, { run }) => sum + (run?.report.operations ?? 0), 0);
      if (value.pending.length === 0 && operations <= largestKept) known.set(text, value);
      return value;
    }
  }

  return (searches) => {
    let next: { readonly text: string; readonly analysis: Analysis } | undefined;
    const again = (text: string): Analysis => (next?.text === text ? next.analysis : toEnd(found(text, searches)));
    return Object.assign(again, {
      *ahead(text: string) {
        next = { text, analysis: yield* found(text, searches) };
      },
    });
  };
}

/** Plans other texts of a file and simulates nothing. What is to come is left out of the plan. */
export const plannedAgain =
  ({ uri, files, options }: View, searches: Searches) =>
  (text: string): Pick<Analysis, 'syntax' | 'resolution'> => {
    const steps = checkSteps({ uri, text, host: files, options, searches });
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (typeof step.value !== 'string') return step.value;
    }
  };
