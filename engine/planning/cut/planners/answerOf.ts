import type { Planned } from './layers.ts';
import { type PlanProblem, planSearch } from './planSearch.ts';

/** Answers by problem, the last used ones last: an edit that leaves the problem equal plans nothing again. */
const answers = new Map<string, Planned>();
const mostAnswers = 32;

/** The plan of a problem, from memory if it is there. */
export function answerOf(problem: PlanProblem): Planned {
  const key = JSON.stringify(problem, (_key, value: unknown) =>
    value instanceof Float64Array || value instanceof Int32Array ? Array.from(value) : value,
  );
  const answer = answers.get(key) ?? computed(problem);
  answers.delete(key);
  answers.set(key, answer);
  for (const oldest of answers.keys()) if (answers.size > mostAnswers) answers.delete(oldest);
  return answer;
}

function computed(problem: PlanProblem): Planned {
  const steps = planSearch.steps(problem);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
