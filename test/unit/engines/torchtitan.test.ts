import { describe, expect, it } from 'vitest';
import { planOf } from '../../support/resolve.ts';
import { experts, fileOf, halves, refused, unasked, type Written } from './file.ts';

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
    ['FSDP', { keys: 'data = 2', optimizer: 'adamw(shard = fsdp, reshard = false)' }],
    ['HSDP', { keys: 'data = 4', optimizer: 'adamw(shard = zero3, over = 2, reshard = false)' }],
    ['FSDP without pipelines', { stages: 'balance(1)', keys: 'data = 2', optimizer: 'adamw(shard = fsdp)' }],
    ['shards of one rank', { optimizer: 'adamw(shard = fsdp)' }],
    ['replicas of 16 bits', { keys: 'data = 2', optimizer: 'adam_bf16' }],
    ['one rank', { stages: 'balance(1)', keys: 'data = 2', optimizer: 'adamw(shard = fsdp)' }],
    ['replicas', { keys: 'data = 2  sync = ddp', optimizer: 'adamw' }],
    ['full recomputation', { keys: 'recompute = full' }],
    ['its selective recomputation', { keys: 'recompute = operations' }],
    ['a memory budget', { keys: 'recompute = budget(50%)' }],
    ['context ranks', { keys: 'context = 2', optimizer: 'adamw(shard = fsdp, reshard = false)' }],
    [
      'experts over tensor ranks',
      { model: experts, keys: 'tensor = 2  sequence_parallel = true  expert = 2  expert_tensor = 1' },
    ],
  ];
  it.each(runs)('runs: %s', (_, written) => {
    expect(refused('torchtitan', written)).toEqual([]);
  });

  const refuses: readonly (readonly [string, Written, string])[] = [
    ['optimizer', { keys: 'data = 2', optimizer: 'adamw(shard = zero1)' }, '`shard = fsdp`'],
    // stage.py: backward_maybe_with_nosync sets set_requires_gradient_sync(False) until the last backward.
    ['optimizer', { keys: 'data = 2', optimizer: 'adamw(shard = fsdp)' }, '`reshard = false`'],
    ['optimizer', { keys: 'context = 2', optimizer: 'adamw(shard = zero3)' }, '`reshard = false`'],
    ['optimizer', { keys: 'data = 2', optimizer: 'adamw(shard = zero2)' }, '`shard = fsdp`'],
    ['optimizer', { optimizer: 'megatron_bf16(clip = true)' }, '`optimizer = adamw(clip = true)`'],
    ['optimizer', { keys: 'context = 2', optimizer: 'adamw' }, 'among context ranks'],
    ['recompute', { stages: halves }, '`recompute = full` and `recompute = none`'],
    ['schedule', { stages: 'balance(1)', schedule: 'gpipe' }, 'before the next forward'],
    [
      'context_exchange',
      {
        keys: 'context = 2  context_exchange = all_to_all',
        optimizer: 'adamw(shard = fsdp, reshard = false)',
      },
      '`context_exchange = all_gather`',
    ],
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
    expect(unasked('torchtitan', { keys: 'data = 2  tensor = 2', optimizer: 'adamw' })).toEqual([
      'By default torchtitan shards over all data and context ranks, clips gradients by their norm and uses sequence parallelism with tensor ranks, which this file leaves open.',
    ]);
    // Without a pipeline, groups reduce in each of several steps of accumulation.
    const grouped = { keys: 'data = 4', stages: 'balance(1)', optimizer: 'adamw(shard = fsdp, over = 2, clip = true)' };
    expect(unasked('torchtitan', grouped)).toEqual([
      'By default torchtitan reduces gradients among groups after each backward, which this file leaves open.',
    ]);
    for (const optimizer of ['over = 2, clip = true, gradient_sync = scatter', 'over = 4, clip = true'])
      expect(unasked('torchtitan', { ...grouped, optimizer: `adamw(shard = fsdp, ${optimizer})` })).toEqual([]);
    const said = 'adamw(shard = none, clip = false)';
    expect(unasked('torchtitan', { keys: 'data = 2  tensor = 2  sequence = false', optimizer: said })).toEqual([]);
    expect(unasked('torchtitan', { optimizer: 'none(clip = false)' })).toEqual([]);
    // parallel_dims.py: a mesh of one rank is wrapped too, for its mixed precision.
    expect(unasked('torchtitan', { optimizer: 'adamw(clip = true)' })).toEqual([
      'By default torchtitan wraps layers in FSDP on one data rank too (copies of weights and gradients), which this file leaves open.',
    ]);
  });
});

