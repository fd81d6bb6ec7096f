import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { recipePlan, policy } from '../support/plans.ts';
import { namesOf, programFor } from './bruteForce.ts';

const p = fc.integer({ min: 1, max: 9 });
const m = fc.integer({ min: 1, max: 20 });
const modes = ['always', 'except_last', 'never'] as const;
const stops = { always: (m: number) => m, except_last: (m: number) => m - 1, never: () => 0 };

const planFor = (devices: number, microbatches: number, checkpoint: string): PipelinePlan => {
  const recompute = checkpoint === 'never' ? 0 : 2;
  return recipePlan({
    devices,
    microbatches,
    schedule: policy('torchgpipe', { checkpoint }),
    forward: [2],
    backwardInput: [3],
    backwardWeight: [4],
    stage: { recompute, recomputed: 7, recomputeMode: 'stage' },
  });
};

/** As torchgpipe's pipeline.py has it: pairs of microbatch and partition for each clock. */
function* clockCycles(m: number, n: number) {
  for (let k = 0; k < m + n - 1; k += 1) {
    const pairs: [number, number][] = [];
    for (let j = Math.max(1 + k - m, 0); j < Math.min(1 + k, n); j += 1) pairs.push([k - j, j]);
    yield pairs;
  }
}

describe.each(modes)('torchgpipe with checkpoint = %s', (checkpoint) => {
  it('runs the clock cycles, and then the same in reverse', () => {
    fc.assert(
      fc.property(p, m, (n, microbatches) => {
        const plan = planFor(n, microbatches, checkpoint);
        const program = programFor(plan);
        expect(validate(program, plan)).toEqual([]);
        const rows: string[][] = Array.from({ length: n }, () => []);
        const clocks = [...clockCycles(microbatches, n)];
        for (const pairs of clocks) for (const [i, j] of pairs) rows[j].push(`${j}F${i}`);
        for (const pairs of clocks.toReversed()) {
          for (const [i, j] of pairs) {
            // Microbatches under checkpoint_stop are recomputed, before the gradient has come.
            if (i < stops[checkpoint](microbatches)) rows[j].push(`${j}R${i}`);
            rows[j].push(`${j}B${i}`);
          }
        }
        expect(namesOf(program)).toEqual(rows);
      }),
    );
  });

  it('idles (p − 1)(F + B), however much is recomputed', () => {
    fc.assert(
      fc.property(p, m, (n, microbatches) => {
        const plan = planFor(n, microbatches, checkpoint);
        const program = programFor(plan);
        const timeline = simulate(program, timingOf(plan, program));
        const work = microbatches * 9 + stops[checkpoint](microbatches) * 2;
        expect([...(timeline?.busy ?? [])]).toEqual(Array.from({ length: n }, () => work));
        expect(timeline?.makespan).toBe(work + (n - 1) * 9);
      }),
    );
  });
});
