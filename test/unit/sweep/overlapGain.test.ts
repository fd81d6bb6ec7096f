import { expect, test } from 'vitest';
import { rowOf } from '../../../engine/sweep/axes.ts';
import { evaluateRow } from '../../../engine/sweep/evaluateRow.ts';
import { overlapGain } from '../../../engine/sweep/overlapGain.ts';
import { placeRow } from '../../../engine/sweep/placeRow.ts';
import { sweepBase } from '../../../engine/sweep/base.ts';
import { asWritten } from '../../../engine/sweep/answer.ts';
import { caseOf, dense, devices, pipeline } from './spaceCase.ts';

const of = (engine: string, tensor: string) => {
  const { base, axes } = caseOf(devices + dense() + pipeline('dense', `engine = ${engine}`));
  const first = Object.fromEntries(axes.map(({ key, values }) => [key, values[0]]));
  const settings = { ...first, tensor, pipeline: '1', recompute: 'full' };
  const row = rowOf(axes, settings);
  const placed = placeRow(base, axes, settings);
  const outcome = 'refused' in placed ? undefined : evaluateRow(base, placed, []);
  if (outcome?.kind !== 'ran') throw new Error(`It did not run: ${JSON.stringify(outcome ?? placed)}`);
  return {
    base,
    iteration: outcome.figures.iteration,
    words: overlapGain(base, axes, [{ row, ...outcome.figures }], []),
  };
};

test('the best row says what kernels gain that send while they compute: the same as the file that has them', () => {
  const { base, iteration, words } = of('megatron', '4');
  // Of four pieces three are hidden, in ten of twelve exchanges.
  expect(words).toContain('With `overlap(tensor) = 60%`, for kernels that send while they compute, row ');
  const text = base.file.text
    .replace(
      'data         = 2',
      'data = 2  tensor = 4  sequence_parallel = true  overlap(tensor) = 60%  recompute = full  sync = megatron',
    )
    .replace('balance(4)', 'balance(1)');
  const other = sweepBase({ ...base.file, text }, 'train', []);
  const figures = 'problem' in other ? undefined : asWritten(other);
  const gain = 1 - (figures?.iteration ?? Infinity) / iteration;
  expect(gain).toBeGreaterThan(0.01);
  expect(words).toContain(`${Number((100 * gain).toFixed(1))} % less.`);
});

test('another row of the front is named where it is the faster one then', () => {
  const { base, axes } = caseOf(devices + dense() + pipeline('dense', 'engine = megatron'));
  const first = Object.fromEntries(axes.map(({ key, values }) => [key, values[0]]));
  const rowWith = (tensor: string) => rowOf(axes, { ...first, tensor, pipeline: '1', recompute: 'full' });
  // Of rows that take as long, more tensor ranks hide a larger share of more.
  const words = overlapGain(
    base,
    axes,
    [2, 4].map((tensor) => ({ row: rowWith(String(tensor)), iteration: 60 })),
    [],
  );
  const [two, four] = ['2', '4'].map((tensor) => of('megatron', tensor).words?.match(/takes (\S+ \w+),/u)?.[1]);
  expect(words).toContain(`row ${rowWith('2')} takes ${two}, `);
  expect(words?.includes(`Row ${rowWith('4')} is the faster one then: ${four} with 60%.`)).toBe(
    parseFloat(four ?? '') < parseFloat(two ?? ''),
  );
});

test('nothing is said of one tensor rank, or of an engine that does not run it', () => {
  expect(of('megatron', '1').words).toBeUndefined();
  // DeepSpeed overlaps sums, which sequence parallelism does not have.
  expect(of('deepspeed', '4').words).toBeUndefined();
});
