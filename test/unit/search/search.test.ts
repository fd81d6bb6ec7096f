import { describe, expect, it } from 'vitest';
import { fitsAll } from '../../../engine/search/bytes.ts';
import { leastOf } from '../../../engine/search/least.ts';
import { layoutOf, type Words } from '../../../engine/search/layout.ts';
import type { OrderProblem } from '../../../engine/search/orderProblem.ts';
import { randomOf } from '../../../engine/search/random.ts';
import type { Objective } from '../../../engine/search/run.ts';
import { searchSteps } from '../../../engine/search/search.ts';
import { search } from '../../support/search.ts';
import { makespanOf, spanOf, timingFor } from '../../../engine/search/timing.ts';
import * as fc from '../../support/property.ts';
import { leastMakespanFrom } from './bruteForce.ts';
import { instances } from './instances.ts';
import { smallProblem } from './problems.ts';

const found = (problem: OrderProblem, effort: number, objective: Objective = 'end') =>
  search(problem, { seeds: [], objective, effort });

/** Most bytes and end of an order, one operation after another: shares no code with the search. */
function run(problem: OrderProblem, words: Words): { readonly end: number; readonly fits: boolean } {
  const { devices, microbatches: m, device, forward, input, weight, transfer, step, limit } = problem;
  const stages = device.length;
  const rows = Array.from({ length: devices }, (_, on) => {
    const codes = [...device.keys()]
      .filter((stage) => device[stage] === on)
      .flatMap((stage) => (weight[stage] > 0 ? ['F', 'I', 'W'] : ['F', 'I']).map((kind) => ({ kind, stage })));
    const { offsets } = layoutOf(problem);
    return Array.from(words.subarray(offsets[on], offsets[on + 1]), (index) => codes[index]);
  });
  const ends = new Map<string, number>();
  const seen = new Map<string, number>();
  const at = rows.map(() => 0);
  const now = rows.map(() => 0);
  const held = rows.map(() => 0);
  let fits = true;
  const total = rows.reduce((sum, row) => sum + row.length, 0);
  for (let done = 0; done < total;) {
    let moved = false;
    for (const [on, row] of rows.entries()) {
      if (at[on] === row.length) continue;
      const { kind, stage } = row[at[on]];
      const j = seen.get(`${kind}${stage}`) ?? 0;
      const needs: [string, number][] = [];
      if (kind === 'F' && stage > 0) needs.push([`F${stage - 1} ${j}`, transfer[stage - 1]]);
      if (kind === 'I') needs.push([`F${stage} ${j}`, 0]);
      if (kind === 'I' && stage + 1 < stages) needs.push([`I${stage + 1} ${j}`, transfer[stage]]);
      if (kind === 'W') needs.push([`I${stage} ${j}`, 0]);
      const ready = needs.map(([name, delay]) => (ends.get(name) ?? Infinity) + delay);
      if (ready.includes(Infinity)) continue;
      now[on] = Math.max(now[on], ...ready) + { F: forward, I: input, W: weight }[kind as 'F'][stage];
      ends.set(`${kind}${stage} ${j}`, now[on]);
      seen.set(`${kind}${stage}`, j + 1);
      if (kind === 'F') held[on] += problem.activation[stage];
      else if (kind === 'I') held[on] += (weight[stage] > 0 ? problem.forWeight[stage] : 0) - problem.activation[stage];
      else held[on] -= problem.forWeight[stage];
      if (held[on] > limit[on] * (1 + 1e-9)) fits = false;
      at[on] += 1;
      done += 1;
      moved = true;
    }
    if (!moved) return { end: Infinity, fits };
  }
  for (const count of seen.values()) expect(count).toBe(m);
  return { end: Math.max(...now.map((end, on) => end + step[on])), fits };
}

