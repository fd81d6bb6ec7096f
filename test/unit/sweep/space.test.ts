import { describe, expect, test } from 'vitest';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { searchBlock } from '../../../engine/sweep/space/block.ts';
import { emptyProblem, type Space } from '../../../engine/sweep/space/space.ts';
import { check } from '../../../engine/flow/check.ts';
import { caseOf, dense, devices, latent, measured, mixture, pipeline } from './spaceCase.ts';
import { sweepCase } from './sweepCase.ts';

const valuesOf = ({ axes }: Pick<Space, 'axes'>): Readonly<Record<string, string>> =>
  Object.fromEntries(axes.map(({ key, values }) => [key, values.join()]));
const whyOf = ({ leftOut }: Space, what: string): string | undefined => leftOut.find((each) => each.what === what)?.why;

describe('the space of a pipeline without a search', () => {
  test('of a dense model: ranks that divide devices, heads and tokens, and what common engines run', () => {
    const { space } = caseOf(devices + dense() + pipeline('dense'));
    expect(valuesOf(space)).toEqual({
      tensor: '1,2,4',
      sequence_parallel: 'true',
      pipeline: '1,2,4,8',
      context: '1,2',
      micro_batch: '1,2,4',
      schedule: '1f1b,interleaved_1f1b,zb_v',
      chunks: '3',
      recompute: 'none,full',
      optimizer: 'adam_mixed,adam_mixed(shard = zero1),adam_mixed(shard = fsdp)',
    });
    expect(whyOf(space, 'tensor over 4')).toBe('tensor ranks stay in a node, which has 4 devices');
    expect(whyOf(space, 'recompute selective')).toBe('the same as none, since no attention keeps its scores');
    expect(whyOf(space, 'chunks 2')).toContain('neither the 14 layers nor the 12 of the longest array divide');
  });

  test('selective recomputation is searched where attention keeps scores, and is the same as none elsewhere', () => {
    const plain = caseOf(devices + dense('', 'heads = 12') + pipeline('dense'));
    expect(valuesOf(plain.space)['recompute']).toBe('none,selective,full');
    const flash = sweepCase('recompute = [none, selective]', { text: devices + dense() + pipeline('dense') });
    const figures = [0, 1].map((row) => {
      const outcome = outcomeOf(flash.base, flash.axes, row, []);
      // Fewer engines have the word.
      return outcome.kind === 'ran' ? { ...outcome.figures, runs_on: [] } : undefined;
    });
    expect(figures[0]).toBeDefined();
    expect(figures[1]).toEqual(figures[0]);
  });

  test('of experts: expert ranks that divide them, each expert whole', () => {
    for (const [model, name] of [
      [mixture, 'moe'],
      [latent, 'mla'],
    ]) {
      const { space } = caseOf(devices + model + pipeline(name));
      expect(valuesOf(space)).toMatchObject({ expert: '1,2,4,8', expert_tensor: '1', sequence_parallel: 'true' });
      expect(valuesOf(space)['context']).toBeUndefined();
    }
  });

  test('of measured layers: neither tensor nor context ranks, nor other microbatches', () => {
    const { space } = caseOf(devices + measured + pipeline('timed', '', 'none'));
    expect(Object.keys(valuesOf(space))).toEqual(['pipeline', 'schedule', 'chunks', 'recompute']);
    expect(whyOf(space, 'micro_batch')).toBe('measured layers have their times for microbatches of 1');
    expect(whyOf(space, 'sharding')).toBe('the optimizer "none" has no shards');
  });

  test.each([
    ['megatron', { schedule: '1f1b,interleaved_1f1b', optimizer: 'adam_mixed,adam_mixed(shard = distributed)' }],
    [
      'deepspeed',
      {
        recompute: 'none,full',
        optimizer: 'adam_mixed,adam_mixed(shard = zero1),adam_mixed(shard = zero3)',
      },
    ],
    [
      'torchtitan',
      {
        recompute: 'none,operations,full',
        optimizer: 'adam_mixed,adam_mixed(shard = fsdp),adam_mixed(shard = fsdp, reshard = false)',
      },
    ],
  ])('of an engine: what %s runs', (engine, expected) => {
    const { space } = caseOf(devices + dense() + pipeline('dense', `engine = ${engine}`));
    expect(valuesOf(space)).toMatchObject(expected);
    if (engine === 'deepspeed')
      expect(Object.keys(valuesOf(space))).not.toEqual(expect.arrayContaining(['context', 'schedule']));
  });

  test('values of the file are in it, and what it says of sequence parallelism stays', () => {
    const text =
      devices +
      dense() +
      pipeline('dense', 'sequence_parallel = false', 'adam_mixed(shard = zero2)').replace(
        'schedule     = 1f1b',
        'schedule = gpipe',
      );
    const { space } = caseOf(text);
    expect(valuesOf(space)).toMatchObject({
      schedule: 'gpipe,1f1b,interleaved_1f1b,zb_v',
      optimizer: 'adam_mixed(shard = zero2),adam_mixed(shard = zero1),adam_mixed(shard = fsdp)',
    });
    expect(valuesOf(space)['sequence_parallel']).toBeUndefined();
  });

  test('a planner and blocks with more than layers keep their stages; without anything else there is nothing to search', () => {
    const planned = caseOf(
      devices + dense() + pipeline('dense').replace('balance(4)', 'plan(pipedream)').replace('data         = 2\n', ''),
    );
    expect(Object.keys(valuesOf(planned.space))).toEqual(['micro_batch', 'recompute', 'optimizer']);
    expect(whyOf(planned.space, 'ranks and stages')).toContain('the planner of "stages = plan(pipedream)"');
    expect(emptyProblem('train', planned.space)).toBeUndefined();
    expect(
      emptyProblem('train', { axes: [], leftOut: [{ what: 'sharding', why: 'the pipeline names no optimizer' }] }),
    ).toBe('There is nothing to search in "train": sharding (the pipeline names no optimizer).');
  });

  test('is a block that a file can have, with the same rows', () => {
    const text = devices + mixture + pipeline('moe', 'engine = torchtitan');
    const { base, axes } = caseOf(text);
    const whole = `${text}${searchBlock('train', axes)}\n`;
    const { resolution } = check({ ...base.file, text: whole });
    expect(resolution.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(resolution.searches[0].axes).toEqual(axes);
  });
});
