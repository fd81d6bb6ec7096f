import { describe, expect, it } from 'vitest';
import { refused, unasked, type Written, experts } from './file.ts';

describe('orders of torchtitan', () => {
  // pipeline_parallel.py, `_get_pp_rank_to_stage_indices_mapping`: rank + s · p, or pairs (i, 2p − 1 − i).
  it.each([
    ['1f1b', 4],
    ['gpipe', 4],
    ['zb_h1', 4],
    ['interleaved_1f1b(chunks = 2)', 8],
    ['interleaved_zb(chunks = 3)', 12],
    ['breadth_first(chunks = 2)', 8],
    ['zb_v', 8],
    ['v_half', 8],
    ['v_min', 8],
    ['1f1b_v', 8],
    ['dualpipe_v', 8],
    ['hanayo(waves = 1)', 8],
  ])('are loops and Vs: %s', (schedule, stages) => {
    expect(refused('torchtitan', { schedule, stages: `balance(${stages})`, microbatches: 8 })).toEqual([]);
  });

  it.each([
    ['hanayo(waves = 2)', 16, 'puts them elsewhere'],
    ['seq1f1b(segments = 2)', 4, 'computes the sequence in 2 segments'],
    ['chimera(pipelines = 2)', 4, 'has copies on 2 devices'],
    ['dualpipe', 8, 'has copies on 2 devices'],
    ['bpipe', 4, 'moves activations to other devices'],
  ])('are no others: %s', (schedule, stages, words) => {
    const written = { schedule, stages: `balance(${stages})`, microbatches: 16 };
    expect(refused('torchtitan', written)).toHaveLength(1);
    expect(refused('torchtitan', written)[0]).toContain(words);
  });
});

describe('the rest under torchtitan', () => {
  const runs: readonly (readonly [string, Written])[] = [
    ['FSDP', { keys: 'data = 2', optimizer: 'adam_mixed(shard = fsdp, reshard = false)' }],
    ['HSDP', { keys: 'data = 4', optimizer: 'adam_mixed(shard = zero3, over = 2, reshard = false)' }],
    ['FSDP without pipelines', { stages: 'balance(1)', keys: 'data = 2', optimizer: 'adam_mixed(shard = fsdp)' }],
    ['shards of one rank', { optimizer: 'adam_mixed(shard = fsdp)' }],
    ['replicas', { keys: 'data = 2  sync = ddp', optimizer: 'adam_mixed' }],
    ['full recomputation', { keys: 'recompute = full' }],
    ['its selective recomputation', { keys: 'recompute = operations' }],
    ['context ranks', { keys: 'context = 2' }],
    [
      'experts over tensor ranks',
      { model: experts, keys: 'tensor = 2  sequence_parallel = true  expert = 2  expert_tensor = 1' },
    ],
  ];
  it.each(runs)('runs: %s', (_, written) => {
    expect(refused('torchtitan', written)).toEqual([]);
  });

  const refuses: readonly (readonly [string, Written, string])[] = [
    ['optimizer', { keys: 'data = 2', optimizer: 'adam_mixed(shard = zero1)' }, '`shard = fsdp`'],
    // stage.py: backward_maybe_with_nosync sets set_requires_gradient_sync(False) until the last backward.
    ['optimizer', { keys: 'data = 2', optimizer: 'adam_mixed(shard = fsdp)' }, '`reshard = false`'],
    ['optimizer', { keys: 'context = 2', optimizer: 'adam_mixed(shard = zero3)' }, '`reshard = false`'],
    ['optimizer', { keys: 'data = 2', optimizer: 'adam_mixed(shard = zero2)' }, '`shard = fsdp`'],
    ['context_exchange', { keys: 'context = 2  context_exchange = all_to_all' }, '`context_exchange = ring`'],
    ['expert_tensor', { model: experts, keys: 'tensor = 2  sequence_parallel = true' }, '`expert_tensor = 1`'],
    ['recompute', { keys: 'recompute = selective' }, '`recompute = operations`'],
    ['recompute', { keys: 'recompute = modules(mlp)' }, '`recompute = operations`'],
    ['recompute', { keys: 'recompute = full(layers = 2)' }, '`recompute = full`'],
    ['offload', { keys: 'offload = activations(layers = 2)' }, 'no `offload`'],
    ['sync', { keys: 'data = 2  sync = megatron' }, '`sync = overlap`'],
    ['rank_order', { keys: 'data = 2  rank_order = tp_cp_pp_dp' }, '`rank_order = tp_cp_dp_pp`'],
    ['collective', { keys: 'data = 2  collective = blueconnect' }, '`collective = nccl`'],
    [
      'model',
      { model: 'precision = fp16  layer block[32] = transformer(hidden = 4096, heads = 32, ffn = 16384)' },
      'not in fp16',
    ],
  ];
  it.each(refuses)('does not run %s: %o', (key, written, words) => {
    const found = refused('torchtitan', written);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${key}: `));
    expect(found[0]).toContain(words);
  });

  it('shards, clips and splits sequences unless told otherwise', () => {
    expect(unasked('torchtitan', { keys: 'data = 2  tensor = 2', optimizer: 'adam_mixed' })).toEqual([
      'By default torchtitan shards over all data and context ranks, clips gradients by their norm and uses sequence parallelism with tensor ranks, which this file leaves open.',
    ]);
    const said = 'adam_mixed(shard = none, clip = false)';
    expect(unasked('torchtitan', { keys: 'data = 2  tensor = 2  sequence = false', optimizer: said })).toEqual([]);
    expect(unasked('torchtitan', { optimizer: 'none(clip = false)' })).toEqual([]);
  });
});
