import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { notCarried } from '../../../engine/formats/torchCsv/notCarried.ts';
import { programFor } from '../schedule/bruteForce.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';
import { pipelineOf } from './written.ts';

const one = { devices: 1, microbatches: 2 };
const planOf = (row: string, more = '') =>
  resolveText(pipelineOf(`schedule mine { ${more}  row(d) = ${row} }`, one)).plan.pipelines[0];
const iteration = (row: string, more?: string) => evaluate(planOf(row, more), defaultOptions).run?.report.iteration;

describe('fused(a, b, overlap = …)', () => {
  // F takes 4 ms and B 8 ms: F, then both in one slot, then B.
  it('shortens a slot by that share of the shorter operation', () => {
    expect(iteration('F[0], fused(B[0], F[1]), B[1]')).toBeCloseTo(0.024, 12);
    expect(iteration('F[0], fused(B[0], F[1], overlap = 0%), B[1]')).toBeCloseTo(0.024, 12);
    expect(iteration('F[0], fused(B[0], F[1], overlap = 40%), B[1]')).toBeCloseTo(0.024 - 0.4 * 0.004, 12);
    expect(iteration('F[0], fused(B[0], F[1], 100%), B[1]')).toBeCloseTo(0.02, 12);
    expect(iteration('F[0], fused(B[0], F[1], overlap = k), B[1]', 'param k = 25% in 0%..100%')).toBeCloseTo(0.023, 12);
  });
  it('is one share in the whole schedule', () => {
    const found = (row: string, message: string) =>
      checkFindings(pipelineOf(`schedule mine { row(d) = ${row} }`, one), [message]);
    found(
      'F[0], fused(B[0], F[1]), ⟦type/mismatch:fused(B[1], F[0], overlap = 40%)⟧',
      'the same overlap in every `fused(…)` of the schedule, 0 %',
    );
    found('F[0], fused(B[0], F[1], overlap = ⟦value/range:140%⟧), B[1]', 'from 0 % to 100 %');
    found('F[0], fused(B[0], F[1], overlap = ⟦type/dimension:4ms⟧), B[1]', 'a share');
    found('F[0], ⟦type/mismatch:fused(B[0], F[1], over = 40%)⟧, B[1]', 'overlap = 40%');
    found('F[0], ⟦type/mismatch:fused(B[0])⟧, B[1]', '`fused(F[i], B[j])`');
    // Nothing is fused here, so there is no share to differ from.
    checkFindings(
      pipelineOf('schedule mine { row(d) = F[0], fused([], []), fused(B[0], F[1], overlap = 40%), B[1] }', one),
      [],
    );
  });
  it('is named by the export to PyTorch', () => {
    const plan = planOf('F[0], fused(B[0], F[1], overlap = 40%), B[1]');
    expect(notCarried(plan, programFor(plan)).join(' ')).toContain('The overlap of fused operations');
  });
});
