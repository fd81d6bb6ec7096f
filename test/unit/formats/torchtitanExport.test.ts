/** Configurations for torchtitan: its rules hold for what is written, and what is written reads back. */
import { describe, expect, test } from 'vitest';
import { exportTorchtitan } from '../../../engine/formats/torchtitan/export.ts';
import { importText } from '../../../engine/formats/importText.ts';
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { cellText } from '../../../engine/formats/torchCsv/table.ts';
import { analyse } from '../../support/analyse.ts';
import { exampleText } from '../../support/example.ts';
import { call } from '../cli/harness.ts';

const head = `import { llama3_8b } from "std:models"
import { h100, ib_ndr_400 } from "std:hardware"
cluster c { node[8] { gpu[8] = h100  link = 370GB/s + 3.4us }  link = ib_ndr_400 }
`;
const known = 'model m { from = llama3_8b  sequence = 8192  micro_batch = 2  precision = bf16 }';
const own = `model m {
  sequence = 1024
  precision = bf16
  layer embed = embedding(vocab = 32000, hidden = 1024, dropout = false)
  layer block[22] = transformer(hidden = 1024, heads = 16, flash = true, dropout = false)
  layer out = lm_head(vocab = 32000, hidden = 1024)
}`;
const pipeline = (keys: string, stages: number) => `pipeline train {
  model = m
  devices = c
  microbatches = 16
  stages = balance(${stages})
  ${keys}
  engine = torchtitan
}
`;

const launched = (text: string) => {
  const { resolution, pipelines, findings } = analyse(text);
  // What fits is another question.
  const errors = findings.filter(({ severity, code }) => severity === 'error' && !code.startsWith('memory/'));
  expect(errors.map(({ message }) => message)).toEqual([]);
  const [{ plan, run }] = pipelines;
  const settled = resolution.settled.get(plan.name);
  if (settled === undefined || run === undefined) throw new Error('There is no run.');
  const perHost = resolution.sizes.get(plan.name)?.perHost ?? 1;
  return { plan, run, launch: { plan, pipeline: settled, perHost } };
};
const written = (text: string) => {
  const { launch, run } = launched(text);
  return exportTorchtitan(launch, run.program);
};
const program = (text: string): string => {
  const made = written(text);
  if ('problem' in made) throw new Error(made.problem);
  return made.text;
};
const imported = (script: string): string => {
  const made = importText(script);
  if (made === undefined || 'faults' in made) throw new Error(JSON.stringify(made));
  return made.pipe;
};
const settingOf = (script: string, path: string): string | undefined =>
  new RegExp(`^    config\\.${path.replaceAll('.', '\\.')} = (.*)$`, 'm').exec(script)?.[1];
const layersIn = (script: string): string[][] =>
  JSON.parse(/^LAYERS = (\[\n[^]*?\n\])$/m.exec(script)?.[1].replaceAll(/,(\s*\])/g, '$1') ?? '[]');

/** Stages of a rank by the name of the schedule: `_get_pp_rank_to_stage_indices_mapping` in our words. */
function stagesOfRank(rank: number, ranks: number, schedule: string, stages: number): number[] {
  expect(stages % ranks).toBe(0);
  const each = stages / ranks;
  if (schedule !== 'ZBVZeroBubble') return Array.from({ length: each }, (_, chunk) => rank + chunk * ranks);
  expect(each).toBe(2);
  return [rank, stages - 1 - rank];
}

const figures = (text: string) => {
  const { plan, run, launch } = launched(text);
  const table = exportTorch(plan, run.program, false);
  if ('problem' in table) throw new Error(table.problem);
  const { mesh, optimizer } = launch.pipeline;
  return {
    ...{ mesh, placement: plan.placement, microbatches: plan.microbatches, samples: plan.microBatchSize },
    optimizer: [optimizer?.recipe.name, optimizer?.shard, optimizer?.over, optimizer?.reshard, optimizer?.clip],
    stages: plan.stages.map(({ layers, recomputeMode }) => [layers.length, recomputeMode]),
    rows: table.table.rows.map((row) => row.map(cellText).filter((cell) => cell !== '')),
    memory: plan.stages.map(({ weights, activation }) => [weights, activation]),
  };
};

