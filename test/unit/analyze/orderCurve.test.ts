/** How a search gets on, against simulations of its orders and against the whole search. */
import { describe, expect, it } from 'vitest';
import type { OrderProgress } from '../../../engine/analyze/orderCurve.ts';
import { evaluate, simulated } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { answerOf } from '../../../engine/policies/searched/answers.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { givenOrder, giveOrder } from '../../../engine/policies/searched/given.ts';
import { runSearch } from '../../../engine/basics/searches.ts';
import { askedOrder, type OrderAnswer, type OrderQuestion, shorterOrder } from '../../../engine/advice/shorterOrder.ts';
import { analyse, analyseExample } from '../../support/analyse.ts';
import { openGap } from '../schedule/search/openGap.ts';

function questionOf(pipeline: string, effort = 1, example = 'search.pipe'): OrderQuestion {
  const analysis = example.endsWith('.pipe') ? analyseExample(example) : analyse(example);
  const found = analysis.pipelines.find(({ plan }) => plan.name === pipeline);
  if (found === undefined) throw new Error(`no pipeline ${pipeline}`);
  const question = askedOrder(found, effort);
  if ('reason' in question) throw new Error(question.reason);
  return question;
}

function searchOf(question: OrderQuestion): { readonly heard: readonly OrderProgress[]; readonly answer: OrderAnswer } {
  const heard: OrderProgress[] = [];
  const steps = shorterOrder.steps(question);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { heard, answer: step.value };
    if (step.value !== undefined) heard.push(step.value);
  }
}

/** A plan that shares nothing with others: nothing is known of it. */
const copyOf = (plan: PipelinePlan): PipelinePlan => structuredClone(plan);

function iterationOf(plan: PipelinePlan): number {
  const found = simulated(plan);
  if (!('run' in found)) throw new Error('it does not run');
  return found.run.report.iteration;
}

describe('the curve of a search', () => {
  it('never rises, with a bound that never falls and never exceeds it, over work that never falls', () => {
    for (const pipeline of ['heuristic', 'searched', 'whole']) {
      const { heard, answer } = searchOf(questionOf(pipeline));
      const points = answer.search?.points ?? [];
      expect(points.length).toBeGreaterThan(5);
      for (const [index, { work, iteration, bound }] of points.entries()) {
        expect(bound).toBeLessThanOrEqual(iteration);
        if (index === 0) continue;
        expect(work).toBeGreaterThanOrEqual(points[index - 1].work);
        expect(iteration).toBeLessThanOrEqual(points[index - 1].iteration);
        expect(bound).toBeGreaterThanOrEqual(points[index - 1].bound);
      }
      // Each message has all that was said before.
      for (const [index, { points: said }] of heard.entries()) expect(points.slice(0, index + 1)).toEqual(said);
    }
  });

  it('has the figures that a simulation of each order gives', () => {
    const question = questionOf('heuristic');
    const { heard, answer } = searchOf(question);
    expect(heard.length).toBeGreaterThan(5);
    for (const { points, order } of heard) {
      const plan = copyOf(question.plan);
      expect(giveOrder(plan, order)).toBe(true);
      expect(iterationOf(plan)).toBe(points.at(-1)?.iteration);
    }
    const { report } = evaluate(copyOf(question.plan), defaultOptions).run ?? {};
    expect(answer.search?.status).toBe('optimal');
    expect(answer.search?.points.at(-1)).toMatchObject({ iteration: report?.iteration, bound: report?.search?.bound });
  });

  it('begins as that of a shorter search', () => {
    // The file itself does not search long.
    const text = openGap.replace('limit = 8', 'limit = 8, effort = 0');
    const [short, long] = [1, 2].map((effort) => searchOf(questionOf('p', effort, text)).answer.search?.points ?? []);
    // The last point of each is the report of its end.
    const shared = short.slice(0, -1);
    expect(shared.length).toBeGreaterThan(1);
    expect(long.slice(0, shared.length)).toEqual(shared);
    expect(long.at(-1)?.work).toBeGreaterThan(Number(short.at(-1)?.work));
  });

  it('leads to a shorter order of the file, or to none where the file has the shortest', () => {
    const heuristic = runSearch(shorterOrder, questionOf('heuristic'));
    expect(heuristic.found).toEqual(heuristic.shorter);
    expect(heuristic.shorter?.iteration).toBe(heuristic.search?.points.at(-1)?.iteration);
    const searched = runSearch(shorterOrder, questionOf('searched'));
    expect([searched.found, searched.shorter]).toEqual([undefined, undefined]);
    expect(searched.search).toMatchObject({ status: 'optimal', fits: true });
  });
});

