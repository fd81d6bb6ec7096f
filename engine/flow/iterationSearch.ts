/** The iteration of a plan as an answer, where placements on devices are compared. */
import { evaluationSize, planKey } from '../schedule/evaluation.ts';
import { simulated } from './evaluate.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Search } from '../basics/searches.ts';

/** No iteration: why the plan does not run is reported where it is run. */
export const iterationSearch: Search<PipelinePlan, { readonly iteration?: number }> = {
  name: 'iteration',
  size: (plan) => evaluationSize(plan),
  key: planKey,
  *steps(plan) {
    const found = simulated(plan);
    yield;
    return 'run' in found ? { iteration: found.run.report.iteration } : {};
  },
};
