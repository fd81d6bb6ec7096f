import { describe, expect, it } from 'vitest';
import { megatron } from '../../../engine/engines/megatron.ts';
import { orderRefusals } from '../../../engine/engines/registry.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { policy, recipePlan } from '../support/plans.ts';
import { resolveText } from '../../support/resolve.ts';
import { inFlightOf, programFor, rowsOf } from '../schedule/bruteForce.ts';
import { experts, fileOf, refused, unasked, type Written } from './file.ts';

describe('orders of Megatron', () => {
  it.each([
    ['1f1b', { schedule: '1f1b' }],
    ['chunks', { schedule: 'interleaved_1f1b(chunks = 2)', stages: 'balance(8)' }],
    ['one device', { stages: 'balance(1)' }],
  ] as const)('are 1F1B and interleaved: %s', (_, written) => {
    expect(refused('megatron', written)).toEqual([]);
  });

  it.each([
    ['zb_h1', 'balance(4)', 'schedule = 1f1b'],
    ['gpipe', 'balance(4)', 'schedule = 1f1b'],
    ['zb_v', 'balance(8)', 'schedule = interleaved_1f1b(chunks = 2)'],
    ['seq1f1b(segments = 2)', 'balance(4)', 'schedule = 1f1b'],
    ['chimera(pipelines = 2)', 'balance(4)', 'schedule = 1f1b'],
  ])('are no others: %s', (schedule, stages, nearest) => {
    const [only, ...more] = refused('megatron', { schedule, stages });
    expect(more).toEqual([]);
    expect(only).toContain(`Megatron runs \`1f1b\` and \`interleaved_1f1b\`, not \`${schedule.split('(')[0]}\``);
    expect(only).toContain(`The nearest that it runs is \`${nearest}\`.`);
  });

  it('are none of a file', () => {
    const before = 'schedule mine { row(d) = zip(F[0..<microbatches], B[0..<microbatches]) }';
    expect(refused('megatron', { before, schedule: 'mine', stages: 'balance(1)' })[0]).toContain(
      'no schedule of a file such as "mine"',
    );
  });

  it('have no warm-up from outside, and recompute in the backward', () => {
    expect(refused('megatron', { schedule: '1f1b(warmup = hide_latency)' })[0]).toContain('derives the warm-up');
    const [ahead] = refused('megatron', { schedule: '1f1b(recompute = ahead)', keys: 'recompute = full' });
    expect(ahead).toContain('not ahead of the gradient. The nearest that it runs is `recompute = with_backward`');
  });

  // schedules.py: get_pp_rank_microbatches (overlap_moe_expert_parallel_comm).
  describe('warm up by one more forward where exchanges of experts overlap', () => {
    const mixture = {
      model: experts,
      stages: 'balance(8)',
      schedule: 'interleaved_1f1b(chunks = 2)',
      keys: 'data = 4  expert = 4  overlap(expert) = 60%',
    };
    /** Most chunks that are in flight, by device. */
    const held = (engine: string, written: Written): readonly number[] => {
      const { plan } = resolveText(fileOf(engine, written));
      const [pipeline] = plan.pipelines;
      return rowsOf(programFor(pipeline)).map(inFlightOf);
    };
    const plain = [9, 7, 5, 3].map((_, device) => 2 * (3 - device) + 4 + 1);

    it('unless the file says otherwise', () => {
      expect(held('any', mixture)).toEqual(plain);
      for (const engine of ['megatron', 'megatron_bridge'])
        expect(held(engine, mixture)).toEqual(plain.map((chunks) => chunks + 1));
      expect(refused('megatron', mixture)).toEqual([]);
      expect(unasked('megatron', mixture)[0]).toContain('runs one more forward before the first backward');
      expect(held('torchtitan', mixture)).toEqual(plain);
      const written = { ...mixture, schedule: 'interleaved_1f1b(chunks = 2, extra_warmup = 1)' };
      expect(held('any', written)).toEqual(plain.map((chunks) => chunks + 1));
      expect(refused('megatron', written)).toEqual([]);
      expect(unasked('megatron', written).join('')).not.toContain('one more forward');
    });

    it.each([
      ['on one expert rank', { ...mixture, keys: 'data = 4  overlap(expert) = 60%' }],
      ['without an overlap', { ...mixture, keys: 'data = 4  expert = 4' }],
    ])('but not %s', (_, written) => {
      expect(held('megatron', written)).toEqual(plain);
      const more = { ...written, schedule: 'interleaved_1f1b(chunks = 2, extra_warmup = 1)' };
      expect(refused('megatron', more)).toEqual([
        'schedule: Megatron runs further forwards before the first backward only where exchanges of experts overlap. The nearest that it runs is `extra_warmup = 0`.',
      ]);
    });

    it('nor of one rank, which is refused as that alone', () => {
      const [only, ...others] = refused('megatron', { ...mixture, stages: 'balance(2)' });
      expect(others).toEqual([]);
      expect(only).toContain('interleaves stages of two or more pipeline ranks');
      expect(only).not.toContain('further forwards');
    });

    it.each([0, 2])('and not by %i', (extra) => {
      const [only, ...others] = refused('megatron', {
        ...mixture,
        schedule: `interleaved_1f1b(chunks = 2, extra_warmup = ${extra})`,
      });
      expect(others).toEqual([]);
      expect(only).toContain('and keeps its activations. The nearest that it runs is `extra_warmup = 1`.');
    });
  });

  // schedules.py: PP <= N <= M, and M % N is 0 or at least PP.
  const takes = (ranks: number, microbatches: number, group: number): boolean =>
    ranks <= group && group <= microbatches && !(microbatches % group > 0 && microbatches % group < ranks);

  it('take a group of microbatches as its assertions say: by the rules of the policy, and by one more', () => {
    const interleaved = findPolicy('interleaved_1f1b');
    let [more, less] = [0, 0];
    for (let ranks = 2; ranks <= 6; ranks += 1)
      for (let microbatches = 1; microbatches <= 16; microbatches += 1)
        for (let group = 0; group <= 17; group += 1) {
          const args: Readonly<Record<string, number>> = group === 0 ? { chunks: 2 } : { chunks: 2, group };
          const placement = Array.from({ length: 2 * ranks }, (_, stage) => stage % ranks);
          const plan = recipePlan({ microbatches, placement, schedule: policy('interleaved_1f1b', args) });
          const [refusal] = orderRefusals(megatron, plan);
          const isShape = interleaved?.check(shapeOf(plan)).length === 0;
          const shown = `${ranks} ranks, ${microbatches} microbatches, group ${group}`;
          expect(isShape && refusal === undefined, shown).toBe(takes(ranks, microbatches, group === 0 ? ranks : group));
          if (isShape && refusal === undefined) less += 1;
          if (!isShape || refusal === undefined) continue;
          more += 1;
          expect(refusal.nearest, shown).toEqual({ key: 'microbatches', value: String(ranks) });
        }
    expect(more).toBeGreaterThan(10);
    expect(less).toBeGreaterThan(100);
  });

  it('are interleaved on two ranks or more', () => {
    const plan = recipePlan({
      microbatches: 4,
      placement: [0, 0],
      schedule: policy('interleaved_1f1b', { chunks: 2 }),
    });
    expect(orderRefusals(megatron, plan)[0]?.reason).toContain('two or more pipeline ranks');
  });
});

