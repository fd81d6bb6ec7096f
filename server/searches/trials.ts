/** Other texts of one file, checked for quick fixes. */
import { type Analysis, check, checkSteps } from '../../engine/flow/check.ts';
import type { Again } from '../../engine/fixes/proposal.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { View } from '../view.ts';

/** Larger runs are found in threads, which keep them while they are wanted. */
const largestKept = 20_000;

/**
 * Checks other texts with the file's host and options, and with the params set as `overrides` say. Each text is checked once for one
 * request, unless an answer is still to come.
 */
export function trials(
  { uri, files, options, analysis }: View,
  overrides: Readonly<Record<string, number>> = {},
): (searches: Searches) => Again {
  const known = new Map<string, Analysis>();
  const unknown = new Set(analysis.pending);
  const { syntax, pipelines, jobs } = analysis;
  const earlier = { syntax, pipelines: pipelines.filter(({ plan }) => !unknown.has(plan.name)), jobs };
  return (searches) => (text) => {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const found = check({ uri, text, host: files, options, overrides, earlier, searches });
    const operations = found.pipelines.reduce((sum, { run }) => sum + (run?.report.operations ?? 0), 0);
    if (found.pending.length === 0 && operations <= largestKept) known.set(text, found);
    return found;
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
