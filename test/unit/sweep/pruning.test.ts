import { describe, expect, test } from 'vitest';
import { rowCount, settingsOf } from '../../../engine/sweep/axes.ts';
import { frontOf } from '../../../engine/sweep/front.ts';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { sweepSteps } from '../../../engine/sweep/sweep.ts';
import { adapted, caseOf, dense, devices, latent, measured, mixture, pipeline } from './spaceCase.ts';
import { runHere, shaped, sweepCase } from './sweepCase.ts';

describe('rows that are not planned', () => {
  /** On four devices. */
  const tight = (memory: string, text: string) =>
    text
      .replace('memory = 24GiB', `memory = ${memory}`)
      .replace('gpu[4] = card', 'gpu[2] = card')
      .replace('data         = 2', 'data         = 1');
  test.each([
    ['a dense model', tight('4GiB', devices + dense() + pipeline('dense', 'engine = megatron'))],
    ['a dense model that has little room', tight('6GiB', devices + dense() + pipeline('dense', 'engine = torchtitan'))],
    [
      'a head that is tied to the embedding',
      tight('4GiB', devices + dense(', tied = true') + pipeline('dense', 'engine = megatron')),
    ],
    ['experts', tight('3GiB', devices + mixture + pipeline('moe', 'engine = megatron'))],
    ['latent attention', tight('2GiB', devices + latent + pipeline('mla', 'engine = megatron'))],
    ['measured layers', tight('20GiB', devices + measured + pipeline('timed', '', 'none'))],
    ['adapters', tight('3GiB', devices + adapted + pipeline('lora', 'engine = megatron_bridge'))],
  ])('are on no front: %s', (_, text) => {
    const { base, axes: usual } = caseOf(text);
    // Of each key the first and the last value: all of them make a thousand rows.
    const axes = usual.map(({ key, values }) => ({
      key,
      values: key === 'pipeline' ? values : [...new Set([values[0], ...values.slice(-1)])],
    }));
    const all = Array.from({ length: rowCount(axes) }, (_each, row) => outcomeOf(base, axes, row, []));
    const fits = all.flatMap((outcome, row) =>
      outcome.kind === 'ran' && outcome.figures.meets ? [{ row, ...outcome.figures }] : [],
    );
    const found = runHere({ base, axes });
    const front = (rows: typeof fits) =>
      frontOf(rows).map(({ row, iteration, peak, tight }) => ({ row, iteration, peak, tight }));
    expect(fits.length).toBeGreaterThan(0);
    expect(front(found.points.filter(({ meets }) => meets))).toEqual(front(fits));
    const { simulated, ...counts } = found;
    const refused = counts.refused.reduce((sum, { rows }) => sum + rows, 0);
    expect(simulated + counts.over + counts.full + counts.dropped + refused).toBe(rowCount(axes));
    // Fewer are looked at.
    expect(simulated).toBeLessThan(fits.length);
  });
});

test('what a row recomputes is a part of its work: rows that fit without it come first', () => {
  const { base, axes } = caseOf(devices + dense() + pipeline('dense', 'engine = megatron'));
  const rows = Array.from({ length: rowCount(axes) }, (_, row) => row);
  const of = (mode: string) => rows.find((row) => settingsOf(axes, row)['recompute'] === mode) ?? 0;
  const [none, full] = ['none', 'full'].map(of).map((row) => {
    const outcome = outcomeOf(base, axes, row, []);
    return outcome.kind === 'refused' ? undefined : outcome.work;
  });
  // Another forward of the blocks, in addition to a forward and a backward of twice its length.
  for (const figure of ['all', 'computing'] as const) {
    expect((full?.[figure] ?? 0) / (none?.[figure] ?? 1)).toBeGreaterThan(1.25);
    expect((full?.[figure] ?? 0) / (none?.[figure] ?? 1)).toBeLessThan(4 / 3);
  }
});

test('a row whose weights do not fit is not planned if a row with the same weights was', () => {
  const text = shaped.replace('memory = 24GiB', 'memory = 6GiB');
  const { base, axes } = sweepCase(
    'pipeline = [1, 4], tensor = [1, 2], micro_batch = [1, 2], recompute = [none, selective, full]',
    { text },
  );
  const steps = sweepSteps(base, axes);
  const planned: string[] = [];
  let step = steps.next();
  for (; step.done !== true;) {
    const { rows, front } = step.value;
    planned.push(...rows.map((row) => `${settingsOf(axes, row)['pipeline']} ${settingsOf(axes, row)['tensor']}`));
    step = steps.next({ outcomes: rows.map((row) => outcomeOf(base, axes, row, front)) });
  }
  // 735 M parameters with 16 bytes each take 11 GiB, whatever a microbatch is and whatever is recomputed.
  expect(planned.filter((ranks) => ranks === '1 1')).toEqual([]);
  expect(planned.filter((ranks) => ranks === '4 1')).not.toEqual([]);
  expect(step.value.over).toBeGreaterThanOrEqual(6);
});
