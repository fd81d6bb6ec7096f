/** 1F1B-V: shape of its programs, what they hold, and the figures of the authors' own order. */
import { describe, expect, test } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { programOf } from '../../../engine/schedule/generate.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import * as fc from '../../support/property.ts';
import { bruteForce, rowsOf, type Simulated } from './bruteForce.ts';
import { placed, run } from './chunked.ts';
import { recipePlan } from '../support/plans.ts';

/** Chunks that the block holds: about two thirds of the 2p of 1F1B's first device. */
const held = (p: number): number => 2 * Math.floor((2 * p) / 3) + 2;

/** F = 1 and B = 2 for each chunk, with a transfer between devices. */
function ran(p: number, m: number, transfer: number): Simulated {
  const stages = Array.from({ length: 2 * p }, (_, stage) => stage);
  const plan: PipelinePlan = recipePlan({
    microbatches: m,
    schedule: { kind: 'policy', name: '1f1b_v', args: {} },
    forward: stages.map(() => 1),
    backwardInput: stages.map(() => 1),
    backwardWeight: stages.map(() => 1),
    latency: transfer,
    placement: stages.map((stage) => (stage < p ? stage : 2 * p - 1 - stage)),
    stage: { activationForWeight: 0 },
  });
  const policy = findPolicy('1f1b_v');
  if (policy === undefined) throw new Error('1f1b_v');
  const found = bruteForce(plan, rowsOf(programOf(policy, shapeOf(plan))));
  if (found === undefined) throw new Error('the program never ends');
  return found;
}

test('programs are complete and hold no more than the block, on 1 to 16 devices', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 64 }), (p, m) => {
      const { plan, program } = placed('1f1b_v', p, m);
      expect(validate(program, plan)).toEqual([]);
      for (const chunks of run('1f1b_v', p, m).inFlight) expect(chunks).toBeLessThanOrEqual(Math.min(2 * m, held(p)));
    }),
  );
});

test('the block repeats every six slots: each further microbatch adds F and B of two chunks', () => {
  for (const p of [2, 3, 4, 7, 9]) {
    const spans = [3, 4, 5].map((times) => run('1f1b_v', p, times * p, {}, { f: 1, i: 1, w: 1 }).makespan);
    expect(spans[1] - spans[0]).toBe(6 * p);
    expect(spans[2] - spans[1]).toBe(6 * p);
  }
});

test('one microbatch runs without a pause', () => {
  for (const p of [1, 2, 5, 16]) expect(run('1f1b_v', p, 1, {}, { f: 1, i: 1, w: 1 }).makespan).toBe(6 * p);
});

/**
 * Devices, microbatches, most chunks held, and makespans with F = 1, B = 2 and transfers of 0, 0.1 and 0.25:
 * megatron/core/pipeline_parallel/zerobubble/scheduler/v1f1b.py of sail-sg's repository at 39f2c186, its orders simulated apart.
 */
const published: readonly (readonly [number, number, number, number, number, number])[] = [
  [1, 1, 2, 6, 6, 6],
  [1, 2, 2, 12, 12, 12],
  [1, 3, 2, 18, 18, 18],
  [1, 4, 2, 24, 24, 24],
  [2, 2, 4, 16, 16.4, 17],
  [2, 3, 4, 22, 22.4, 23],
  [2, 4, 4, 28, 28.4, 29],
  [2, 8, 4, 52, 52.4, 53],
  [3, 3, 6, 26, 27, 28.5],
  [3, 6, 6, 44, 45.4, 47.5],
  [3, 12, 6, 80, 82.6, 86.5],
  [4, 3, 6, 32, 33.4, 35.5],
  [4, 4, 6, 39, 40.8, 43.5],
  [4, 8, 6, 63, 66.2, 71],
  [4, 16, 6, 111, 117.4, 127],
  [5, 3, 6, 38, 39.8, 42.5],
  [5, 5, 8, 48, 50.4, 54],
  [5, 10, 8, 78, 81.4, 86.5],
  [5, 20, 8, 138, 143.4, 151.5],
  [6, 3, 6, 44, 46.2, 49.5],
  [6, 6, 10, 58, 60.8, 65],
  [6, 12, 10, 94, 97.8, 103.5],
  [6, 24, 10, 166, 172.2, 181.5],
  [7, 3, 6, 50, 52.6, 56.5],
  [7, 7, 10, 72, 75.8, 81.5],
  [7, 14, 10, 114, 121.2, 132],
  [7, 28, 10, 198, 212.2, 233.5],
  [8, 3, 6, 56, 59, 63.5],
  [8, 8, 12, 81, 85.4, 92],
  [8, 16, 12, 129, 135.8, 146],
  [8, 32, 12, 225, 238.2, 258],
  [9, 3, 6, 62, 65.4, 70.5],
  [9, 9, 14, 90, 95, 102.5],
  [9, 18, 14, 144, 150.8, 161],
  [9, 36, 14, 252, 262.4, 278],
  [10, 3, 6, 68, 71.8, 77.5],
  [10, 10, 14, 105, 111, 120],
  [10, 20, 14, 165, 176, 192.5],
  [10, 40, 14, 285, 306.6, 339],
  [11, 3, 6, 74, 78.2, 84.5],
  [11, 11, 16, 114, 120.6, 130.5],
  [11, 22, 16, 180, 190.4, 207],
  [11, 44, 16, 312, 333.4, 366.5],
  [12, 3, 6, 80, 84.6, 91.5],
  [12, 12, 18, 123, 130.2, 141],
  [12, 24, 18, 196, 206.6, 223],
  [12, 48, 18, 340, 362.6, 397],
  [13, 3, 6, 86, 91, 98.5],
  [13, 13, 18, 138, 146.2, 158.5],
  [13, 26, 18, 216, 231.2, 254],
  [13, 52, 18, 372, 401.4, 445.5],
  [14, 3, 6, 92, 97.4, 105.5],
  [14, 14, 20, 147, 155.8, 169],
  [14, 28, 20, 231, 245.2, 268],
  [14, 56, 20, 399, 428, 473.5],
  [15, 3, 6, 98, 103.8, 112.5],
  [15, 15, 22, 156, 165.4, 179.5],
  [15, 30, 22, 247, 260.8, 283],
  [15, 60, 22, 427, 456.8, 503],
  [16, 3, 6, 104, 110.2, 119.5],
  [16, 16, 22, 171, 181.4, 197],
  [16, 32, 22, 267, 286, 314.5],
  [16, 64, 22, 459, 495.8, 551],
];

describe.each(published)('on %i devices with %i microbatches', (p, m, chunks, free, short, long) => {
  test(`holds ${chunks} chunks at most and ends by ${free}, ${short} and ${long}, as the authors’ order does`, () => {
    for (const [transfer, end] of [
      [0, free],
      [0.1, short],
      [0.25, long],
    ]) {
      const found = ran(p, m, transfer);
      expect(found.makespan).toBeLessThanOrEqual(end + 1e-6);
      expect(Math.max(...found.inFlight)).toBeLessThanOrEqual(chunks);
    }
    expect(ran(p, m, 0).makespan).toBeCloseTo(free, 9);
  });
});
