import type { OrderProblem } from '../../engine/search/orderProblem.ts';
import type { Found } from '../../engine/search/run.ts';
import { type SearchOptions, searchSteps } from '../../engine/search/search.ts';

/** A search from beginning to end, which the product takes in steps. */
export function search(problem: OrderProblem, options: SearchOptions): Found {
  const steps = searchSteps(problem, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
