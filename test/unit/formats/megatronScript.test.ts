/** Launch scripts of Megatron-LM: model, ranks, batch and optimizer of the imported file, and what it does not carry. */
import { describe, expect, test } from 'vitest';
import { importText } from '../../../engine/formats/importText.ts';
import { expertLayers } from '../../../engine/formats/megatron/layerPattern.ts';
import { shellNumber } from '../../../engine/formats/megatron/arithmetic.ts';
import { replaced, variablesIn } from '../../../engine/formats/megatron/variables.ts';
import { analyse } from '../../support/analyse.ts';

const imported = (script: string) => {
  const made = importText(script);
  if (made === undefined || 'faults' in made) throw new Error(JSON.stringify(made));
  return made;
};
const lines = (script: string): readonly string[] =>
  imported(script)
    .pipe.replaceAll(/,\n\s+/g, ', ')
    .split('\n')
    .map((line) => line.trim().replaceAll(/ +/g, ' '));

/** As `examples/gpt3/train_gpt3_175b_distributed.sh` of Megatron-LM, with a vocabulary and 128 devices. */
const gpt3 = `#!/bin/bash
GPUS_PER_NODE=8
NUM_NODES=16 # a comment
VOCAB="51200"
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes \${NUM_NODES}
    --master_addr localhost
)
GPT_MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
    --vocab-size \${VOCAB:-1})
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 1536
    --lr 6.0e-5
    --fp16
    --overlap-grad-reduce
    --overlap-param-gather
)
MODEL_PARALLEL_ARGS=(
    --tensor-model-parallel-size 8
    --pipeline-model-parallel-size \${PP:-16}
)
`;

