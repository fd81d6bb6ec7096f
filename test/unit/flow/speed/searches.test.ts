import { describe, expect, test } from 'vitest';
import { type Analysis, check, checkSteps } from '../../../../engine/flow/check.ts';
import { defaultOptions } from '../../../../engine/basics/host.ts';
import {
  directSearches,
  noSearches,
  runSearch,
  searchKey,
  type Search,
  type Searches,
} from '../../../../engine/basics/searches.ts';
import { exampleText } from '../../../support/example.ts';
import { hostOf } from '../../../support/host.ts';

const examples = ['quickstart.pipe', 'custom-schedule.pipe', 'systems/hetpipe.pipe', 'systems/dapple.pipe'];
const requestOf = (name: string) => ({
  uri: `file:///${name}`,
  text: exampleText(name),
  host: hostOf(),
  options: defaultOptions,
});

/** Answers what has been asked before, as a thread would later. */
function late(): Searches {
  const known = new Map<string, unknown>();
  return {
    answer<Problem, Answer>(search: Search<Problem, Answer>, problem: Problem): Answer | undefined {
      const key = searchKey(search, problem);
      if (known.has(key)) return known.get(key) as Answer;
      known.set(key, structuredClone(runSearch(search, structuredClone(problem))));
      return undefined;
    },
  };
}

/** What people see of an analysis. */
const seen = ({ resolution, pipelines, jobs, findings, pending }: Analysis) => ({
  plan: resolution.plan,
  pipelines: pipelines.map(({ run, findings: own }) => ({ report: run?.report, path: run?.criticalPath, own })),
  jobs: jobs.map(({ report }) => report),
  findings,
  pending,
});

describe('answers that come later', () => {
  test.each(examples)('%s: everything is as if the answers had come at once', (name) => {
    const request = requestOf(name);
    const steps = checkSteps({ ...request, searches: late() });
    const partial: Analysis[] = [];
    for (;;) {
      const step = steps.next();
      if (!step.done && typeof step.value !== 'string' && 'pipelines' in step.value) partial.push(step.value);
      if (!step.done) continue;
      expect(seen(step.value)).toEqual(seen(check(request)));
      break;
    }
    expect(partial.length).toBeGreaterThan(0);
  });

  test('without answers, pipelines are named as pending, and nothing is said of them', () => {
    const request = requestOf('quickstart.pipe');
    const whole = check(request);
    const partial = check({ ...request, searches: noSearches });
    expect(partial.pending).toEqual(whole.pipelines.map(({ plan }) => plan.name));
    expect(partial.pipelines.every(({ run, findings }) => run === undefined && findings.length === 0)).toBe(true);
    expect(partial.findings).toEqual(whole.resolution.findings);
  });

  test('a planner that has not answered leaves its pipeline out, without a finding', () => {
    const request = requestOf('systems/dapple.pipe');
    const whole = check(request).resolution.plan.pipelines.map(({ name }) => name);
    const { pending, resolution } = check({ ...request, searches: noSearches });
    const planned = resolution.plan.pipelines.map(({ name }) => name);
    expect(resolution.pending.length).toBeGreaterThan(0);
    expect([...planned, ...resolution.pending].toSorted()).toEqual(whole.toSorted());
    expect(pending).toEqual([...resolution.pending, ...planned]);
    expect(resolution.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

test('an answer is found once for equal problems, and what was used last is kept longest', () => {
  let found = 0;
  const double: Search<{ readonly values: Float64Array; readonly of: number }, number> = {
    name: 'double',
    size: () => 1,
    *steps({ of }) {
      found += 1;
      yield;
      return 2 * of;
    },
  };
  const searches = directSearches();
  const ask = (of: number, first = 1) => searches.answer(double, { values: Float64Array.of(first, 2), of });
  expect([ask(1), ask(1), ask(2)]).toEqual([2, 2, 4]);
  expect(found).toBe(2);
  ask(1, 3);
  expect(found).toBe(3);
  for (let of = 10; of < 100; of += 1) {
    ask(of);
    ask(2);
  }
  found = 0;
  ask(99);
  ask(2);
  expect(found).toBe(0);
  ask(1);
  expect(found).toBe(1);
});
