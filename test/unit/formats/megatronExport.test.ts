/** Launch scripts for Megatron-LM: read back they are the pipeline, and what they cannot carry is refused or named. */
import { describe, expect, test } from 'vitest';
import { exportMegatron } from '../../../engine/formats/megatron/export/export.ts';
import { layoutText } from '../../../engine/formats/megatron/export/layoutText.ts';
import { type LayerSymbol, readLayout } from '../../../engine/formats/megatron/layout.ts';
import { pipeOfMegatron } from '../../../engine/formats/megatron/toPipe.ts';
import type { Resolution } from '../../../engine/language/resolution.ts';
import { exampleText, exampleUri } from '../../support/example.ts';
import { diskHost } from '../../support/host.ts';
import * as fc from '../../support/property.ts';
import { resolveText } from '../../support/resolve.ts';

const example = (name: string): Resolution => resolveText(exampleText(name), { host: diskHost, uri: exampleUri(name) });

const written = ({ plan, settled, sizes }: Resolution, name = plan.pipelines[0]?.name ?? '') => {
  const [found, pipeline] = [plan.pipelines.find((each) => each.name === name), settled.get(name)];
  if (found === undefined || pipeline === undefined) throw new Error(`There is no plan of ${name}.`);
  return exportMegatron({ plan: found, pipeline, perHost: sizes.get(name)?.perHost ?? 1 });
};

const scriptOf = (...asked: Parameters<typeof written>): string => {
  const made = written(...asked);
  if ('problem' in made) throw new Error(made.problem);
  return made.text;
};

const pipeOf = (script: string): string => {
  const read = pipeOfMegatron(script);
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  return read.pipe;
};

