/** Rows that the engine does not run are refused before they are planned: the same rows, in the same words. */
import { describe, expect, test } from 'vitest';
import { rowCount, settingsOf } from '../../../engine/sweep/axes.ts';
import { evaluateRow } from '../../../engine/sweep/evaluateRow.ts';
import { placeRow } from '../../../engine/sweep/placeRow.ts';
import { shardWords, withoutShards } from '../../../engine/sweep/shardText.ts';
import { caseOf, dense, devices, pipeline } from './spaceCase.ts';

const small = (engine: string, optimizer: string): string =>
  (devices + dense() + pipeline('dense', `engine = ${engine}`, optimizer))
    .replace('gpu[4] = card', 'gpu[2] = card')
    .replace('data         = 2', 'data         = 1')
    .replace('global_batch = 16', 'global_batch = 8');

describe.each([
  ['megatron', 'megatron_bf16', /interleaves groups of 4 microbatches or more/],
  ['torchtitan', 'adamw', /keep gathered weights and whole gradients/],
  ['deepspeed', 'adam_mixed(shard = zero3)', /shards only the state of the optimizer/],
])('%s', (engine, optimizer, reason) => {
  const { base, axes } = caseOf(small(engine, optimizer));
  const { engine: _, ...anyBase } = base;
  const rows = Array.from({ length: rowCount(axes) }, (_each, row) => {
    const settings = settingsOf(axes, row);
    return { row, settings, placed: placeRow(base, axes, settings), any: placeRow(anyBase, axes, settings) };
  });

  test('a row that is refused for the engine is refused with a plan, too', () => {
    const early = rows.flatMap(({ placed, any }) =>
      'refused' in placed && !('refused' in any) ? [{ words: placed.refused, any }] : [],
    );
    expect(early.some(({ words }) => reason.test(words))).toBe(true);
    for (const { words, any } of early.slice(0, 12)) {
      const planned = evaluateRow(base, any, []);
      expect(planned).toMatchObject({ kind: 'refused', code: 'engine/unsupported' });
      expect(planned.kind === 'refused' ? planned.message : '').toContain(words.slice(1));
    }
  });

  test('and no other row of the space', () => {
    const placed = rows.flatMap(({ placed: each }) => ('refused' in each ? [] : [each]));
    const outcomes = placed.filter((_each, at) => at % 7 === 0).map((row) => evaluateRow(base, row, []));
    expect(outcomes.length).toBeGreaterThan(3);
    expect(outcomes.filter((outcome) => outcome.kind === 'refused')).toEqual([]);
  });
});

test('a shard on one data rank is the same as another row', () => {
  const { base, axes } = caseOf(small('torchtitan', 'adamw(clip = true)'));
  const optimizers = axes.find(({ key }) => key === 'optimizer')?.values ?? [];
  const refusals = (lone: boolean) =>
    optimizers.map((optimizer) => {
      const settings = { ...settingsOf(axes, 0), tensor: lone ? '4' : '1', pipeline: '1', optimizer };
      const placed = placeRow(base, axes, settings);
      return 'refused' in placed ? placed.refused : '';
    });
  const same = 'a shard has no effect on one data rank: it is the same as another row';
  expect(refusals(true)).toEqual(optimizers.map((_, at) => (at === 0 ? '' : same)));
  expect(refusals(false)).not.toContain(same);
});

test.each([
  ['adamw(shard = fsdp, reshard = false, clip = true)', 'adamw(clip = true)', { shard: 'fsdp', reshard: 'false' }],
  ['adamw(clip = true, shard = fsdp, over = 4)', 'adamw(clip = true)', { shard: 'fsdp', over: '4' }],
  ['adamw(shard = zero1)', 'adamw', { shard: 'zero1' }],
  ['adamw', 'adamw', {}],
])('%s without its shard is %s', (written, alone, words) => {
  expect(withoutShards(written)).toBe(alone);
  expect(shardWords(written)).toEqual(words);
});

test('one pipeline rank is not interleaved where a schedule without chunks is searched, too', () => {
  const { base, axes } = caseOf(devices + dense() + pipeline('dense'));
  const placed = (schedule: string, ranks: string, schedules: readonly string[]) => {
    const searched = axes.map((axis) => (axis.key === 'schedule' ? { ...axis, values: schedules } : axis));
    const found = placeRow(base, searched, { ...settingsOf(axes, 0), schedule, pipeline: ranks });
    return 'refused' in found ? found.refused : '';
  };
  const refused = 'one pipeline rank has nothing to interleave: a schedule without chunks is as fast';
  for (const schedule of ['interleaved_1f1b', 'zb_v']) {
    expect(placed(schedule, '1', ['1f1b', schedule])).toBe(refused);
    expect(placed(schedule, '1', [schedule])).toBe('');
    expect(placed(schedule, '2', ['1f1b', schedule])).toBe('');
  }
  expect(placed('1f1b', '1', ['1f1b', 'zb_v'])).toBe('');
});