const shard = 'optimizer = adamw(shard = fsdp, reshard = false, clip = true)';
const cases: readonly (readonly [keys: string, stages: number])[] = [
  [`data = 8  schedule = 1f1b  ${shard}`, 8],
  [`data = 8  schedule = zb_v  recompute = full  ${shard}`, 16],
  [`data = 8  schedule = interleaved_1f1b(chunks = 3)  recompute = budget(40%)  ${shard}`, 24],
  [
    `tensor = 2  sequence_parallel = true  data = 8  schedule = interleaved_1f1b(chunks = 3)  recompute = operations  ${shard}`,
    12,
  ],
  [
    `tensor = 2  data = 4  schedule = dualpipe_v  optimizer = adamw(shard = fsdp, over = 2, reshard = false, clip = true)`,
    16,
  ],
  [
    `context = 2  data = 4  schedule = interleaved_zb(chunks = 2)  optimizer = adamw(shard = fsdp, over = 4, reshard = false)`,
    16,
  ],
  [
    `tensor = 4  sequence_parallel = true  data = 4  schedule = breadth_first(chunks = 2)  optimizer = adam_bf16(clip = true)  sync = ddp`,
    8,
  ],
];

describe.each([
  ['a published model', known],
  ['a model of the file', own],
])('%s', (_, model) => {
  test.each(cases)(
    '%s on %d stages reads back, and torchtitan puts stages where the table has them',
    (keys, stages) => {
      const text = `${head}${model}\n${pipeline(keys, stages)}`;
      const script = program(text);
      const back = imported(script);
      const [before, after] = [figures(text), figures(back)];
      // Layers of another model have placeholders for their figures.
      const sized = model === known;
      expect({ ...after, memory: [] }).toEqual({ ...before, memory: [] });
      if (sized) expect(after.memory).toEqual(before.memory);
      const ranks = Number(settingOf(script, 'parallelism.pipeline_parallel_degree'));
      const name = JSON.parse(settingOf(script, 'parallelism.pipeline_parallel_schedule') ?? '');
      const rows = before.rows.map((row) => [...new Set(row.map((cell) => Number(/\d+/.exec(cell)?.[0])))]);
      for (let rank = 0; rank < ranks; rank += 1)
        expect(rows[rank].toSorted((a, b) => a - b)).toEqual(
          stagesOfRank(rank, ranks, name, stages).toSorted((a, b) => a - b),
        );
      const fqns = layersIn(script).flat();
      const layers = Array.from({ length: model === known ? 32 : 22 }, (__, layer) => `layers.${layer}`);
      expect(fqns).toEqual(['tok_embeddings', ...layers, 'norm', 'lm_head']);
      expect(script).toContain(model === known ? 'import llama3_8b as base' : 'import llama3_debugmodel as base');
      // Written again it is the same program.
      const code = (one: string) => one.slice(one.indexOf('import atexit')).replaceAll(/PIPELINE = .*/g, '');
      expect(code(program(back))).toBe(code(script));
    },
  );
});