/** What a plan is, whatever its devices can do. */
const figuresOf = ({ plan }: Resolution, name = plan.pipelines[0]?.name) => {
  const found = plan.pipelines.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no plan of ${name ?? 'it'}.`);
  const { microbatches, schedule, placement, stages, microBatchSize } = found;
  return {
    ...{ microbatches, microBatchSize, schedule: schedule.name, placement },
    stages: stages.map((stage) => {
      const { parameters, forwardFlops, weights, gradients, optimizer, activation, recomputed, recomputeMode } = stage;
      return [
        stage.layers.length,
        ...[parameters, forwardFlops, weights, gradients, optimizer, activation, recomputed].map((figure) =>
          Number(figure.toPrecision(12)),
        ),
        recomputeMode,
      ];
    }),
  };
};

/** Sentences that stand in every script of a model with an embedding. */
const usual = 4;

describe('examples', () => {
  const names = ['llama3-70b.pipe', 'gpt-22b.pipe', 'gpt-175b.pipe', 'mixture-of-experts.pipe', 'long-context.pipe'];

  test.for(names)('%s: what is written without a note reads back with the same figures', (name) => {
    const resolution = example(name);
    let same = 0;
    for (const { name: pipeline } of resolution.plan.pipelines) {
      const made = written(resolution, pipeline);
      if ('problem' in made || made.notes.length > usual) continue;
      expect(figuresOf(resolveText(pipeOf(made.text)))).toEqual(figuresOf(resolution, pipeline));
      same += 1;
    }
    expect(same).toBeGreaterThan(0);
  });

  test('what is frozen or adapted is refused', () => {
    expect(written(example('lora-ethernet.pipe'))).toEqual({
      problem: 'Megatron trains all weights, and has no adapters; Megatron Bridge has them',
    });
  });
});

describe('scripts', () => {
  const sizes = ['--hidden-size 1024', '--num-attention-heads 16', '--seq-length 2048', '--vocab-size 32000'];
  const yes = (flag: string) => fc.constantFrom([flag], []);
  const one = (...flags: readonly string[]) => fc.constantFrom(...flags).map((flag) => (flag === '' ? [] : [flag]));

  const model = fc
    .tuple(
      yes('--swiglu'),
      one('--normalization RMSNorm', '--normalization LayerNorm'),
      yes('--disable-bias-linear'),
      yes('--add-qkv-bias'),
      yes('--qk-layernorm'),
      one('--attention-backend flash', '--attention-backend unfused'),
      yes('--untie-embeddings-and-output-weights'),
      one('--group-query-attention --num-query-groups 4', '--kv-channels 128', ''),
      one(
        '--position-embedding-type rope',
        '--position-embedding-type learned_absolute --max-position-embeddings 4096',
      ),
      one('--attention-dropout 0 --hidden-dropout 0', ''),
      one('--make-vocab-size-divisible-by 1', '--make-vocab-size-divisible-by 64'),
      one(
        '',
        '--num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 512',
        '--num-experts 8 --moe-router-topk 2 --moe-layer-freq ([0]*3+[1]*13) --moe-shared-expert-intermediate-size 4096',
      ),
      yes('--cross-entropy-loss-fusion'),
      one('--rotary-base 500000', '--rotary-base 500000 --rotary-percent 0.5', ''),
      one('--window-size 127,0', '--window-size 127,0 --window-attn-skip-freq 4', ''),
      one('--softmax-type learnable', ''),
      yes('--attention-output-gate'),
      one('--experimental-attention-variant gdn --linear-attention-freq 4', ''),
      one('--use-rope-scaling', '--use-rope-scaling --rope-scaling-factor 32', ''),
      one('--norm-epsilon 1e-6', ''),
    )
    .map((parts) => parts.flat());

  const training = fc
    .tuple(
      one(
        '--tensor-model-parallel-size 1',
        '--tensor-model-parallel-size 4 --sequence-parallel',
        '--tensor-model-parallel-size 2 --sequence-parallel --context-parallel-size 2 --cp-comm-type a2a',
        '--context-parallel-size 2',
        '--context-parallel-size 2 --cp-comm-type all_gather',
      ),
      one(
        '--pipeline-model-parallel-size 1',
        '--pipeline-model-parallel-size 4',
        '--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 4',
        '--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 2 --microbatch-group-size-per-virtual-pipeline-stage 4',
        '--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout Et*3|(tt|)*5,t*3|L',
      ),
      one('--micro-batch-size 1 --global-batch-size 512', '--micro-batch-size 2 --global-batch-size 1024'),
      one(
        '--bf16',
        '--fp16',
        '--bf16 --fp8-format hybrid --fp8-recipe tensorwise',
        '--bf16 --fp8-format hybrid --fp8-recipe mxfp8 --fp8-param-gather',
        '--bf16 --fp4-format e2m1',
      ),
      one(
        '',
        '--recompute-granularity selective',
        '--recompute-granularity selective --recompute-modules layernorm mlp',
        '--recompute-granularity full --recompute-method uniform --recompute-num-layers 1',
        '--recompute-granularity full --recompute-method uniform --recompute-num-layers 2',
        '--recompute-granularity full --recompute-method block --recompute-num-layers 1',
      ),
      one('', '--use-distributed-optimizer'),
      one('', '--overlap-grad-reduce --ddp-bucket-size 20000000'),
      one('', '--use-precision-aware-optimizer --main-grads-dtype bf16 --exp-avg-dtype bf16 --exp-avg-sq-dtype bf16'),
      one('', '--use-tp-pp-dp-mapping'),
    )
    .map((parts) => parts.flat());

  test('read, written and read again are the same file', () => {
    fc.assert(
      fc.property(model, training, (first, second) => {
        const script = ['--num-layers 16', ...sizes, '--nnodes 8 --nproc-per-node 8', ...first, ...second].join(
          ' \\\n',
        );
        const pipe = pipeOf(script);
        const resolution = resolveText(pipe);
        expect(resolution.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
        const made = written(resolution);
        if ('problem' in made) {
          expect(made.problem).toMatch(
            /^Megatron (overlaps|runs|interleaves|recomputes|has these formats|splits no experts)|splits the \d+ heads|layers with experts|exchange heads/,
          );
          return;
        }
        const again = pipeOf(made.text);
        // The first line has the layout, which the first script may not have.
        expect(again.slice(again.indexOf('\n'))).toBe(pipe.slice(pipe.indexOf('\n')));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a script', () => {
  const base = `model m {
  sequence = 2048
  precision = bf16
  layer embed = embedding(vocab = 32000, hidden = 1024, dropout = false)
  layer block[8] = transformer(hidden = 1024, heads = 16, flash = true, dropout = false)
  layer head = lm_head(vocab = 32000, hidden = 1024)
}
device d { memory = 80GiB  compute = 400TFLOPS  compute(fp8) = 800TFLOPS  bandwidth = 2TB/s  efficiency = 50% }
cluster c { node[4] { gpu[8] = d link = 300GB/s } link = 50GB/s }
pipeline train {
  model = m
  devices = c
  tensor = 2
  sequence_parallel = true
  data = 4
  microbatches = 8
  stages = balance(4)
  optimizer = megatron_bf16(shard = distributed, clip = true)
  schedule = 1f1b
}
`;
  const changed = (from: string, to: string): string => {
    expect(base).toContain(from);
    return base.replace(from, to);
  };
  const from = (text: string) => {
    const resolution = resolveText(text);
    expect(resolution.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    return resolution;
  };

  test('says ranks, batch, nodes and the layout, and nothing twice', () => {
    const script = scriptOf(from(base));
    for (const flag of [
      '--tensor-model-parallel-size 2',
      '--sequence-parallel',
      '--pipeline-model-parallel-size 4',
      "--pipeline-model-parallel-layout 'Ett|(t*3|)*2L'",
      '--global-batch-size 32',
      '--micro-batch-size 1',
      '--use-distributed-optimizer',
      '--clip-grad 1.0',
      '--nnodes 4 --nproc-per-node 8',
    ])
      expect(script).toContain(flag);
    const flags = [...script.matchAll(/^ {2}--[\w-]+/gm)].map(([flag]) => flag);
    expect(new Set(flags).size).toBe(flags.length);
  });

  const constant = /^ {2}--(?:rotary-base|rotary-percent|use-rope-scaling|rope-scaling-factor|norm-epsilon).*$/gm;
  const constantsIn = (script: string): readonly string[] =>
    [...script.matchAll(constant)].map(([line]) => line.trim());

  test('stops without the base of rotary positions, which the default of Megatron-LM would make another model', () => {
    const script = scriptOf(from(base));
    expect(script).toContain('\n: "${ROTARY_BASE:?the model does not say its rotary_base}"\n');
    expect(script).toContain(' ROTARY_BASE=BASE ');
    expect(script).toContain('the script stops until you set ROTARY_BASE');
    expect(constantsIn(script)).toEqual(['--rotary-base "$ROTARY_BASE"']);
    expect(pipeOf(script)).not.toContain('rotary_base');
    for (const said of [changed('hidden = 1024, dropout', 'hidden = 1024, positions = 2048, dropout'), withKeys])
      expect(scriptOf(from(said))).not.toContain('ROTARY_BASE');
  });

  const withKeys = changed('precision = bf16', 'precision = bf16  rotary_base = 500000  norm_epsilon = 1e-6');

  test('has base, scaling and epsilon of the model', () => {
    const said = ['--rotary-base 500000', '--norm-epsilon 1e-6'];
    expect(constantsIn(scriptOf(from(withKeys)))).toEqual(said);
    expect(scriptOf(from(withKeys))).not.toContain('does not say');
    const scaled = scriptOf(from(withKeys.replace('rotary_base', 'rope_scaling = 8  rotary_base')));
    expect(constantsIn(scaled)).toEqual([said[0], '--use-rope-scaling', '--rope-scaling-factor 8', said[1]]);
    expect(scaled).not.toContain('gpt_builders.py');
    const part = scriptOf(from(withKeys.replace('rotary_base', 'rotary_percent = 0.25  rotary_base')));
    expect(constantsIn(part)).toEqual([said[0], '--rotary-percent 0.25', said[1]]);
    const learned = withKeys.replace('hidden = 1024, dropout', 'hidden = 1024, positions = 2048, dropout');
    expect(constantsIn(scriptOf(from(learned)))).toEqual([said[1]]);
  });

  test('stops if Megatron-LM would scale by another factor', () => {
    const script = scriptOf(from(withKeys.replace('rotary_base', 'rope_scaling = 32  rotary_base')));
    expect(constantsIn(script)).toContain('--rope-scaling-factor 32');
    expect(script).toMatch(
      /^grep -q args.rope_scaling_factor "\$\{MEGATRON:-\.\}\/gpt_builders.py" \|\| \{\n.*\n {2}exit 1\n\}/m,
    );
    expect(pipeOf(script)).toMatch(/rope_scaling\s+= 32/);
  });

  test.for([
    ['llama3_70b', '--rotary-base 500000', '--norm-epsilon 1e-5'],
    ['llama3_1_8b', '--rotary-base 500000', '--use-rope-scaling', '--rope-scaling-factor 8', '--norm-epsilon 1e-5'],
    ['llama3_1_70b', '--rotary-base 500000', '--use-rope-scaling', '--rope-scaling-factor 8', '--norm-epsilon 1e-5'],
    ['llama3_1_405b', '--rotary-base 500000', '--use-rope-scaling', '--rope-scaling-factor 8', '--norm-epsilon 1e-5'],
    ['qwen3_8b', '--rotary-base 1000000', '--norm-epsilon 1e-6'],
    ['gpt2', '--norm-epsilon 1e-5'],
  ])('%s of std:models', ([name, ...said]) => {
    const text = base.replace(
      /model m \{[\s\S]*?\n\}/,
      `import { ${name} } from "std:models"\nmodel m { from = ${name} }`,
    );
    expect(constantsIn(scriptOf(resolveText(text)))).toEqual(said);
  });

  test('of latent attention, names the scaling that is there by default', () => {
    const latent =
      'transformer(hidden = 1024, kv_lora_rank = 64, qk_nope_head_dim = 32, qk_rope_head_dim = 16, v_head_dim = 32, bias = false, norm = rmsnorm,';
    expect(scriptOf(from(changed('transformer(hidden = 1024,', latent)))).toContain('--rope-type rope');
    expect(scriptOf(from(base))).not.toContain('--rope-type');
  });

  test('the command in its head has all that Megatron-LM asks for', () => {
    const [, command] = /^# {3}(MASTER_ADDR=.*)$/m.exec(scriptOf(from(base))) ?? [];
    // arguments.py: a tokenizer and one source of data; training.py: "either train-iters or train-samples should be provided".
    for (const flag of ['--mock-data', '--tokenizer-type NullTokenizer', '--train-iters 10', '--lr 1e-4'])
      expect(command).toContain(flag);
  });

  test('names what the plan does not know, and reads back without a word of it', () => {
    const script = scriptOf(from(changed('vocab = 32000, hidden', 'vocab = 32001, pad = 64, hidden')));
    // 32001 on 2 ranks: 251 times 128.
    expect(script).toContain(
      '# - A tokenizer of 32,001 entries is padded to a multiple of 64 × 2 tensor ranks, 32,128 rows.',
    );
    expect(script).toContain('# - The model does not say its `norm_epsilon`: Megatron-LM takes 1e-5.');
    const read = pipeOfMegatron(script);
    expect('remarks' in read ? read.remarks : []).toEqual([
      'A script does not name its devices: nodes of eight H100 are written. Change them.',
    ]);
    // The same words in a script of someone else hold what nobody knows.
    const other = pipeOfMegatron(script.replace('written by Pipewright', ''));
    expect('remarks' in other ? other.remarks.at(-1) : '').toContain('what flags they hold: $@');
  });

  test.for<[string, string, string, RegExp]>([
    [
      'another schedule',
      'schedule = 1f1b',
      'schedule = zb_h1',
      /Megatron runs `1f1b` and `interleaved_1f1b`, not `zb_h1`/,
    ],
    [
      'an optimizer that it lacks',
      'megatron_bf16(shard = distributed, clip = true)',
      'momentum',
      /not known to keep an optimizer as `momentum` does, in bf16 with pipeline ranks. The nearest that it runs is `optimizer = megatron_bf16`/,
    ],
    ['gathered weights that stay', 'shard = distributed', 'shard = fsdp, reshard = false', /drops gathered weights/],
    ['recomputation that it lacks', 'schedule = 1f1b', 'recompute = operations\n schedule = 1f1b', /not `operations`/],
    [
      'layers that differ',
      'layer head',
      'layer wide[2] = transformer(hidden = 1024, heads = 16, ffn = 8192)\n layer head',
      /layers here differ/,
    ],
    [
      'a model without an embedding',
      'layer embed = embedding(vocab = 32000, hidden = 1024, dropout = false)',
      '',
      /0 embeddings/,
    ],
    // arguments.py: "Transformer Engine cross entropy loss fusion is disabled due to stability issues".
    ['the loss of Transformer Engine', 'lm_head(vocab', 'lm_head(loss = fused, vocab', /no loss as `fused`.*parallel/],
    [
      'layers that are none of its own',
      'layer head',
      'layer conv = linear(inputs = 1024, outputs = 1024)\n layer head',
      /`conv` is none of these/,
    ],
  ])('%s is refused', ([, what, other, reason]) => {
    const made = written(from(changed(what, other)));
    expect('problem' in made ? made.problem : made.text).toMatch(reason);
  });

  test.for<[string, string, string, string]>([
    [
      'other bytes of a parameter',
      'megatron_bf16(shard = distributed, clip = true)',
      'adam_mixed',
      'In bf16 Megatron-LM keeps other bytes of a parameter than `adam_mixed`',
    ],
    [
      'the share of an overlap',
      'microbatches = 8',
      'microbatches = 8\n overlap(tensor) = 70%',
      'The share of an exchange',
    ],
    [
      'an argument of a layer',
      'heads = 16',
      'heads = 16, causal = false',
      '`causal = false` of the layers has no argument here.',
    ],
    ['activations in fp8', 'precision = bf16', 'precision = fp8', 'Megatron-LM keeps activations in fp8'],
    ['a bucket for each layer', 'microbatches = 8', 'microbatches = 8\n sync = overlap', 'A bucket for each layer'],
  ])('%s is named', ([, what, other, note]) => {
    const made = written(from(changed(what, other)));
    expect('notes' in made ? made.notes.join('\n') : made.problem).toContain(note);
    expect('text' in made ? made.text : '').toContain(`# - `);
  });

  test('stages of different recomputation are refused', () => {
    const stages = [0, 1, 2, 3].map((stage) => {
      const layers = [
        stage === 0 ? ['embed'] : [],
        [`block[${2 * stage}..${2 * stage + 1}]`],
        stage === 3 ? ['head'] : [],
      ];
      return `stage s${stage} { layers = ${layers.flat().join(', ')} ${stage === 0 ? 'recompute = full' : ''} }`;
    });
    const made = written(from(changed('stages = balance(4)', stages.join('\n'))));
    expect(made).toEqual({
      problem: 'Megatron recomputes every stage alike, and stages here have `recompute = full` and `recompute = none`',
    });
  });

  test('layers with measured times have a layout if they say which is the embedding and which the head', () => {
    const measured = base
      .replace(/embedding\([^)]*\)|transformer\([^)]*\)|lm_head\([^)]*\)/g, '{ forward = 1ms  backward = 2ms }')
      .replaceAll('= { forward', '{ forward');
    const script = scriptOf(from(measured));
    expect(script).toContain("--pipeline-model-parallel-layout 'Et|tt|t*3|ttL'");
    expect(script).not.toContain('--hidden-size');
    const blocks = written(from(measured.replace(/ {2}layer (embed|head).*\n/g, '')));
    expect('problem' in blocks ? blocks.problem : '').toMatch(
      /do not say which of them are the embedding and the head/,
    );
  });

  test('a router has a bias only where its scores are sigmoids', () => {
    const experts = (bias: string) =>
      changed('flash = true', `flash = true, bias = false, experts = 8, experts_per_token = 2, router_bias = ${bias}`);
    expect(scriptOf(from(experts('true')))).toMatch(
      /--moe-router-score-function sigmoid\s+--moe-router-enable-expert-bias/,
    );
    expect(scriptOf(from(experts('false')))).not.toContain('--moe-router-score-function');
    // Where linear layers have biases, router.py gives one to the router, and its scores stay what they are.
    const biased = experts('true')
      .replace('bias = false, ', '')
      .replace('tensor = 2', 'tensor = 2\n  expert_tensor = 1');
    expect(scriptOf(from(biased))).not.toMatch(/--moe-router-(?:score-function|enable-expert-bias)/);
    const open = written(from(biased.replace(', router_bias = true', '')));
    expect('notes' in open ? open.notes.join(' ') : open.problem).toContain('`router_bias = true` counts it');
  });

  test('messages that block are said of several stages a rank', () => {
    const text = changed('stages = balance(4)', 'stages = balance(8)\n  transfer = rendezvous').replace(
      'schedule = 1f1b',
      'schedule = interleaved_1f1b(chunks = 2)',
    );
    expect(scriptOf(from(text))).toContain('--no-overlap-p2p-communication');
  });

  const inTurn = (first: string, second: string): string =>
    changed(
      '  layer block[8] = transformer(hidden = 1024, heads = 16, flash = true, dropout = false)',
      Array.from(
        { length: 4 },
        (_, at) =>
          `  layer a${at} = transformer(hidden = 1024, flash = true, dropout = false, ${first})\n  layer b${at} = transformer(hidden = 1024, flash = true, dropout = false, ${second})`,
      ).join('\n'),
    );

  test('windows, sinks and gates have arguments, layer by layer', () => {
    // A token sees itself and 127 before it; layers with a 1 have the window.
    const turns = scriptOf(from(inTurn('heads = 16, sinks = true, window = 128', 'heads = 16, sinks = true')));
    expect(turns).toContain("--window-size '127,0'\n  --window-attn-skip-freq '([1]*1+[0]*1)*4'");
    expect(turns).toContain('--softmax-type learnable');
    const everywhere = scriptOf(from(changed('heads = 16', 'heads = 16, window = 512, output_gate = true')));
    expect(everywhere).toContain("--window-size '511,0'");
    expect(everywhere).toContain('--attention-output-gate');
    expect(everywhere).not.toContain('--window-attn-skip-freq');
  });

  test('gated delta rules have the sizes of their heads', () => {
    const delta = 'mixer = delta_net, heads = 32, groups = 16, head_dim = 64, state = 128, kernel = 4';
    const script = scriptOf(from(inTurn(delta, 'heads = 16, kv_heads = 2')));
    for (const flag of [
      '--experimental-attention-variant gdn',
      "--linear-attention-freq '([1]*1+[0]*1)*4'",
      '--linear-conv-kernel-dim 4',
      '--linear-key-head-dim 128',
      '--linear-value-head-dim 64',
      '--linear-num-key-heads 16',
      '--linear-num-value-heads 32',
      '--num-attention-heads 16',
      '--num-query-groups 2',
    ])
      expect(script).toContain(flag);
  });

  test.for<[string, string, RegExp]>([
    ['window = 128, heads = 16', 'window = 256, heads = 16', /indows of Megatron have one width, .*128 and 256/],
    ['sinks = true, heads = 16', 'heads = 16', /are alike but for their windows/],
    ['heads = 16, chunk = 512', 'heads = 16', /GPT models of Megatron have no `chunk`/],
    ['heads = 16, mixer = mamba2, state = 64, groups = 1', 'heads = 16', /not `mixer = mamba2`/],
  ])('%s, then %s: refused by the finding, too', ([first, second, reason]) => {
    const text = inTurn(first, second).replace('schedule = 1f1b', 'schedule = 1f1b\n  engine = megatron');
    const resolution = from(text);
    const made = written(resolution);
    expect('problem' in made ? made.problem : made.text).toMatch(reason);
    expect(resolution.findings.find(({ code }) => code === 'engine/unsupported')?.message).toMatch(reason);
  });

  test('Megatron FSDP needs several queues, tensor ranks need one', () => {
    expect(scriptOf(from(base))).toContain('CUDA_DEVICE_MAX_CONNECTIONS=1');
    const sharded = scriptOf(from(changed('shard = distributed', 'shard = fsdp, over = 2')));
    expect(sharded).not.toContain('CUDA_DEVICE_MAX_CONNECTIONS');
    expect(sharded).toContain('--num-distributed-optimizer-instances 2');
    expect(sharded).toContain('--data-parallel-sharding-strategy optim_grads_params');
    expect(sharded).toContain('--ckpt-format fsdp_dtensor');
  });
});

