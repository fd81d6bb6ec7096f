import { describe, expect, test } from 'vitest';
import { rowCount } from '../../../engine/sweep/axes.ts';
import { frontOf } from '../../../engine/sweep/front.ts';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { adapted, caseOf, dense, devices, latent, measured, mixture, pipeline } from './spaceCase.ts';
import { runHere } from './sweepCase.ts';

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
    ['adapters', tight('3GiB', devices + adapted + pipeline('lora', 'engine = megatron'))],
  ])('are on no front: %s', (_, text) => {
    const { base, axes } = caseOf(text);
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