describe('without pipeline ranks', () => {
  const alone = (keys: string, model = known) => `${head}${model}\n${pipeline(`schedule = 1f1b  ${keys}`, 1)}`;

  test.each([
    ['data = 64  optimizer = adamw(shard = fsdp, clip = true)', known],
    [
      'data = 8  tensor = 8  sequence_parallel = true  recompute = full  optimizer = adamw(shard = fsdp, over = 2)',
      known,
    ],
    ['data = 8  context = 8  recompute = operations  optimizer = adamw(shard = fsdp, over = 16)', known],
    ['data = 64  sync = ddp  optimizer = adam_bf16(clip = true)', known],
    ['data = 64  optimizer = adamw(shard = fsdp)', own],
  ])('%s reads back, and there is no table', (keys, model) => {
    const text = alone(keys, model);
    const script = program(text);
    expect(script).not.toMatch(/SCHEDULE|csv|pipeline_parallel_schedule|module_fqns|tempfile/);
    expect(settingOf(script, 'parallelism.pipeline_parallel_degree')).toBe('1');
    // Pipelines do not run in CUDA graphs; this does.
    expect(settingOf(script, 'training.disable_cuda_graphs')).toBeUndefined();
    const back = imported(script);
    const [before, after] = [figures(text), figures(back)];
    expect({ ...after, memory: [] }).toEqual({ ...before, memory: [] });
    if (model === known) expect(after.memory).toEqual(before.memory);
    const code = (one: string) => one.slice(one.indexOf('\nfrom ')).replaceAll(/PIPELINE = .*/g, '');
    expect(code(program(back))).toBe(code(script));
  });

  test('tensor ranks may be compiled', () => {
    const script = program(alone('data = 8  tensor = 8  overlap(tensor) = 50%  optimizer = adamw(shard = fsdp)'));
    expect(settingOf(script, 'compile.enable_async_tensor_parallel')).toBe('True');
  });

  test('microbatches are steps of accumulation', () => {
    const script = program(alone('data = 64  optimizer = adamw(shard = fsdp)'));
    expect(settingOf(script, 'training.num_tokens_per_microbatch_per_dp_rank')).toBe('2 * 8192');
    expect(settingOf(script, 'training.num_tokens_per_train_step')).toBe('2 * 8192 * 16 * 64');
    expect(program(alone('data = 64  optimizer = adamw(shard = fsdp)').replace('= 16', '= 1'))).toContain(
      'num_tokens_per_train_step = -1\n',
    );
  });

  test('exchanges of experts are outside of CUDA graphs', () => {
    const experts = own.replace('heads = 16,', 'heads = 16, experts = 8, experts_per_token = 2,');
    const script = program(alone('data = 64  expert = 8  optimizer = adamw(shard = fsdp)', experts));
    expect(settingOf(script, 'training.disable_cuda_graphs')).toBe('True');
  });

  test('weights may be tied', () => {
    const tied = own.replace(
      'lm_head(vocab = 32000, hidden = 1024)',
      'lm_head(vocab = 32000, hidden = 1024, tied = true)',
    );
    expect(program(alone('data = 64  optimizer = adamw(shard = fsdp)', tied))).toContain('enable_weight_tying');
  });

  test('a table that is missing is a fault', () => {
    const script = program(alone('data = 64  optimizer = adamw(shard = fsdp)'));
    const made = importText(script.replace('pipeline_parallel_degree = 1', 'pipeline_parallel_degree = 4'));
    expect(made !== undefined && 'faults' in made ? made.faults.map(({ message }) => message) : made).toEqual([
      'The program has no table `SCHEDULE`.',
    ]);
  });
});