describe('GPT-3 175B', () => {
  const { pipe, remarks } = imported(gpt3);
  const analysis = analyse(pipe);
  const [{ plan, run }] = analysis.pipelines;

  test('has the parameters of the closed form, and runs', () => {
    // Narayanan et al. (arXiv:2104.04473), equation 2; it leaves out the last norm.
    const [l, h, V, s] = [96, 12288, 51200, 2048];
    const expected = 12 * l * h ** 2 * (1 + 13 / (12 * h) + (V + s) / (12 * l * h));
    const counted = run?.report.stages.reduce((sum, stage) => sum + stage.parameters, 0) ?? 0;
    expect(Math.abs(counted / expected - 1)).toBeLessThan(1e-5);
    expect(analysis.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('has ranks, batch and optimizer of the script', () => {
    expect([plan.tensor, plan.data, plan.devices.length, plan.microbatches, plan.stages.length]).toEqual([
      8, 1, 16, 1536, 16,
    ]);
    expect(lines(gpt3)).toContain('optimizer = megatron_fp16(clip = true)');
    // 96 / 16 layers, the embedding before them and the head behind them.
    expect(plan.stages.map(({ layers }) => layers.length)).toEqual([7, ...new Array<number>(14).fill(6), 7]);
  });

  test('names what is not in the script and what the file does not carry', () => {
    expect(remarks).toEqual([
      'A script does not name its devices: nodes of eight H100 are written. Change them.',
      'Not carried, though they may change time or memory: --overlap-param-gather.',
    ]);
  });
});

const least = '--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 4096 --vocab-size 32000 --bf16';
const world = '--nproc_per_node 8 --nnodes 2 --global-batch-size 128';
const rope = '--position-embedding-type rope --hidden-dropout 0 --attention-dropout 0.0';

describe('flags', () => {
  const block = (shape: string) => `layer block[8] = transformer(hidden = 1024, heads = 16, ${shape})`;
  test.each([
    ['', block('ffn = 4096, flash = true')],
    ['--ffn-hidden-size 2816', block('ffn = 2816, flash = true')],
    // Two thirds of 4 × 1024, rounded down to a multiple of 64.
    ['--swiglu', block('ffn = 2688, gated = true, flash = true')],
    ['--group-query-attention --num-query-groups 4', block('kv_heads = 4, ffn = 4096, flash = true')],
    ['--num-query-groups 4', block('ffn = 4096, flash = true')],
    ['--kv-channels 128', block('head_dim = 128, ffn = 4096, flash = true')],
    ['--transformer-impl local', block('ffn = 4096')],
    ['--transformer-impl local --use-flash-attn', block('ffn = 4096, flash = true')],
    ['--attention-backend unfused', block('ffn = 4096')],
    ['--normalization RMSNorm --disable-bias-linear', block('ffn = 4096, bias = false, norm = rmsnorm, flash = true')],
    ['--add-qkv-bias --qk-layernorm', block('ffn = 4096, qkv_bias = true, qk_norm = true, flash = true')],
    ['--hidden-dropout 0 --attention-dropout 0.0', block('ffn = 4096, flash = true, dropout = false')],
    ['--hidden-dropout 0', block('ffn = 4096, flash = true')],
    [
      '--multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128',
      block(
        'kv_lora_rank = 512, q_lora_rank = 1536, qk_nope_head_dim = 128, qk_rope_head_dim = 64, v_head_dim = 128, ffn = 4096, bias = false, flash = true',
      ),
    ],
    [
      '--num-experts 16 --moe-router-topk 4 --moe-ffn-hidden-size 512 --moe-shared-expert-intermediate-size 1024',
      block('ffn = 4096, flash = true, experts = 16, experts_per_token = 4, expert_ffn = 512, shared_experts = 2'),
    ],
    ['', 'layer embed = embedding(vocab = 32000, pad = 128, hidden = 1024, positions = 4096)'],
    [
      '--max-position-embeddings 8192',
      'layer embed = embedding(vocab = 32000, pad = 128, hidden = 1024, positions = 8192)',
    ],
    [rope, 'layer embed = embedding(vocab = 32000, pad = 128, hidden = 1024, dropout = false)'],
    [`${rope} --rotary-base 500000`, 'rotary_base = 500000'],
    [`${rope} --rotary-percent 0.25`, 'rotary_percent = 0.25'],
    ['--window-size 127,0', block('ffn = 4096, flash = true, window = 128')],
    ['--window-size (127,0)', block('ffn = 4096, flash = true, window = 128')],
    ['--window-size -1,0', block('ffn = 4096, flash = true')],
    // Each second layer attends to all tokens: `layer_number % 2 != 0` has a window, and layers count from 1 (core/transformer/utils.py).
    [
      '--window-size 127,0 --window-attn-skip-freq 2',
      'layer block[8] = pattern("wb", w = transformer(hidden = 1024, heads = 16, ffn = 4096, flash = true, window = 128), b = transformer(hidden = 1024, heads = 16, ffn = 4096, flash = true))',
    ],
    [
      '--window-size 127,0 --window-attn-skip-freq ([1]*7+[0])',
      'layer windowed[7] = transformer(hidden = 1024, heads = 16, ffn = 4096, flash = true, window = 128)',
    ],
    ['--softmax-type learnable', block('sinks = true, ffn = 4096, flash = true')],
    ['--softmax-type vanilla', block('ffn = 4096, flash = true')],
    ['--attention-output-gate', block('output_gate = true, ffn = 4096, flash = true')],
    // Each second layer has attention: `(i + 1) % 2 == 0` (experimental_attention_variant_module_specs.py).
    [
      '--experimental-attention-variant gdn --linear-attention-freq 2 --linear-num-value-heads 8 --linear-num-key-heads 4 --linear-key-head-dim 64',
      'layer block[8] = pattern("lb", l = transformer(hidden = 1024, ffn = 4096, heads = 8, head_dim = 128, mixer = delta_net, state = 64, groups = 4, kernel = 4), b = transformer(hidden = 1024, heads = 16, ffn = 4096, flash = true))',
    ],
    ['--linear-key-head-dim 64', block('ffn = 4096, flash = true')],
    [
      '--num-experts 8 --moe-shared-expert-intermediate-size 4096 --moe-shared-expert-gate',
      block('ffn = 4096, flash = true, experts = 8, experts_per_token = 2, shared_experts = 1, shared_gate = true'),
    ],
    [`${rope} --use-rope-scaling`, 'rope_scaling = 8'],
    [`${rope} --use-rope-scaling --rope-scaling-factor 32.0`, 'rope_scaling = 32'],
    ['--norm-epsilon 1e-06', 'norm_epsilon = 1e-6'],
    ['--layernorm-epsilon 0.00001', 'norm_epsilon = 1e-5'],
    ['--padded-vocab-size 32768', 'layer head = lm_head(vocab = 32768, hidden = 1024, tied = true)'],
    ['--untie-embeddings-and-output-weights', 'layer head = lm_head(vocab = 32000, pad = 128, hidden = 1024)'],
    ['--make-vocab-size-divisible-by 1', 'layer head = lm_head(vocab = 32000, hidden = 1024, tied = true)'],
    ['--micro-batch-size 2', 'micro_batch = 2'],
    ['', 'precision = bf16'],
    ['--fp8-format hybrid', 'precision = fp8'],
    ['--fp8-format hybrid --fp8-param-gather', 'optimizer = megatron_fp8(primary = fp8, clip = true)'],
    [`${world} --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2`, 'data = 4'],
    // 128 samples, of which each of four data ranks takes two at once.
    [
      `${world} --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --micro-batch-size 2`,
      'microbatches = 16',
    ],
    [`${world} --context-parallel-size 2`, 'context = 2'],
    [`${world} --context-parallel-size 2 --cp-comm-type a2a`, 'context_exchange = all_to_all'],
    [`${world} --context-parallel-size 2 --cp-comm-type all_gather`, 'context_exchange = all_gather'],
    [`${world} --context-parallel-size 2 --cp-comm-type allgather`, 'context_exchange = all_gather'],
    [`${world} --tensor-model-parallel-size 2 --sequence-parallel`, 'sequence_parallel = true'],
    [`${world} --num-experts 8 --expert-model-parallel-size 4`, 'expert = 4'],
    [
      `${world} --num-experts 8 --tensor-model-parallel-size 2 --sequence-parallel --expert-tensor-parallel-size 1`,
      'expert_tensor = 1',
    ],
    ['--use-tp-pp-dp-mapping', 'rank_order = tp_cp_pp_dp'],
    ['--recompute-granularity full', 'recompute = full'],
    ['--recompute-activations', 'recompute = selective'],
    ['--recompute-granularity selective', 'recompute = selective'],
    ['--recompute-granularity selective --recompute-modules core_attn', 'recompute = selective'],
    [
      '--recompute-granularity selective --recompute-modules mlp core_attn layernorm --use-distributed-optimizer',
      'recompute = modules(core_attention, layernorm, mlp)',
    ],
    ['--recompute-granularity full --recompute-method block --recompute-num-layers 1', 'recompute = full(layers = 1)'],
    [
      '--recompute-granularity full --recompute-method uniform --recompute-num-layers 2',
      'recompute = full(layers = 2, method = uniform)',
    ],
    ['--recompute-granularity full --recompute-method uniform --recompute-num-layers 1', 'recompute = full'],
    ['--use-distributed-optimizer', 'optimizer = megatron_bf16(shard = distributed, clip = true)'],
    [
      '--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params',
      'optimizer = megatron_bf16(shard = fsdp, clip = true)',
    ],
    // arguments.py: the strategy is of Megatron FSDP, and nothing reads it without.
    ['--data-parallel-sharding-strategy optim_grads_params', 'optimizer = megatron_bf16(clip = true)'],
    ['--use-torch-fsdp2', 'optimizer = megatron_bf16(shard = fsdp, clip = true)'],
    ['--clip-grad 0.0', 'optimizer = megatron_bf16(clip = false)'],
    ['--hidden-size 1024', 'engine = megatron'],
    [`${world} --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather`, 'sync = megatron'],
    ['--optimizer sgd', 'optimizer = megatron_sgd(clip = true)'],
    ['--grad-reduce-in-bf16', 'optimizer = megatron_bf16(main_grads = bf16, gradient_copies = true, clip = true)'],
    // The precision-aware optimizer reads bf16 gradients.
    [
      '--grad-reduce-in-bf16 --use-precision-aware-optimizer',
      'optimizer = megatron_bf16(main_grads = bf16, clip = true)',
    ],
    [
      '--use-precision-aware-optimizer --main-grads-dtype bf16 --main-params-dtype fp16 --exp-avg-dtype fp8 --exp-avg-sq-dtype bf16',
      'optimizer = megatron_bf16(main_grads = bf16, main_params = fp16, moments = bf16, clip = true)',
    ],
    // Formats are for the precision-aware optimizer alone.
    ['--exp-avg-dtype fp8 --exp-avg-sq-dtype fp8', 'optimizer = megatron_bf16(clip = true)'],
    ['--fp8-format hybrid', 'activations = fp8(recipe = delayed)'],
    ['--fp8-format e4m3 --fp8-recipe blockwise', 'activations = fp8(recipe = blockwise)'],
    ['--fp8-format hybrid --fp8-recipe tensorwise', 'activations = fp8(recipe = current)'],
    ['--bf16 --fp4-format e2m1', 'activations = fp4'],
    ['--bf16 --fp4-format e2m1 --fp4-recipe nvfp4', 'precision = fp4'],
    ['--fp4-format e2m1', 'optimizer = megatron_fp4(clip = true)'],
    ['--fp4-format e2m1 --fp4-param-gather', 'optimizer = megatron_fp4(primary = fp4, clip = true)'],
    // 40 million elements of 4 bytes, or of 2; a script may say how many.
    [`${world} --overlap-grad-reduce`, 'sync = overlap(bucket = 160MB)'],
    [`${world} --overlap-grad-reduce --grad-reduce-in-bf16`, 'sync = overlap(bucket = 80MB)'],
    [`${world} --overlap-grad-reduce --ddp-bucket-size 25000000`, 'sync = overlap(bucket = 100MB)'],
    [
      `${world} --num-experts 8 --moe-expert-capacity-factor 1.5 --moe-pad-expert-input-to-capacity`,
      block('ffn = 4096, flash = true, experts = 8, experts_per_token = 2, capacity = 1.5'),
    ],
    [
      '--num-experts 8 --num-shared-experts 2',
      block('ffn = 4096, flash = true, experts = 8, experts_per_token = 2, shared_experts = 2'),
    ],
    [
      '--untie-embeddings-and-output-weights --cross-entropy-loss-fusion --cross-entropy-fusion-impl te',
      'layer head = lm_head(vocab = 32000, pad = 128, hidden = 1024, loss = fused)',
    ],
    [
      '--untie-embeddings-and-output-weights --cross-entropy-loss-fusion',
      'layer head = lm_head(vocab = 32000, pad = 128, hidden = 1024)',
    ],
    // Words inside quotes, which a shell splits where it uses them.
    ['"--fp8-format hybrid" "--fp8-param-gather"', 'optimizer = megatron_fp8(primary = fp8, clip = true)'],
    ['options=" \\\n  --kv-channels 128 \\\n  --micro-batch-size 2 "', 'micro_batch = 2'],
    ['options=" --overlap-grad-reduce --use-tp-pp-dp-mapping "\nothers=" --bf16 "', 'rank_order = tp_cp_pp_dp'],
  ])('%s: %s', (more, line) => {
    expect(lines(`${least} ${more}`)).toContain(line);
    const { findings } = analyse(imported(`${least} ${more}`).pipe);
    expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
  });

  test('layers with experts among others are arrays of their own', () => {
    const script = `${least} ${world} --pipeline-model-parallel-size 2 --num-experts 8 --moe-layer-freq "([0]*3+[1]*5)"`;
    const text = lines(script).join('\n');
    expect(text).toContain('stage s0 { layers = embed, block[0..2], moe[0] }');
    expect(text).toContain('stage s1 { layers = moe[1..4], head }');
    expect(text).toMatch(/layer moe\[5\] = transformer\(.*experts = 8, experts_per_token = 2\)/);
    expect(text).toMatch(/layer block\[3\] = transformer\((?!.*experts).*\)/);
  });

  test('prediction layers share the shape of the last layer', () => {
    expect(lines(`${least} --mtp-num-layers 1`).join('\n')).toMatch(
      /layer prediction\[1\] = mtp\(vocab = 32000, .*ffn = 4096/,
    );
  });
});

describe('what cannot be carried', () => {
  const remarks = (more: string) => imported(`${least} ${more}`).remarks.join('\n');
  test('is listed as the script has it', () => {
    const text = remarks(
      '--recompute-granularity selective --recompute-modules mlp mhc --recompute-num-layers=5 --lr 1e-4 --bf16',
    );
    expect(text).toContain(
      'Not carried, though they may change time or memory: --recompute-modules mlp, --recompute-num-layers 5.',
    );
    expect(remarks('--recompute-granularity full --recompute-method uniform --recompute-num-layers 1')).not.toContain(
      'Not carried',
    );
  });
  // arguments.py and moe: an all-gather of tokens, experts of few nodes, and inputs of recomputed layers in parts are no figures here.
  test.each([
    '--moe-token-dispatcher-type allgather',
    '--moe-router-num-groups 8',
    '--moe-router-group-topk 4',
    '--distribute-saved-activations',
    '--fp16-lm-cross-entropy',
    '--overlap-param-gather',
  ])('%s is listed', (flag) => {
    expect(remarks(`${world} ${flag}`)).toContain(`Not carried, though they may change time or memory: ${flag}.`);
  });
  test.each([
    '--accumulate-allreduce-grads-in-fp32',
    '--no-check-for-nan-in-loss-and-grad',
    '--ckpt-format fsdp_dtensor',
    '--init-model-with-meta-device',
    // Of `nsys profile` in front of the launcher.
    '--capture-range cudaProfilerApi --capture-range-end stop --trace cuda,nvtx --sample none --cuda-graph-trace node',
  ])('%s changes neither', (flag) => {
    expect(remarks(`${world} ${flag}`)).not.toContain('Not carried');
  });
  test.each(['alltoall', 'flex'])('tokens that reach their experts by %s are as they are here', (type) => {
    expect(remarks(`--moe-token-dispatcher-type ${type}`)).not.toContain('Not carried');
  });

  test('expert ranks have the data ranks that they are taken from, though the script leaves nodes to the shell', () => {
    const mixture = `${least} --num-experts 8 --expert-model-parallel-size 8 --pipeline-model-parallel-size 4 --nproc-per-node 8 --global-batch-size 64`;
    const { pipe, remarks } = imported(mixture);
    expect(pipe).toMatch(/\n {2}data += 8\n/);
    expect(pipe).toMatch(/microbatches += 8\n/);
    expect(remarks.join('\n')).toContain(
      '--expert-model-parallel-size 8 needs a multiple of 8 data ranks, and the script has 2: 8 are written.',
    );
    // Two of the eight are tensor ranks.
    expect(
      imported(`${mixture} --tensor-model-parallel-size 2 --expert-tensor-parallel-size 1 --nnodes 4`).pipe,
    ).toMatch(/\n {2}data += 4\n/);
  });

  test('exchanges that kernels hide are written with the usual share, which is said', () => {
    const mixture = `${least} ${world} --num-experts 8 --tensor-model-parallel-size 2 --sequence-parallel --expert-model-parallel-size 4`;
    const flags = '--tp-comm-overlap --overlap-moe-expert-parallel-comm';
    const { pipe, remarks } = imported(`${mixture} ${flags}`);
    expect(pipe).toMatch(/overlap\(tensor\) += 40%/);
    expect(pipe).toMatch(/overlap\(expert\) += 100%/);
    expect(remarks.join('\n')).toContain('--overlap-moe-expert-parallel-comm is written as `overlap(expert) = 100%`');
    expect(remarks.join('\n')).not.toContain('Not carried');
    expect(imported(`${least} ${world} ${flags}`).pipe).not.toContain('overlap(');
  });

  test('the way of an exchange among context ranks goes only with context ranks', () => {
    expect(imported(`${least} ${world} --cp-comm-type a2a`).pipe).not.toContain('context_exchange');
  });

  test('a flag without a value in front of a variable', () => {
    expect(remarks('options=" --rampup-batch-size "\nothers=" --bf16 "')).toMatch(/: --rampup-batch-size\.$/);
  });
  test('an unknown recipe of fp8', () => {
    expect(remarks('--fp8-format e4m3 --fp8-recipe custom')).toContain('--fp8-recipe custom');
  });
  test('a capacity at which tokens are dropped, not padded', () => {
    expect(remarks('--num-experts 8 --moe-expert-capacity-factor 1.5')).toContain('--moe-expert-capacity-factor 1.5');
  });
  test('a value that is no number, and a variable that the script does not set', () => {
    expect(remarks('--kv-channels many --context-parallel-size $CP')).toContain(
      '--kv-channels many, --context-parallel-size $CP',
    );
  });
  test('what a script should say, and does not', () => {
    expect(remarks('--multi-latent-attention')).toContain('layers without biases');
    expect(remarks('')).toContain('how many devices there are: one data rank');
    expect(remarks('')).toContain('no --global-batch-size: 2 microbatches');
    expect(remarks(`--nproc_per_node 6 --pipeline-model-parallel-size 4`)).toContain(
      '6 devices are not a multiple of the 4',
    );
    expect(remarks('--nproc_per_node 8 --global-batch-size 9')).toContain('not a multiple of the 8 samples');
    expect(imported('--num-layers 8 --hidden-size 1024 --num-attention-heads 16').remarks.join()).toContain(
      'no --vocab-size',
    );
    expect(
      imported(
        '--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --tokenizer-type Llama2Tokenizer',
      ).remarks.join(),
    ).toContain('no --vocab-size: 32000 entries are written');
    expect(remarks('--num-experts 8 --moe-layer-freq "[1]*7"')).toContain('does not give 8 layers');
    expect(remarks('--num-experts 8 --moe-ffn-hidden-size 512 --moe-shared-expert-intermediate-size 700')).toContain(
      'not a multiple of the 512',
    );
  });
  test('without width and heads there are no shapes, and the remark says so', () => {
    const made = imported('--num-layers 8 --pipeline-model-parallel-size 2 --tensor-model-parallel-size 8');
    expect(made.pipe).toContain('forward = 1ms');
    expect(made.remarks.join('\n')).toContain('the layers have no shape');
    expect(made.remarks.join('\n')).toContain('--tensor-model-parallel-size 8');
  });
});

test.each([
  ['1', [true, true, true, true]],
  ['2', [true, false, true, false]],
  ['[0]*1+[1]*3', [false, true, true, true]],
  ['([1]+[0])*2', [true, false, true, false]],
  ['[0, 1, 1, 0]', [false, true, true, false]],
  ['[1]*5', undefined],
  ['[1]*3', undefined],
  ['[1]*99999999', undefined],
  ['([1]*4', undefined],
  ['[1]*4)', undefined],
  ['[2]*4', undefined],
  ['', undefined],
  ['0', undefined],
])('layers with experts of %s', (text, expected) => expect(expertLayers(text, 4)).toEqual(expected));

test('variables are numbers, words and arithmetic: the last one counts, others are used in it', () => {
  const found = variablesIn(
    `A=8\nexport B="x y"\n  C='3' # why\nD=\${A}1\nA=9\nE=$((A*2))\nF=a; echo\nif [ G=1 ]; then`,
  );
  expect([...found]).toEqual([
    ['A', '9'],
    ['B', 'x y'],
    ['C', '3'],
    ['D', '81'],
    ['E', '18'],
  ]);
});

test.each([
  ['TP=4\nPP=2', '$((TP*PP))', '8'],
  ['TP=4\nPP=2', '$(( $TP * ${PP} + 1 ))', '9'],
  ['W=64\nTP=8\nPP=3', '$((W / (TP * PP)))', '2'],
  ['W=7', '$((W % 4 - 5))', '-2'],
  ['', '${TP:-8}', '8'],
  ['', '${TP-8}', '8'],
  ['', '${TP:=8}', '8'],
  ['TP=2', '${TP:-8}', '2'],
  ['TP=2', '${PP:-${TP}}', '2'],
  ['', '${PP:-$((2 * 4))}', '8'],
  ['', '${PP:-"8"}', '8'],
  ['PP=${PP:-"8"}', '$PP', '8'],
  ["PP=${1:-'8'}", '$PP', '8'],
  ['', '$((RANDOM + 1))', '$((RANDOM + 1))'],
  ['A=word', '$((A * 2))', '$((A * 2))'],
  ['A=8', '$((A / 0))', '$((A / 0))'],
  ['A=8', '$((A << 2))', '$((A << 2))'],
  ['A=8', '$((2 * ))', '$((2 * ))'],
])('with %j, %s is %s', (script, text, expected) => expect(replaced(text, variablesIn(script))).toBe(expected));

test('deep parentheses of arithmetic are left alone', () => {
  const deep = `$((${'('.repeat(50_000)}1${')'.repeat(50_000)}))`;
  expect(replaced(deep, new Map())).toBe(deep);
  expect(shellNumber(`${'('.repeat(50_000)}1`, new Map())).toBeUndefined();
});

test('a flag takes arithmetic with spaces, and a default', () => {
  const script = `TP=2
MICRO=4
WORLD=$((TP * \${NODES:-2} * 4))
ARGS=(
  --num-layers \${LAYERS:-16} --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --vocab-size 51200
  --micro-batch-size $MICRO --global-batch-size $((MICRO * 8 * 3))
  --tensor-model-parallel-size $TP --pipeline-model-parallel-size $((4 / TP)) --world-size $WORLD)`.replaceAll(
    '\\$',
    '$',
  );
  const { plan } = analyse(imported(script).pipe).pipelines[0];
  // 16 devices: 2 tensor ranks × 2 stages × 4 data ranks; 96 samples / (4 · 4).
  expect([plan.tensor, plan.stages.length, plan.data, plan.microbatches]).toEqual([2, 2, 4, 6]);
});

describe('other models and other exchanges', () => {
  test.each([
    ['--cp-comm-type all_gather a2a', /--cp-comm-type all_gather a2a is not carried.* A ring is written\./],
    ['--cp-comm-type a2a+p2p', /--cp-comm-type a2a\+p2p is not carried/],
    ['--cp-comm-type p2p a2a', /--cp-comm-type p2p a2a is not carried/],
  ])('%s is named', (flag, remark) => {
    const made = imported(`${least} ${world} --context-parallel-size 2 ${flag}`);
    expect(made.remarks.join(' ')).toMatch(remark);
    expect(made.pipe).not.toContain('context_exchange');
    expect(made.remarks.join(' ')).not.toContain('may change time or memory: --cp-comm-type');
  });
  test('a ring is what is written anyway', () => {
    const made = imported(`${least} ${world} --context-parallel-size 2 --cp-comm-type p2p`);
    expect(made.remarks.join(' ')).not.toContain('cp-comm-type');
  });
  test('gathering of parameters that overlaps with the forward is named', () => {
    expect(imported(`${least} ${world} --overlap-param-gather`).remarks.join(' ')).toContain('--overlap-param-gather');
  });
  test.each([
    ['--hybrid-layer-pattern M-M*', 'layers that alternate by letters'],
    ['--hybrid-override-pattern M-M*', 'layers that alternate by letters'],
    ['--encoder-num-layers 12', 'Import the `config.json` of the model'],
  ])('%s is refused at the flag', (flag, message) => {
    const script = `--hidden-size 512 ${flag}`;
    const made = importText(script);
    expect(made).toMatchObject({ faults: [{ start: 18, end: 18 + flag.split(' ')[0].length }] });
    expect(JSON.stringify(made)).toContain(message);
  });
  test('a number that the script leaves open is named', () => {
    const made = importText('--num-layers 4 --pipeline-model-parallel-size ${PP}');
    expect(JSON.stringify(made)).toContain(
      '`--pipeline-model-parallel-size ${PP}`: the script does not set this number',
    );
  });
});

describe('variables without a value', () => {
  test.each([
    ['$((1 ? 4 : 2))', 'cannot be computed here'],
    ['$((2 ** 3))', 'cannot be computed here'],
    ['$((8 / 0))', 'cannot be computed here'],
    ['$(nproc)', 'cannot be computed here'],
    ['$((UNSET * 2))', 'the script does not set UNSET'],
  ])('TP=%s is named with its line', (value, why) => {
    const script = `WORLD=16\nTP=${value} # ranks\nPP=$((WORLD / TP))\npretrain --num-layers 8 --pipeline-model-parallel-size $PP\n`;
    const made = importText(script);
    const start = script.indexOf(value);
    expect(made).toMatchObject({ faults: [{ start, end: start + value.length }] });
    expect(JSON.stringify(made)).toContain(`needs TP. Line 2 sets it to \`${value}\`, `);
    expect(JSON.stringify(made)).toContain(why);
  });

  test('an expression of the flag itself', () => {
    const made = importText('--num-layers 8 --pipeline-model-parallel-size $((2 ** 3))');
    expect(JSON.stringify(made)).toContain('`--pipeline-model-parallel-size $((2 ** 3))` cannot be computed here');
  });

  test('assignments in a circle end', () => {
    const made = importText('A=$((B + 1))\nB=$((A + 1))\n--num-layers 8 --pipeline-model-parallel-size $A');
    expect(JSON.stringify(made)).toMatch(/needs [AB]\. Line [12] sets it/);
  });

  const hidden = (script: string): string =>
    /do(?:es)? not say what flags they hold: (.*)\. Write/.exec(imported(script).remarks.join('\n'))?.[1] ?? '';
  test.each([
    [`torchrun train.py ${least} --lr 1e-4 "\${EXTRA[@]}" --fp16`, '${EXTRA[@]}'],
    [`torchrun $DIST train.py \\\n  ${least} \\\n  --lr 1 $MORE $@`, '$DIST, $MORE, $@'],
    [`EXTRA=(--swiglu)\nMORE="--fp16 --swiglu"\ntorchrun train.py ${least} --lr 1 "\${EXTRA[@]}" $MORE`, ''],
    [`cd $HERE\ntorchrun train.py ${least} --data-path $DATA --lr $LR`, ''],
    [`EXTRA=$1\ntorchrun train.py ${least} --lr 1 $EXTRA`, '$EXTRA'],
  ])('%s', (script, words) => expect(hidden(script)).toBe(words));
});
