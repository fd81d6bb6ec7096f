import { expect, test } from 'vitest';
import { keepRows } from '../../../engine/basics/packed.ts';
import type { PipelinePlan, RowPlan } from '../../../engine/values/plan.ts';
import { programOfRows } from '../../../engine/schedule/rows.ts';
import { runOf } from '../../support/analyse.ts';

const text = (row: string) => `model m { layer block[4] { forward = 4ms  backward = 8ms  activation = 8MiB } }
device d { memory = 1TiB  host = 25GB/s }
cluster c { gpu[4] = d  link = 100GB/s }
schedule mine {
  row(d) = ${row}
}
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(4)  schedule = mine }
`;

/** A plan of rows that stay one object, and these rows. */
function keptPlan(row: string): { readonly plan: PipelinePlan; readonly rows: readonly RowPlan[] } {
  const { plan } = runOf(text(row));
  if (plan.schedule.kind !== 'rows') throw new Error('The schedule has rows.');
  const { rows } = plan.schedule;
  keepRows(rows);
  return { plan, rows };
}

const gpipe = 'F[0..<microbatches], B[0..<microbatches]';

test('rows that stay the same give one program, whatever stages take and hold', () => {
  const { plan, rows } = keptPlan(gpipe);
  const stages = plan.stages.map((stage) => ({ ...stage, forward: 1, activation: 2 }));
  const [first, second] = [programOfRows(plan, rows), programOfRows({ ...plan, stages }, rows)];
  expect('program' in first && first).toBeTruthy();
  expect('program' in second && 'program' in first && second.program === first.program).toBe(true);
});

test.each<[string, (plan: PipelinePlan) => PipelinePlan]>([
  ['the device of a stage', (plan) => ({ ...plan, placement: [1, 0, 2, 3] })],
  ['microbatches', (plan) => ({ ...plan, microbatches: 16 })],
  ['too few microbatches', (plan) => ({ ...plan, microbatches: 4 })],
  ['iterations', (plan) => ({ ...plan, iterations: 2 })],
  ['devices', (plan) => ({ ...plan, devices: [...plan.devices, ...plan.devices] })],
  ['stages', (plan) => ({ ...plan, stages: [...plan.stages, ...plan.stages] })],
  [
    'copies',
    (plan) => ({
      ...plan,
      stages: plan.stages.map((stage, index) => ({ ...stage, copy: { stage: index, every: 1, first: 0 } })),
    }),
  ],
  ['weights', (plan) => ({ ...plan, schedule: { ...plan.schedule, weights: 'stash' } as PipelinePlan['schedule'] })],
])('the program follows the plan: %s', (_, change) => {
  const { plan, rows } = keptPlan(gpipe);
  const before = programOfRows(plan, rows);
  const changed = change(plan);
  const found = programOfRows(changed, rows);
  // Rows that nobody keeps.
  expect(found).toEqual(programOfRows(changed, rows.slice()));
  expect(found).not.toEqual(before);
});

test('whether a device may evict is asked again, because it follows from what stages recompute', () => {
  const { plan, rows } = keptPlan(
    'each(i in 0..<microbatches, F[i], E[i, to = host]), each(i in 0..<microbatches, L[i], R[i], B[i])',
  );
  const stages = plan.stages.map((stage) => ({ ...stage, recompute: 1, recomputed: 5 }));
  expect(programOfRows(plan, rows)).toHaveProperty('program');
  expect(programOfRows({ ...plan, stages }, rows)).toHaveProperty('faults');
});