describe('settings', () => {
  const of = (keys: string, stages: number, model = known) => program(`${head}${model}\n${pipeline(keys, stages)}`);

  test('batch, degrees and what pipelines need', () => {
    const script = of(
      `tensor = 2  data = 4  schedule = zb_v  optimizer = adamw(shard = fsdp, over = 2, reshard = false, clip = false)`,
      16,
    );
    expect(
      [
        ...['training.num_tokens_per_microbatch_per_dp_rank', 'training.max_context_length', 'training.max_norm'],
        ...['training.disable_cuda_graphs', 'parallelism.num_pp_microbatches', 'parallelism.pipeline_parallel_degree'],
        ...['parallelism.data_parallel_replicate_degree', 'parallelism.data_parallel_shard_degree'],
        ...['parallelism.enable_sequence_parallel', 'compile.enable', 'activation_checkpoint'],
      ].map((path) => settingOf(script, path)),
    ).toEqual(['2 * 8192', '8192', '1e30', 'True', '16', '8', '2', '2', 'False', 'False', 'None']);
  });

  test('whole backwards leave compilation to the base', () => {
    const script = of(`data = 8  schedule = 1f1b  ${shard}`, 8);
    expect(settingOf(script, 'compile.enable')).toBeUndefined();
    const overlapped = of(
      `tensor = 2  sequence_parallel = true  overlap(tensor) = 50%  data = 8  schedule = 1f1b  ${shard}`,
      4,
    );
    expect(settingOf(overlapped, 'compile.enable_async_tensor_parallel')).toBe('True');
  });

  test('the loss of the model reads back', () => {
    const lossIn = (keys: string, loss: string) => {
      const model = known.replace('precision', `loss = ${loss} precision`);
      const script = program(`${head}${model}\n${pipeline(keys, 4)}`);
      expect(imported(script).replaceAll(/ +/g, ' ')).toContain(` loss = ${loss}\n`);
      return [
        ...['loss.num_chunks', 'loss', 'compile.enable', 'compile.components'].map((path) => settingOf(script, path)),
      ];
    };
    const keys = `data = 8  schedule = 1f1b  ${shard}`;
    expect(lossIn(keys, 'chunked(4)')).toEqual(['4', undefined, undefined, '["model"]']);
    expect(lossIn(keys, 'eager')).toEqual([undefined, 'config.loss.loss_fn', undefined, '["model"]']);
    expect(lossIn(keys, 'compiled')).toEqual([undefined, 'config.loss.loss_fn', 'True', '["loss"]']);
    const overlapped = `tensor = 2  sequence_parallel = true  overlap(tensor) = 50%  ${keys}`;
    expect(lossIn(overlapped, 'compiled')[3]).toBe('["model", "loss"]');
    expect(lossIn(keys.replace('1f1b', 'zb_h1'), 'eager')[2]).toBe('False');
    expect(settingOf(of(keys, 4), 'loss.num_chunks')).toBeUndefined();
    expect(written(`${head}${known.replace('precision', 'loss = fused precision')}\n${pipeline(keys, 4)}`)).toEqual({
      problem: 'torchtitan computes no loss as `fused`. The nearest that it runs is `loss = chunked(8)`',
    });
  });

  test('one model is not taken for another of the same width', () => {
    const wider = own
      .replaceAll('1024,', '4096,')
      .replaceAll('hidden = 1024', 'hidden = 4096')
      .replace('block[22]', 'block[32]')
      .replace('heads = 16', 'heads = 32, kv_heads = 8, ffn = 11008');
    expect(of(`data = 8  schedule = 1f1b  ${shard}`, 8, wider)).toContain('import llama3_debugmodel as base');
  });
});

test.each<[what: string, keys: string, stages: number, model: string, reason: RegExp]>([
  [
    'waves',
    `data = 8  schedule = hanayo(waves = 2)  ${shard}`,
    32,
    known,
    /loop|V, and this schedule puts them elsewhere/,
  ],
  ['a schedule without a flush', 'data = 8  schedule = pipedream', 8, known, /without a flush/],
  ['several stages on one rank', `data = 64  schedule = gpipe  ${shard}`, 1, known, /backward of each microbatch/],
  [
    'tied weights',
    `data = 8  schedule = 1f1b  ${shard}`,
    8,
    own.replace('lm_head(vocab = 32000, hidden = 1024)', 'lm_head(vocab = 32000, hidden = 1024, tied = true)'),
    /no tied weights/,
  ],
  [
    'adapters',
    `data = 8  schedule = 1f1b  optimizer = adamw`,
    8,
    own.replace('precision = bf16', 'precision = bf16\n trainable = lora(rank = 8)'),
    /LoRAConverter/,
  ],
  [
    'another layer',
    `data = 8  schedule = 1f1b  ${shard}`,
    8,
    own.replace('layer out', 'layer conv = linear(inputs = 1024, outputs = 1024)\n layer out'),
    /`conv` is none of these/,
  ],
  [
    'context ranks that repeat weights',
    'context = 2  data = 4  schedule = 1f1b  optimizer = adamw',
    8,
    known,
    /among context ranks/,
  ],
  [
    'another optimizer',
    'data = 8  schedule = 1f1b  optimizer = sgd',
    8,
    known,
    /not known to keep an optimizer as `sgd` does.*adamw/,
  ],
  [
    'selective recomputation',
    `data = 8  schedule = 1f1b  recompute = selective  ${shard}`,
    8,
    known,
    /not `selective`.*operations/,
  ],
  [
    'compiled split backwards',
    `tensor = 2  sequence_parallel = true  overlap(tensor) = 50%  data = 8  schedule = zb_h1  ${shard}`,
    4,
    known,
    /compiles no split backwards/,
  ],
])('%s: refused', (_, keys, stages, model, reason) => {
  const made = written(`${head}${model}\n${pipeline(keys, stages)}`);
  expect('problem' in made ? made.problem : made.text.slice(0, 200)).toMatch(reason);
});

