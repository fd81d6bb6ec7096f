/**
 * Longest spans of the published heuristic: the best of its eight variants, run from `auto_schedule.py` of
 * sail-sg/zero-bubble-pipeline-parallelism at 4769e08d. A microbatch holds 2 from F to I and 1 from I to W.
 */
import { describe, expect, it } from 'vitest';
import { seedsOf } from '../../../../engine/policies/searched/seeds.ts';
import { layoutOf } from '../../../../engine/search/layout.ts';
import type { OrderProblem } from '../../../../engine/search/orderProblem.ts';
import { search } from '../../../support/search.ts';
import { shapeFor } from './shapes.ts';

function alike(p: number, m: number, times: readonly number[], limit: number, bytes = [2, 1]): OrderProblem {
  const [forward, input, weight, transfer] = times;
  const each = (value: number): Float64Array => new Float64Array(p).fill(value);
  return {
    ...{ devices: p, microbatches: m, device: Int32Array.from({ length: p }, (_, stage) => stage) },
    ...{ forward: each(forward), input: each(input), weight: each(weight), step: each(0) },
    ...{ activation: each(bytes[0]), forWeight: each(bytes[1]), limit: each(limit) },
    transfer: new Float64Array(p - 1).fill(transfer),
  };
}

/** Microseconds of the model that the authors profiled on 8 stages, the last of which also has the head. */
const uneven = (microbatches: number): OrderProblem => ({
  ...alike(8, 32, [0, 0, 0, 473], 1240 * microbatches),
  forward: Float64Array.of(30715, 29233, 29106, 29078, 28850, 28919, 28924, 41678),
  input: Float64Array.of(31308, 29344, 29357, 29455, 29217, 29384, 29354, 38731),
  weight: Float64Array.of(18746, 18789, 19062, 19367, 19455, 19967, 20096, 32833),
  activation: Float64Array.of(943, 1240, 1240, 1240, 1240, 1240, 1240, 1071),
  forWeight: Float64Array.of(410, 552, 552, 552, 552, 552, 552, 483),
});

const profiled = [29850, 29767, 18868, 466];

/** What the file runs when it is called as a program. */
const examples: readonly (readonly [string, OrderProblem, number])[] = [
  ['4 stages, F, I, W of 5, 6, 4, memory for 5', alike(4, 12, [5, 6, 4, 0], 10), 193],
  ['4 stages, F, I, W of 5, 6, 4, memory for 7', alike(4, 12, [5, 6, 4, 0], 14), 183],
  ['4 stages, profiled', alike(4, 12, [5478, 5806, 3534, 200], 32), 178898],
  ['32 stages of equal times', alike(32, 16, [1, 1, 1, 0], 64), 95],
  ['8 uneven stages, memory for 8', uneven(8), 3623744],
  ['8 uneven stages, memory for 16', uneven(16), 3623744],
  ['8 even stages, memory for 8', alike(8, 32, profiled, 3720 * 8, [3720, 1672]), 2809811],
  ['8 even stages, memory for 16', alike(8, 32, profiled, 3720 * 16, [3720, 1672]), 2517463],
];

/** Arxiv 2401.10241, table 9: microseconds of F, I, W and a transfer; longest spans of ZB-1p and ZB-2p, whose bubble rates are table 5. */
const models: readonly (readonly [string, number, number, readonly number[], number, number])[] = [
  ['1.5B', 8, 24, [18522, 18086, 9337, 601], 1310405, 1152599],
  ['1.5B', 8, 32, [18513, 18086, 9331, 626], 1678164, 1475535],
  ['1.5B', 8, 64, [18546, 18097, 9321, 762], 3154286, 2949221],
  ['6.2B', 8, 24, [29718, 29444, 19927, 527], 2187537, 1903596],
  ['6.2B', 8, 32, [29802, 29428, 19530, 577], 2814376, 2525780],
  ['6.2B', 8, 64, [29935, 29621, 19388, 535], 5348572, 5057708],
  ['14.6B', 16, 48, [11347, 11248, 8132, 377], 1714461, 1484721],
  ['14.6B', 16, 64, [11307, 11254, 8101, 379], 2202008, 1972943],
  ['14.6B', 16, 128, [11325, 11308, 8109, 378], 4175516, 3946061],
  ['28.3B', 32, 96, [10419, 10207, 7715, 408], 3171569, 2731004],
  ['28.3B', 32, 128, [10408, 10204, 7703, 408], 4075091, 3634724],
];
const rates: Readonly<Record<string, readonly [number, number]>> = {
  '1.5B 24': [0.1585, 0.0433],
  '1.5B 32': [0.1242, 0.0039],
  '1.5B 64': [0.0674, 0.0026],
  '6.2B 24': [0.1323, 0.0029],
  '6.2B 32': [0.1045, 0.0022],
  '6.2B 64': [0.0554, 0.001],
  '14.6B 48': [0.1397, 0.0066],
  '14.6B 64': [0.1088, 0.0054],
  '14.6B 128': [0.0576, 0.0028],
  '28.3B 96': [0.1421, 0.0038],
  '28.3B 128': [0.1106, 0.0029],
};

const found = (problem: OrderProblem, effort: number) =>
  search(problem, { seeds: seedsOf(shapeFor(problem), layoutOf(problem), 'span'), objective: 'span', effort });

describe('the longest span of the search is no longer than the published one', () => {
  it.each(examples)('for %s', (_, problem, published) => {
    expect(found(problem, 0).span).toBeLessThanOrEqual(published);
  });

  it.each(models)('for ZB-1p and ZB-2p of %s, %i devices, %i microbatches', (name, p, m, times, one, two) => {
    const [forward, input, weight] = times;
    const work = m * (forward + input + weight);
    for (const [limit, published, rate] of [
      [2 * p, one, rates[`${name} ${m}`][0]],
      [4 * p, two, rates[`${name} ${m}`][1]],
    ]) {
      expect(1 - work / published).toBeCloseTo(rate, 4);
      expect(found(alike(p, m, times, limit), 0).span).toBeLessThanOrEqual(published);
    }
  });

  it('and is proven the shortest for the smaller ones', () => {
    for (const [, problem, published] of examples.slice(0, 6)) {
      const { span, spanBound } = found(problem, 0.1);
      expect(span).toBe(published);
      expect(spanBound).toBe(span);
    }
    const [, p, m, times, one] = models[0];
    const { span, spanBound } = found(alike(p, m, times, 2 * p), 0.1);
    expect([span, spanBound]).toEqual([one, one]);
  });
});
