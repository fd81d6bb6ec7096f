import { describe, expect, it } from 'vitest';
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { planOf } from '../../support/resolve.ts';
import { fileOf, refused, unasked, type Written } from './file.ts';

/** What an export says of the same pipeline. */
function exported(written: Written): string {
  const plan = planOf(fileOf('pytorch', written));
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error('It does not run.');
  const result = exportTorch(plan, generated.program, false);
  return 'problem' in result ? result.problem : '';
}

describe('PyTorch', () => {
  it.each([
    ['zb_h2', 4],
    ['hanayo(waves = 2)', 16],
    ['zb_v', 8],
    ['interleaved_1f1b(chunks = 2, group = 8)', 8],
  ])('runs any table: %s', (schedule, stages) => {
    const written = { schedule, stages: `balance(${stages})` };
    expect(refused('pytorch', written)).toEqual([]);
    expect(exported(written)).toBe('');
  });

  it('recomputes whole layers and operations, not the modules whose outputs only kernels of Megatron-LM drop', () => {
    for (const mode of ['full', 'full(layers = 2)', 'operations', 'stage'])
      expect(refused('pytorch', { keys: `recompute = ${mode}` }), mode).toEqual([]);
    const [found] = refused('pytorch', { keys: 'recompute = modules(mlp)' });
    expect(found).toContain('a checkpoint of PyTorch keeps the output of its module');
    expect(found).toContain('recompute = operations');
  });

  it.each([
    ['seq1f1b(segments = 2)', 4, 'schedule = 1f1b'],
    ['chimera(pipelines = 2)', 4, 'schedule = 1f1b'],
    ['dualpipe', 8, 'schedule = 1f1b'],
    ['pipedream', 4, 'schedule = 1f1b'],
  ])('says of %s what its export says', (schedule, stages, nearest) => {
    const written = { schedule, stages: `balance(${stages})`, microbatches: 16 };
    const [found] = refused('pytorch', written);
    const said = exported(written);
    expect(said).toContain(`The nearest that it runs is \`${nearest}\``);
    expect(found.toLowerCase()).toBe(`schedule: ${said}.`.toLowerCase());
  });

  it('has no action for recomputation apart, nor for evictions', () => {
    expect(refused('pytorch', { schedule: '1f1b(recompute = ahead)', keys: 'recompute = full' })[0]).toContain(
      'not ahead',
    );
    expect(refused('pytorch', { schedule: 'bpipe' })[0]).toContain('moves activations to other devices');
  });

  it('has receive buffers for every microbatch', () => {
    expect(unasked('pytorch')).toEqual([
      'By default PyTorch has receive buffers for every microbatch, which this file leaves open.',
    ]);
    expect(unasked('pytorch', { keys: 'transfer = buffered' })).toEqual([]);
    expect(unasked('pytorch', { stages: 'balance(1)' })).toEqual([]);
  });

  it('leaves ranks, sharding and recomputation to its user', () => {
    expect(
      refused('pytorch', { keys: 'data = 2  recompute = operations  sync = pace', optimizer: 'adam(shard = zero2)' }),
    ).toEqual([]);
    expect(refused('pytorch', { keys: 'data = 2  collective = trees' })[0]).toContain('`collective = nccl`');
  });
});