test.each([
  ['num_pp_microbatches = 16', 'num_pp_microbatches = 4', '4', /table has 16 microbatches/],
  ['pipeline_parallel_degree = 8', 'pipeline_parallel_degree = 4', '4', /table has 8 ranks/],
  ['0F1', '0F0', '0F0', /Expected/],
])('a program that was changed: %s → %s', (from, to, marked, message) => {
  const script = program(`${head}${known}\n${pipeline(`data = 8  schedule = 1f1b  ${shard}`, 8)}`);
  expect(script).toContain(from);
  const changed = script.replace(from, to);
  const made = importText(changed);
  const [fault] = made !== undefined && 'faults' in made ? made.faults : [];
  expect(fault?.message).toMatch(message);
  expect(changed.slice(fault?.start, fault?.end)).toBe(marked);
});

test('layers that are not in order are not read as those of the model', () => {
  const script = program(`${head}${known}\n${pipeline(`data = 8  schedule = 1f1b  ${shard}`, 8)}`);
  const made = importText(script.replace('"layers.9"', '"layers.40"'));
  expect(made).toMatchObject({
    remarks: expect.arrayContaining([expect.stringContaining('do not say the layers in order')]),
  });
});

test('the command writes it, with what it does not say', async () => {
  const files = { 'a.pipe': `${head}${known}\n${pipeline(`data = 8  schedule = zb_v  ${shard}`, 16)}` };
  const { status, out, err } = await call(['export', 'a.pipe', '--to', 'torchtitan'], { files });
  expect([status, out]).toEqual([0, program(files['a.pipe'])]);
  expect(err).toContain('a.pipe: Model, data and loss come from llama3_8b');
  const refused = await call(['export', 'a.pipe', '--to', 'torchtitan', '--pipeline', 'lora'], {
    files: { 'a.pipe': exampleText('lora-ethernet.pipe') },
  });
  expect(refused).toMatchObject({ status: 1, out: '' });
});

// torchtitan/models/MODEL/__init__.py has the sizes, and config_registry.py a function for each.
test.each([
  ['llama3_8b', 'llama3', 'llama3_8b'],
  ['llama3_1_70b', 'llama3', 'llama3_70b'],
  ['llama3_1_405b', 'llama3', 'llama3_405b'],
  ['qwen3_14b', 'qwen3', 'qwen3_14b'],
  ['qwen3_32b', 'qwen3', 'qwen3_32b'],
  ['qwen3_30b_a3b', 'qwen3', 'qwen3_30b_a3b'],
  ['deepseek_v3', 'deepseek_v3', 'deepseek_v3_671b'],
  // torchtitan has Qwen 3 8B for supervised fine-tuning only, and no Mixtral.
  ['qwen3_8b', 'llama3', 'llama3_debugmodel'],
  ['mixtral_8x7b', 'llama3', 'llama3_debugmodel'],
])('%s of std:models is the configuration of %s: %s', (model, folder, name) => {
  const script = program(`import { dgx_h100 } from "std:clusters" with { nodes = 4 }
import { ${model} } from "std:models"
pipeline p { model = ${model}  devices = dgx_h100  data = 8  microbatches = 8  stages = balance(4)  schedule = 1f1b
  optimizer = adamw(shard = fsdp, reshard = false)  engine = torchtitan }
`);
  expect(script).toContain(`from torchtitan.models.${folder}.config_registry import ${name} as base`);
});