test('every layout that is written reads as its stages', () => {
  const stage = fc.array(fc.constantFrom<LayerSymbol>('E', 't', 'm', 'L'), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(fc.tuple(stage, fc.integer({ min: 1, max: 4 })), { minLength: 1, maxLength: 6 }), (runs) => {
      const stages = runs.flatMap(([each, times]) => Array.from({ length: times }, () => each));
      const read = readLayout(layoutText(stages));
      expect('stages' in read ? read.stages.map((one) => one.map(({ symbol }) => symbol)) : read).toEqual(stages);
    }),
  );
});

describe('arguments that no import reads back', () => {
  const wide = (keys: string, precision = 'bf16', optimizer = 'megatron_bf16(shard = distributed)') => `
import { h100, pcie5x16 } from "std:hardware"
device gpu { from = h100  host = pcie5x16 }
model m {
  sequence = 2048
  precision = ${precision}
  layer embed = embedding(vocab = 32000, hidden = 1024, dropout = false)
  layer block[16] = transformer(hidden = 1024, heads = 16, flash = true, dropout = false, bias = false, experts = 8, experts_per_token = 2)
  layer head = lm_head(vocab = 32000, hidden = 1024)
}
cluster c { gpu[16] = gpu  link = 300GB/s  host_memory = 2TB  host_bandwidth = 200GB/s }
pipeline train {
  model = m
  devices = c
  tensor = 2
  sequence_parallel = true
  data = 4
  expert = 4
  microbatches = 8
  stages = balance(4)
  optimizer = ${optimizer}
  ${keys}
}
`;
  const scripts = (...asked: Parameters<typeof wide>): string => {
    const resolution = resolveText(wide(...asked));
    expect(resolution.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    return scriptOf(resolution);
  };

  test.for<[keys: string, flags: readonly string[], absent: readonly string[]]>([
    [
      'schedule = interleaved_1f1b(chunks = 2)',
      [],
      ['--no-overlap-p2p-communication', '--tp-comm-overlap', '--overlap-moe', '--overlap-grad-reduce'],
    ],
    [
      'schedule = interleaved_1f1b(chunks = 2)\n overlap(tensor) = 70%',
      ['--tp-comm-overlap', 'export CUDA_DEVICE_MAX_CONNECTIONS=1\n'],
      ['--overlap-moe'],
    ],
    [
      'schedule = interleaved_1f1b(chunks = 2)\n overlap(expert) = 70%',
      ['--overlap-moe-expert-parallel-comm', 'export CUDA_DEVICE_MAX_CONNECTIONS=32'],
      ['--tp-comm-overlap'],
    ],
    [
      'schedule = interleaved_1f1b(chunks = 2)\n sync = megatron',
      ['--overlap-grad-reduce', '--overlap-param-gather'],
      ['--ddp-bucket-size'],
    ],
    ['schedule = interleaved_1f1b(chunks = 2)\n sync = overlap(bucket = 40MB)', ['--ddp-bucket-size 10000000'], []],
  ])('%s', ([keys, flags, absent]) => {
    const script = scripts(keys);
    for (const flag of flags) expect(script).toContain(flag);
    for (const flag of absent) expect(script).not.toContain(flag);
  });

  test('a part of the optimizer on the host', () => {
    const script = scripts(
      'schedule = interleaved_1f1b(chunks = 2)',
      'bf16',
      'megatron_bf16(shard = distributed, offload = 50%)',
    );
    // arguments.py: "The optimizer cpu offload must be used in conjunction with `--use-precision-aware-optimizer`".
    expect(script).toContain('--use-precision-aware-optimizer');
    expect(script).toContain('--optimizer-cpu-offload');
    expect(script).toContain('--optimizer-offload-fraction 0.5');
  });
});
