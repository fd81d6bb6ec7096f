/** Rows that lack operations: what is added, and that every completion is an order that runs. */
import { describe, expect, it } from 'vitest';
import { addedItem } from '../../../engine/schedule/addedItem.ts';
import { type Completion, completionOf } from '../../../engine/schedule/complete.ts';
import { rowNumbers, unpack } from '../../../engine/basics/packed.ts';
import { programOfRows } from '../../../engine/schedule/rows.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { letters } from '../../../engine/values/program.ts';
import type { PipelinePlan, RowPlan } from '../../../engine/values/plan.ts';
import * as fc from '../../support/property.ts';
import { planOf } from '../../support/resolve.ts';
import { pipelineOf } from '../sequences/written.ts';

const planWith = (rows: string, devices = 2, microbatches = 3): PipelinePlan =>
  planOf(pipelineOf(`schedule mine { ${rows} }`, { devices, microbatches }));

/** `F0 B0* F1`: added operations have a star. */
const text = (row: RowPlan): string => {
  const { kinds, microbatches, items } = rowNumbers(row);
  return Array.from(
    kinds,
    (kind, at) => `${letters[kind]}${microbatches[at]}${items[at] === addedItem ? '*' : ''}`,
  ).join(' ');
};

const completed = (rows: string, devices?: number, microbatches?: number): readonly string[] | string => {
  const found = completionOf(planWith(rows, devices, microbatches));
  return found === undefined || found === 'stuck' ? String(found) : found.rows.map(text);
};

describe('a row that lacks operations', () => {
  it('gets them behind what is written, if that takes no longer', () => {
    expect(completed('row(d) = F[0..<microbatches], B[0]')).toEqual(['F0 F1 F2 B0 B1* B2*', 'F0 F1 F2 B0 B1* B2*']);
  });

  it('gets them where its device would idle, if that is faster', () => {
    // Device 0 idles before B0; F2 fills the time. Behind B1, it would come too late.
    const rows = 'row(0) = F[0], F[1], B[0], B[1]  row(1) = F[0], B[0], F[1], B[1], F[2], B[2]';
    expect(completed(rows)).toEqual(['F0 F1 F2* B0 B1 B2*', 'F0 B0 F1 B1 F2 B2']);
  });

  it('gets them behind what is written, if the device that ends last ends no sooner without', () => {
    // Device 1 idles between I0 and I1, but device 0 ends later anyway.
    const whole = 'F[0..1], I[0..1], W[0..1]';
    const rows = `row(0) = ${whole}  row(1) = F[0..1], I[0..1], W[1]  row(2) = zip(F[0..1], I[0..1]), W[0..1]`;
    expect(completed(rows, 3, 2)[1]).toBe('F0 F1 I0 I1 W1 W0*');
  });

  it('gets all of them where it has none', () => {
    expect(completed('row(0) = F[0..2], B[0..2]  row(d) = F[0..<0]')).toEqual([
      'F0 F1 F2 B0 B1 B2',
      'F0* B0* F1* B1* F2* B2*',
    ]);
  });

  it('gets weight gradients where its backwards are split', () => {
    expect(completed('row(d) = F[0..<microbatches], I[0..<microbatches]', 1)).toEqual([
      'F0 F1 F2 I0 I1 I2 W0* W1* W2*',
    ]);
  });

  it('is left alone where it is whole, repeats operations, or waits for itself', () => {
    expect(completed('row(d) = F[0..<microbatches], B[0..<microbatches]')).toBe('undefined');
    expect(completed('row(d) = F[0], F[0], B[0..2]')).toBe('undefined');
    expect(completed('row(0) = F[0..2], B[0..2]  row(1) = B[0], F[0]')).toBe('stuck');
  });

  it('keeps fused pairs together', () => {
    const found = completionOf(planWith('row(d) = F[0], fused(F[1], B[0]), B[1]', 1)) as Completion;
    expect(found.rows.map(text)).toEqual(['F0 F1 B0 B1 F2* B2*']);
    expect([...rowNumbers(found.rows[0]).fused]).toEqual([1]);
  });
});

it('every completion runs, keeps what is written in its order, and adds what is missing', () => {
  let count = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      fc.integer({ min: 0, max: 5 }),
      (devices, microbatches, kept, warm) => {
        // 1F1B with operations left out.
        let next = 0;
        const rows = Array.from({ length: devices }, (_, device) => {
          const ahead = Math.min(microbatches, devices - device + warm);
          const all = [
            ...Array.from({ length: ahead }, (__, j) => `F[${j}]`),
            ...Array.from({ length: microbatches - ahead }, (__, j) => [`B[${j}]`, `F[${ahead + j}]`]).flat(),
            ...Array.from({ length: ahead }, (__, j) => `B[${microbatches - ahead + j}]`),
          ];
          const left = all.filter(() => kept[(next += 1) % kept.length]);
          return `row(${device}) = ${left.length === 0 ? 'F[0..<0]' : left.join(', ')}`;
        }).join('\n');
        const plan = planWith(rows, devices, microbatches);
        const found = completionOf(plan);
        if (found === undefined) return;
        expect(found, rows).not.toBe('stuck');
        if (found === 'stuck') return;
        const made = programOfRows(plan, found.rows);
        expect('program' in made && validate(made.program, plan), rows).toEqual([]);
        const added = found.rows.reduce(
          (sum, { items }) => sum + unpack(items).filter((item) => item === addedItem).length,
          0,
        );
        expect(added).toBe(found.count);
        const { schedule } = plan;
        for (const [device, row] of found.rows.entries())
          expect(
            text(row)
              .split(' ')
              .filter((name) => !name.endsWith('*'))
              .join(' '),
          ).toBe(schedule.kind === 'rows' ? text(schedule.rows[device]) : '');
        count += 1;
      },
    ),
    { numRuns: 100 },
  );
  expect(count).toBeGreaterThan(50);
});