describe('the search for an order', () => {
  it('finds an order that runs, ends when it says and fits, and nearly always the shortest of all', () => {
    let [checked, shortest, proven, single, shortestSingle] = [0, 0, 0, 0, 0];
    fc.assert(
      fc.property(smallProblem, (problem) => {
        const order = found(problem, 0.2);
        expect(run(problem, order.words)).toEqual({ end: order.makespan, fits: true });
        const least = leastMakespanFrom(problem, leastOf(problem), order.makespan);
        expect(order.makespan).toBeGreaterThanOrEqual(least);
        expect(order.bound).toBeLessThanOrEqual(least);
        checked += 1;
        if (order.makespan === least) shortest += 1;
        if (order.makespan === order.bound) proven += 1;
        if (problem.device.length > problem.devices) return;
        single += 1;
        if (order.makespan === least) shortestSingle += 1;
      }),
      { numRuns: 300 },
    );
    expect(shortest / checked).toBeGreaterThan(0.95);
    expect(shortestSingle / single).toBeGreaterThan(0.99);
    expect(proven / checked).toBeGreaterThan(0.92);
  });

  it('finds an order in which no device has a longer span where that is the objective', () => {
    fc.assert(
      fc.property(smallProblem, (problem) => {
        const [byEnd, bySpan] = [found(problem, 0.05), found(problem, 0.05, 'span')];
        const layout = layoutOf(problem);
        const timing = timingFor(layout);
        expect(makespanOf(layout, bySpan.words, timing)).toBe(bySpan.makespan);
        expect(spanOf(layout, timing)).toBe(bySpan.span);
        expect(run(problem, bySpan.words)).toEqual({ end: bySpan.makespan, fits: true });
        expect(bySpan.span).toBeLessThanOrEqual(byEnd.span);
      }),
      { numRuns: 60 },
    );
  });

  it('gives equal words for equal problems, and with more effort no longer order', () => {
    const hard = instances.filter(({ name }) => ['r15', 'r22'].includes(name));
    expect(hard).toHaveLength(2);
    for (const { problem } of hard) {
      const orders = [0, 0.01, 0.02, 0.05].map((effort) => found(problem, effort));
      expect(found(problem, 0.02)).toEqual(orders[2]);
      for (let at = 1; at < orders.length; at += 1)
        expect(orders[at].makespan).toBeLessThanOrEqual(orders[at - 1].makespan);
      expect(orders[3].makespan).toBeLessThan(orders[0].makespan);
    }
  });

  it('yields each better order as it is found, again when more is proven, and what it returns last', () => {
    const r15 = instances.find(({ name }) => name === 'r15');
    if (r15 === undefined) throw new Error('no instance r15');
    const steps = searchSteps(r15.problem, { seeds: [], objective: 'end', effort: 0.2 });
    const seen: number[] = [];
    const proven: number[] = [];
    const work: number[] = [];
    let pauses = 0;
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        expect(step.value.makespan).toBe(seen.at(-1));
        expect(step.value.bound).toBe(proven.at(-1));
        break;
      }
      if (step.value === undefined) pauses += 1;
      else {
        expect(run(r15.problem, step.value.words)).toEqual({ end: step.value.makespan, fits: true });
        seen.push(step.value.makespan);
        proven.push(step.value.bound);
        work.push(step.value.work);
        expect(step.value.work).toBeGreaterThanOrEqual(step.value.effort);
      }
    }
    expect(new Set(seen).size).toBeGreaterThan(3);
    expect(new Set(proven).size).toBeGreaterThan(3);
    expect(seen).toEqual(seen.toSorted((a, b) => b - a));
    expect(proven).toEqual(proven.toSorted((a, b) => a - b));
    expect(work).toEqual(work.toSorted((a, b) => a - b));
    // Nothing is yielded twice.
    expect(new Set(seen.map((makespan, at) => `${makespan} ${proven[at]}`)).size).toBe(seen.length);
    expect(pauses).toBeGreaterThan(5);
  });

  it('takes over a seed that is shorter than what it finds, and none that exceeds a limit', () => {
    const s1 = instances.find(({ name }) => name === 's1');
    if (s1 === undefined) throw new Error('no instance s1');
    const { words } = found(s1.problem, 1);
    const tight = { ...s1.problem, limit: s1.problem.limit.map((bytes) => bytes / 2) };
    const start = (problem: OrderProblem) =>
      search(problem, { seeds: [{ name: 'given', words }], objective: 'end', effort: 0 });
    expect(start(s1.problem).by).toBe('given');
    expect(fitsAll(layoutOf(tight), words)).toBe(false);
    expect(start(tight).by).not.toBe('given');
    expect(run(tight, start(tight).words).fits).toBe(true);
  });

  it('draws numbers that are spread evenly and are the same each time', () => {
    const counts = new Int32Array(10);
    const [random, again] = [randomOf(7), randomOf(7)];
    for (let draw = 0; draw < 10_000; draw += 1) {
      const value = random.whole(10);
      expect(again.whole(10)).toBe(value);
      counts[value] += 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
