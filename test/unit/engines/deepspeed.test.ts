import { describe, expect, it } from 'vitest';
import { experts, halves, refused, unasked, type Written } from './file.ts';

describe('DeepSpeed', () => {
  const runs: readonly (readonly [string, Written])[] = [
    ['1F1B', {}],
    ['steps of accumulation on one device', { stages: 'balance(1)' }],
    ['one microbatch in any order', { stages: 'balance(1)', schedule: 'gpipe', microbatches: 1 }],
    ['ZeRO-1 with pipelines', { keys: 'data = 2', optimizer: 'deepspeed_bf16(shard = zero1)' }],
    ['sums in 16 bits', { keys: 'data = 2', optimizer: 'adam_mixed(shard = zero1)' }],
    ['ZeRO-3 without', { stages: 'balance(1)', keys: 'data = 2', optimizer: 'adam_mixed(shard = zero3)' }],
    ['an interval of layers', { keys: 'recompute = full(layers = 2, method = uniform)' }],
    ['an interval that is the stage', { keys: 'recompute = stage' }],
    ['Ulysses without pipelines', { stages: 'balance(1)', keys: 'context = 2  context_exchange = all_to_all' }],
    ['sums over tensor ranks while it computes', { keys: 'tensor = 2  overlap(tensor) = 50%' }],
    ['overlap without pipelines', { stages: 'balance(1)', keys: 'data = 2  sync = overlap' }],
  ];
  it.each(runs)('runs: %s', (_, written) => {
    expect(refused('deepspeed', written)).toEqual([]);
  });

  const refuses: readonly (readonly [string, Written, string])[] = [
    ['schedule', { schedule: 'zb_h1' }, '`schedule = 1f1b`'],
    ['schedule', { schedule: 'interleaved_1f1b(chunks = 2)', stages: 'balance(8)' }, '`schedule = 1f1b`'],
    // A gradient is added to the sum before the next forward.
    ['schedule', { stages: 'balance(1)', schedule: 'gpipe' }, 'before the next forward'],
    [
      'optimizer',
      { keys: 'data = 2', optimizer: 'megatron_bf16(shard = zero1)' },
      '`optimizer = deepspeed_bf16(shard = zero1)`',
    ],
    // engine.py, _do_optimizer_sanity_check: without ZeRO, sums of gradients in fp32 are an "unsupported mix" with bf16.
    ['optimizer', { keys: 'data = 2', optimizer: 'deepspeed_bf16' }, '`shard = zero1`'],
    [
      'optimizer',
      { stages: 'balance(1)', keys: 'data = 4', optimizer: 'adam_mixed(shard = zero2, over = 2)' },
      'under ZeRO-3 only',
    ],
    ['recompute', { stages: halves }, '`recompute = full` and `recompute = none`'],
    // engine.py: "ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism".
    ['optimizer', { keys: 'data = 2', optimizer: 'deepspeed_bf16(shard = zero2)' }, '`shard = zero1`'],
    ['optimizer', { keys: 'data = 2', optimizer: 'deepspeed_bf16(shard = fsdp)' }, '`shard = zero1`'],
    ['context', { keys: 'context = 2  context_exchange = all_to_all' }, '`context = 1`'],
    ['context', { stages: 'balance(1)', keys: 'context = 2' }, '`context_exchange = all_to_all`'],
    [
      'expert_tensor',
      { stages: 'balance(1)', model: experts, keys: 'tensor = 4  sequence_parallel = true  expert_tensor = 2' },
      '`expert_tensor = 1`',
    ],
    ['recompute', { keys: 'recompute = selective' }, '`recompute = full`'],
    ['recompute', { keys: 'recompute = full(layers = 2)' }, '`recompute = full`'],
    ['offload', { keys: 'offload = activations(layers = 2)' }, 'no `offload`'],
    [
      'overlap',
      { keys: 'tensor = 2  sequence_parallel = true  overlap(tensor) = 50%' },
      'sequence parallelism has none',
    ],
    ['sync', { keys: 'data = 2  sync = overlap' }, '`sync = end`'],
    ['collective', { keys: 'data = 2  collective = ps' }, '`collective = nccl`'],
  ];
  it.each(refuses)('does not run %s: %o', (key, written, words) => {
    const found = refused('deepspeed', written);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${key}: `));
    expect(found[0]).toContain(words);
  });

  it('clips, and gives every stage the same ranks', () => {
    expect(unasked('deepspeed', { optimizer: 'deepspeed_bf16' })).toEqual([
      'By default DeepSpeed clips gradients by their norm, which this file leaves open.',
    ]);
  });
});
