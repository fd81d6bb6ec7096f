/** Orders that searches have found, in words: what a preview needs to simulate them without a search. */
import { type GivenOrder, givenOrder } from '../../engine/policies/searched/given.ts';
import type { SchedulePlan } from '../../engine/values/plan.ts';
import type { FoundOrder } from '../../webview/protocol/requests.ts';
import { base64 } from '../../platform/common/base64.ts';
import type { View } from '../view.ts';

export const foundOrder = (schedule: SchedulePlan, { words, ...order }: GivenOrder): FoundOrder => ({
  schedule,
  words: base64(words),
  ...order,
});

/** Of the pipelines of a file that have `search` as their schedule, as far as they are simulated. */
export function foundOrders({ analysis }: View): Readonly<Record<string, FoundOrder>> {
  return Object.fromEntries(
    analysis.pipelines.flatMap(({ plan, run }) => {
      const searched = run?.report.search;
      if (run === undefined || searched === undefined) return [];
      const order = givenOrder(plan, run.program, searched);
      return order === undefined ? [] : [[plan.name, foundOrder(plan.schedule, order)]];
    }),
  );
}