describe('an order that is handed over', () => {
  const searched = () => {
    const { plan, run } =
      analyseExample('search.pipe').pipelines.find(({ plan: { name } }) => name === 'searched') ?? {};
    if (plan === undefined || run?.report.search === undefined) throw new Error('not searched');
    return { plan, run, search: run.report.search };
  };

  it('gives the same report without a search', () => {
    for (const name of ['searched', 'whole']) {
      const { plan, run } = analyseExample('search.pipe').pipelines.find((each) => each.plan.name === name) ?? {};
      if (plan === undefined || run?.report.search === undefined) throw new Error('not searched');
      const order = givenOrder(plan, run.program, run.report.search);
      if (order === undefined) throw new Error('no words');
      const again = copyOf(plan);
      expect(giveOrder(again, order)).toBe(true);
      const found = simulated(again);
      const report = 'run' in found ? found.run.report : undefined;
      expect(report?.search).toEqual(run.report.search);
      expect(report?.iteration).toBe(run.report.iteration);
      expect(report?.bubble).toEqual(run.report.bubble);
    }
  });

  it('keeps what is proven of the longest span', () => {
    const { plan: byEnd } = searched();
    const plan: PipelinePlan = {
      ...byEnd,
      schedule: { kind: 'policy', name: 'search', args: { objective: 'span', effort: 0 } },
    };
    const found = simulated(plan);
    if (!('run' in found) || found.run.report.search?.span === undefined) throw new Error('no span');
    const order = givenOrder(plan, found.run.program, found.run.report.search);
    if (order === undefined) throw new Error('no words');
    const again = copyOf(plan);
    expect(giveOrder(again, order)).toBe(true);
    const given = simulated(again);
    expect('run' in given ? given.run.report.search?.span : undefined).toEqual(found.run.report.search.span);
  });

  it('is the answer for its plan alone', () => {
    const { heard } = searchOf(questionOf('heuristic'));
    const { plan, run } = searched();
    const [first] = heard;
    const longer = copyOf(plan);
    expect(giveOrder(longer, first.order)).toBe(true);
    expect(iterationOf(longer)).toBe(first.points[0].iteration);
    expect(iterationOf(longer)).toBeGreaterThan(run.report.iteration);
    expect(iterationOf(copyOf(plan))).toBe(run.report.iteration);
  });

  it('is refused if it is none of the plan', () => {
    const { plan, run, search } = searched();
    const order = givenOrder(plan, run.program, search);
    if (order === undefined) throw new Error('no words');
    const { words } = order;
    const swapped = words.slice();
    // The first device begins with a weight gradient: nothing can run.
    const first = swapped.findIndex((word) => word === 2);
    [swapped[0], swapped[first]] = [swapped[first], swapped[0]];
    const wrong = [words.slice(1), words.map(() => 0), words.map((word, at) => (at === 0 ? 9 : word)), swapped];
    for (const each of wrong) expect(giveOrder(copyOf(plan), { ...order, words: each })).toBe(false);
    expect(giveOrder(copyOf(plan), { ...order, bound: NaN })).toBe(false);
    // No proof says more than the order itself shows.
    const claimed = copyOf(plan);
    expect(giveOrder(claimed, { ...order, bound: 1e15 })).toBe(true);
    expect(iterationOf(claimed)).toBe(run.report.iteration);
    const { bound, makespan } = answerOf(shapeOf(claimed));
    expect(bound).toBe(makespan);
  });
});
