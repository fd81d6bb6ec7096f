import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../../engine/sweep/axes.ts';
import { evaluateRow } from '../../../engine/sweep/evaluateRow.ts';
import { placeRow } from '../../../engine/sweep/placeRow.ts';
import { rowText } from '../../../engine/sweep/rowText.ts';
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
      sync: 'overlap',
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

  test.each([
    ['megatron', 'none,selective,full', undefined],
    // A checkpoint of PyTorch may keep the results of chosen operations: that is its selective recomputation, and torchtitan's.
    ['pytorch', 'none,operations,full', '`operations` is the selective mode of PyTorch'],
    ['torchtitan', 'none,operations,full', '`operations` is the selective mode of torchtitan'],
    ['deepspeed', 'none,full', 'DeepSpeed does not run it'],
  ])('selective recomputation has the word of the engine: %s', (engine, values, why) => {
    const { space } = caseOf(devices + dense('', 'heads = 12') + pipeline('dense', `engine = ${engine}`));
    expect(valuesOf(space)['recompute']).toBe(values);
    expect(whyOf(space, 'recompute selective')).toBe(why);
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
    expect(Object.keys(valuesOf(space))).toEqual(['pipeline', 'schedule', 'chunks', 'recompute', 'sync']);
    expect(whyOf(space, 'micro_batch')).toBe('measured layers have their times for microbatches of 1');
    expect(whyOf(space, 'sharding')).toBe('the optimizer "none" has no shards');
  });

  test.each([
    [
      'megatron',
      {
        schedule: '1f1b,interleaved_1f1b',
        recompute: 'none,full',
        optimizer: 'adam_mixed,adam_mixed(shard = distributed)',
      },
    ],
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
        optimizer: 'adamw,adamw(shard = fsdp),adamw(shard = fsdp, reshard = false)',
      },
    ],
  ])('of an engine: what %s runs', (engine, expected) => {
    const { space } = caseOf(devices + dense() + pipeline('dense', `engine = ${engine}`));
    expect(valuesOf(space)).toMatchObject(expected);
    if (engine === 'deepspeed')
      expect(Object.keys(valuesOf(space))).not.toEqual(expect.arrayContaining(['context', 'schedule']));
  });

  test.each([
    ['experts', mixture, 'moe', 'none,full,modules(layernorm, moe_act)'],
    ['latent attention', latent.replace(/, experts = [^)]*/, ''), 'mla', 'none,full,modules(layernorm)'],
  ])('norms are recomputed where they are modules of their own: %s', (_, model, name, modes) => {
    const space = (engine: string) => valuesOf(caseOf(devices + model + pipeline(name, `engine = ${engine}`)).space);
    expect(space('megatron')['recompute']).toBe(modes);
    expect(space('torchtitan')['recompute']).not.toContain('modules');
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

describe('gradients are exchanged during the last backwards', () => {
  const of = (more: string, optimizer?: string) => caseOf(devices + dense() + pipeline('dense', more, optimizer));

  test('as the engine of the file does it, unless the file says it', () => {
    expect(valuesOf(of('engine = megatron').space)['sync']).toBe('megatron');
    expect(valuesOf(of('engine = torchtitan').space)['sync']).toBe('overlap');
    expect(whyOf(of('engine = deepspeed').space, 'sync')).toContain('DeepSpeed reduces gradients after the last step');
    expect(valuesOf(of('sync = end').space)['sync']).toBeUndefined();
  });

  test('which no row is slower with, and most are faster', () => {
    const { base } = of('', 'megatron_bf16(shard = distributed)');
    const axes = [
      { key: 'tensor', values: ['1', '2'] },
      { key: 'pipeline', values: ['1', '2', '4'] },
      { key: 'schedule', values: ['1f1b', 'zb_v'] },
    ];
    let faster = 0;
    for (let row = 0; row < 12; row += 1) {
      const iteration = (sync: string): number => {
        const placed = placeRow(base, [...axes, { key: 'sync', values: [sync] }], { ...settingsOf(axes, row), sync });
        const outcome = 'refused' in placed ? undefined : evaluateRow(base, placed, []);
        return outcome?.kind === 'ran' ? outcome.figures.iteration : Infinity;
      };
      expect(iteration('overlap')).toBeLessThanOrEqual(iteration('end') * (1 + 1e-9));
      if (iteration('overlap') < iteration('end')) faster += 1;
    }
    expect(faster).toBeGreaterThan(4);
  });
});

test('a row with one tensor rank or one data rank says nothing of them, though the file does', () => {
  const { base } = caseOf(
    devices + dense() + pipeline('dense', 'tensor = 2\n  sequence_parallel = true\n  sync = overlap'),
  );
  const textOf = (tensor: string, ranks: string): string => {
    const axes = [
      { key: 'tensor', values: [tensor] },
      { key: 'pipeline', values: [ranks] },
    ];
    const placed = placeRow(base, axes, { tensor, pipeline: ranks });
    const written = 'refused' in placed ? placed : rowText(base, placed);
    return 'refused' in written ? written.refused : written.text;
  };
  expect(textOf('1', '2')).not.toContain('sequence_parallel');
  expect(textOf('1', '2')).toContain('sync = overlap');
  expect(textOf('2', '4')).toContain('sequence_parallel = true');
  expect(textOf('2', '4')).not.toContain('sync');
});