describe('the loss of torchtitan', () => {
  const layers =
    'layer embed = embedding(vocab = 128000, hidden = 4096, dropout = false)  layer block[4] = transformer(hidden = 4096, heads = 32, flash = true, dropout = false)  layer out = lm_head(vocab = 128000, hidden = 4096)';
  const written = (loss = ''): Written => ({
    stages: 'balance(2)',
    keys: 'data = 2',
    optimizer: 'adamw(shard = fsdp, reshard = false, clip = true)',
    model: `${layers}  ${loss}`,
  });
  const last = (engine: string, loss?: string) => {
    const stage = planOf(fileOf(engine, written(loss))).stages.at(-1);
    return (stage?.activation ?? 0) + (stage?.workspace ?? 0);
  };

  it('is computed in 8 chunks where the file leaves it open, as the hint says', () => {
    const tokens = 4096;
    // Eager: 2 + 4 bytes of a logit stay and 8 more are held; in chunks an eighth of these, and a gradient of the input in 2 + 2 bytes.
    const eager = tokens * 128000 * 14;
    const chunked = eager / 8 + tokens * 4096 * 4;
    expect(last('any') - last('torchtitan')).toBe(eager - chunked);
    expect(last('torchtitan')).toBe(last('any', 'loss = chunked(8)'));
    expect(last('torchtitan', 'loss = eager')).toBe(last('any'));
    expect(unasked('torchtitan', written())).toEqual([
      'By default torchtitan computes the loss in 8 chunks, which this file leaves open.',
    ]);
    expect(unasked('torchtitan', written('loss = chunked(4)'))).toEqual([]);
  });

  it('is none that keeps gradients in the place of the logits', () => {
    expect(refused('torchtitan', written('loss = fused'))[0]).toContain(
      'The nearest that it runs is `loss = chunked(8)`',
    );
    for (const loss of ['eager', 'compiled', 'chunked(2)'])
      expect(refused('torchtitan', written(`loss = ${loss}`))).toEqual([]);
  });

  it('is the one of Megatron under Megatron, also where data ranks share the weights', () => {
    expect(last('megatron')).toBe(last('any', 'loss = parallel'));
    expect(refused('megatron', written('loss = fused'))[0]).toContain('The nearest that it runs is `loss = parallel`');
    expect(refused('megatron_bridge', written('loss = fused')).filter((each) => each.includes('loss'))).toEqual([]);
  });

  it.each([
    'megatron_bf16',
    'megatron_fp16',
    'megatron_fp8',
    'megatron_fp4',
    'megatron_bf16(main_grads = bf16, ',
    'megatron_sgd',
  ])('is the one of Megatron with %s, whatever data ranks share', (recipe) => {
    const optimizer = `${recipe.includes('(') ? recipe : `${recipe}(`}shard = fsdp, reshard = false)`;
    const held = (loss = '', engine = 'any'): number => {
      const stage = planOf(fileOf(engine, { ...written(loss), optimizer })).stages.at(-1);
      return (stage?.activation ?? 0) + (stage?.workspace ?? 0);
    };
    expect(held()).toBe(held('loss = parallel'));
    // 14 bytes of each of 4096 · 128000 logits where the engine says so, 6 of Megatron-LM.
    expect(held('', 'pytorch') - held()).toBe(8 * 4096 * 128000);
  });

  it('is step by step under PyTorch and DeepSpeed, also where nothing is shared', () => {
    const alone = (engine: string, loss = ''): number => {
      const optimizer = 'adamw(clip = true)';
      const stage = planOf(fileOf(engine, { stages: 'balance(2)', optimizer, model: `${layers}  ${loss}` })).stages.at(
        -1,
      );
      return (stage?.activation ?? 0) + (stage?.workspace ?? 0);
    };
    expect(alone('any')).toBe(alone('any', 'loss = parallel'));
    for (const engine of ['pytorch', 'deepspeed']) expect(alone(engine)).toBe(alone('any', 'loss = eager'));
  });
});