const windows = 'layer block[32] = transformer(hidden = 4096, heads = 32, ffn = 16384, window = 512)';

describe('the rest under Megatron', () => {
  const runs: readonly (readonly [string, Written])[] = [
    ['every sharding', { keys: 'data = 2', optimizer: 'megatron_bf16(shard = zero2)' }],
    ['tensor and sequence parallelism', { keys: 'tensor = 4  sequence_parallel = true' }],
    ['tensor ranks alone', { keys: 'tensor = 4' }],
    ['a ring of context ranks', { keys: 'context = 4' }],
    ['context ranks that exchange heads', { keys: 'context = 4  context_exchange = all_to_all' }],
    ['context ranks that gather keys', { keys: 'context = 4  context_exchange = all_gather' }],
    ['modules', { keys: 'recompute = modules(mlp, layernorm)' }],
    ['blocks of layers', { keys: 'recompute = full(layers = 2)' }],
    ['groups of layers', { keys: 'recompute = full(layers = 2, method = uniform)' }],
    ['its exchange', { keys: 'data = 2  sync = megatron' }],
    ['buckets', { keys: 'data = 2  sync = overlap(bucket = 25MB)' }],
    ['either order of ranks', { keys: 'data = 2  rank_order = tp_cp_pp_dp' }],
    ['NCCL', { keys: 'data = 2  collective = nccl' }],
    ['offloading on one rank', { stages: 'balance(1)', keys: 'offload = activations(layers = 2)' }],
    [
      'experts with sequence parallelism',
      { model: experts, keys: 'tensor = 2  sequence_parallel = true  data = 2  expert = 2' },
    ],
    [
      'windows over context ranks that exchange heads',
      { model: windows, keys: 'context = 2  context_exchange = all_to_all' },
    ],
    [
      'windows over context ranks that gather keys',
      { model: windows, keys: 'context = 2  context_exchange = all_gather' },
    ],
    ['overlap of tensor ranks', { keys: 'tensor = 4  sequence_parallel = true  overlap(tensor) = 50%' }],
  ];
  it.each(runs)('runs: %s', (_, written) => {
    expect(refused('megatron', written)).toEqual([]);
  });

  const refuses: readonly (readonly [string, Written, string])[] = [
    // moe_layer.py raises without sequence parallelism, whatever the expert ranks.
    ['sequence_parallel', { model: experts, keys: 'tensor = 2' }, '`sequence_parallel = true`'],
    // arguments.py: seq_length % (context_parallel_size * 2) == 0.
    ['context', { keys: 'context = 2', sequence: 4098 }, '4098 tokens do not divide into 4'],
    ['recompute', { keys: 'recompute = operations' }, '`recompute = selective`'],
    ['recompute', { keys: 'recompute = full(every = 2)' }, '`recompute = full`'],
    ['recompute', { keys: 'recompute = stage' }, '`recompute = full`'],
    ['offload', { keys: 'offload = activations(layers = 2)' }, 'no `offload`'],
    ['overlap', { keys: 'tensor = 4  overlap(tensor) = 50%' }, '`sequence_parallel = true`'],
    [
      'overlap',
      { model: experts, keys: 'data = 2  expert = 2  overlap(expert) = 50%' },
      'several stages on each device',
    ],
    [
      'overlap',
      { model: experts, stages: 'balance(1)', keys: 'data = 2  expert = 2  overlap(expert) = 50%  recompute = full' },
      'without full recomputation',
    ],
    ['sync', { keys: 'data = 2  sync = ddp' }, '`sync = megatron`'],
    ['sync', { keys: 'data = 2  sync = overlap(order = forward)' }, 'these arguments of `overlap`'],
    // attn_forward_func_with_cp: no sliding window with p2p.
    ['context_exchange', { model: windows, keys: 'context = 2' }, '`context_exchange = all_to_all`'],
    [
      'model',
      {
        model:
          'layer block[32] = transformer(hidden = 4096, heads = 6, head_dim = 64, mixer = delta_net, bias = false)',
        keys: 'context = 4',
      },
      '6 do not divide by 4',
    ],
    // transformer_config.py: "Bias in Moe is only supported when ETP==1".
    [
      'model',
      {
        model: experts.replace('bias = false, ', ''),
        keys: 'tensor = 2  sequence_parallel = true  data = 2  expert = 2',
      },
      '`expert_tensor = 1`',
    ],
    // arguments.py: "pipeline-model-parallel size should be greater than 2" without overlap of messages.
    [
      'transfer',
      { schedule: 'interleaved_1f1b(chunks = 2)', stages: 'balance(4)', keys: 'transfer = rendezvous' },
      '`transfer = buffered`',
    ],
    ['collective', { keys: 'data = 2  collective = halving' }, '`collective = nccl`'],
    ['transfer', { keys: 'transfer = buffered(receive = all)' }, '`transfer = buffered`'],
  ];
  it.each(refuses)('does not run %s: %o', (key, written, words) => {
    const found = refused('megatron', written);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${key}: `));
    expect(found[0]).toContain(words);
  });

  it('clips, unless the file says whether', () => {
    const says = ['By default Megatron clips gradients by their norm, which this file leaves open.'];
    expect(unasked('megatron', { optimizer: 'megatron_bf16' })).toEqual(says);
    expect(unasked('megatron', { optimizer: 'megatron_bf16(clip = true)' })).toEqual([]);
    expect(unasked('megatron', { optimizer: 'megatron_bf16(clip = false)' })).toEqual([]);
  });

  it('leaves less open under Megatron Bridge', () => {
    const written = { keys: 'data = 2', optimizer: 'megatron_bf16(clip = true)' };
    expect(unasked('megatron', written)).toEqual([]);
    expect(unasked('megatron_bridge', written)).toEqual([
      'By default Megatron Bridge distributes the state of the optimizer over data ranks, which this file leaves open.',
    ]);
    expect(
      unasked('megatron_bridge', { ...written, optimizer: 'megatron_bf16(clip = true, shard = distributed)' }),
    ).toEqual([
      'By default Megatron Bridge exchanges gradients during the last backwards, which this file leaves open.',
    ]);
    expect(unasked('megatron_bridge', { optimizer: 'megatron_bf16(clip = true)' })).toEqual([]);
    expect(refused('megatron_bridge', { schedule: 'zb_h1' })[0]).toContain('Megatron Bridge runs `1f1b`');
  });
});
