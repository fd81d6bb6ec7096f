/** The order of a plan as an answer: policies that search for their order may take long. */
import { evaluationSize, planKey } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import type { Search } from '../basics/searches.ts';
import { generate, orderSteps } from '../schedule/generate.ts';

/** No program: why there is none is reported where the plan is run. */
export const orderSearch: Search<PipelinePlan, { readonly program?: Program }> = {
  name: 'order',
  large: true,
  size: (plan) => evaluationSize(plan),
  key: planKey,
  *steps(plan) {
    yield* orderSteps(plan);
    const generated = generate(plan);
    yield;
    return 'program' in generated ? { program: generated.program } : {};
  },
};
