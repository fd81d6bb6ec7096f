import { expect, it } from 'vitest';
import { resolveText } from '../../support/resolve.ts';
import { shapeText } from '../../../webview/view/panels/shape.ts';
import { pipelineOf } from '../sequences/written.ts';

const shapeOf = (schedule: string): string => {
  const [plan] = resolveText(pipelineOf(`schedule mine { ${schedule} }`)).plan.pipelines;
  if (plan === undefined) throw new Error('no plan');
  return shapeText(plan);
};

it('says how many copies there are, and whether they are spare', () => {
  expect(shapeOf('row(d) = F[0..3], B[0..3]')).toBe('2 devices · 4 microbatches');
  expect(shapeOf('on(s, j) = if(mod(j, 2) == 0, s, 1 - s)  order = greedy(prefer = [B, F])')).toBe(
    '2 devices · 4 microbatches · 2 stages × 2 copies',
  );
  expect(
    shapeOf(
      'on(s, j) = [s, mod(s - 1, devices)]  spare = true  row(d) = each(j in 0..3, F[j, stage = d], F[j, stage = mod(d + 1, devices)]), B[0..3, stage = d]',
    ),
  ).toBe('2 devices · 4 microbatches · 2 stages, 2 spare copies');
});
