/** Programs for DeepSpeed: its rules hold for what is written, and what is written reads back. */
import { describe, expect, test } from 'vitest';
import { exportDeepspeed } from '../../../engine/formats/deepspeed/export.ts';
import { importText } from '../../../engine/formats/importText.ts';
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { cellText } from '../../../engine/formats/torchCsv/table.ts';
import { analyse } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { placed } from '../schedule/chunked.ts';

const source = (keys: string, stages = 'stages = balance(4)', precision = 'bf16', layers = 22) => `
model m {
  sequence = 1024
  micro_batch = 2
  precision = ${precision}
  layer embed = embedding(vocab = 32000, hidden = 1024, dropout = false)
  layer block[${layers}] = transformer(hidden = 1024, heads = 16, flash = true, dropout = false)
  layer out = lm_head(vocab = 32000, hidden = 1024)
}
import { h100, ib_ndr_400 } from "std:hardware"
cluster c { node[4] { gpu[8] = h100  link = 370GB/s + 3.4us }  link = ib_ndr_400 }
pipeline train { model = m  devices = c  microbatches = 8  ${stages}  schedule = 1f1b  ${keys} }
`;

const launched = (text: string) => {
  const { resolution, pipelines, findings } = analyse(text);
  const errors = findings.filter(({ severity, code }) => severity === 'error' && !code.startsWith('memory/'));
  expect(errors.map(({ message }) => message)).toEqual([]);
  const [{ plan, run }] = pipelines;
  const pipeline = resolution.settled.get(plan.name);
  if (pipeline === undefined || run === undefined) throw new Error('There is no run.');
  return { run, launch: { plan, pipeline, perHost: resolution.sizes.get(plan.name)?.perHost ?? 1 } };
};
const written = (text: string) => exportDeepspeed(launched(text).launch);
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
const layersIn = (script: string): string[][] =>
  JSON.parse(/^LAYERS = (\[\n[^]*?\n\])$/m.exec(script)?.[1].replaceAll(/,(\s*\])/g, '$1') ?? '[]');
const configIn = (script: string) => JSON.parse(/^CONFIG = """\n([^]*?)\n"""/m.exec(script)?.[1] ?? '{}');

const figures = (text: string) => {
  const { launch } = launched(text);
  const { mesh, optimizer, rankOrder, model } = launch.pipeline;
  const { plan } = launch;
  return {
    ...{ ranks: [mesh.tensor, mesh.data], rankOrder, precision: model.precision, microBatch: model.microBatch },
    ...{ microbatches: plan.microbatches, schedule: plan.schedule.name, placement: plan.placement },
    stages: plan.stages.map(({ layers, recomputeMode }) => [layers, recomputeMode]),
    optimizer: [optimizer?.recipe.name, optimizer?.shard, optimizer?.clip],
  };
};

/**
 * How DeepSpeed cuts by the weights of layers (`partition_balanced`): the cut with the least difference between the heaviest and the
 * lightest part, found part by part; of equal ones the one whose last part is the shortest.
 */
function balanced(weights: readonly number[], parts: number): number[] {
  const layers = weights.length;
  if (layers <= parts) return Array.from({ length: parts + 1 }, (_, part) => Math.min(part, layers));
  const before = weights.reduce<number[]>((sums, weight) => [...sums, (sums.at(-1) ?? 0) + weight], [0]);
  const best = Array.from({ length: layers + 1 }, () =>
    Array.from({ length: parts + 1 }, () => ({ cost: Infinity, most: Infinity, least: Infinity, from: 0 })),
  );
  best[0][0] = { cost: 0, most: 0, least: Infinity, from: 0 };
  for (let end = 1; end <= layers; end += 1)
    for (let part = 1; part <= Math.min(end, parts); part += 1)
      for (let from = 0; from < end; from += 1) {
        const own = before[end] - before[from];
        const [most, least] = [Math.max(best[from][part - 1].most, own), Math.min(best[from][part - 1].least, own)];
        if (most - least <= best[end][part].cost) best[end][part] = { cost: most - least, most, least, from };
      }
  const ends = [layers];
  for (let part = parts; part >= 1; part -= 1) ends.unshift(best[ends[0]][part].from);
  return ends;
}

test('DeepSpeed cuts where the marks are, whatever the cut', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 9 }), (sizes) => {
      const marks = sizes.flatMap((size) => Array.from({ length: size }, (_, at) => (at === 0 ? 1 : 0)));
      const starts = sizes.reduce<number[]>((ends, size) => [...ends, (ends.at(-1) ?? 0) + size], [0]);
      expect(balanced(marks, sizes.length)).toEqual(starts);
    }),
    { numRuns: 2000 },
  );
  // A mark elsewhere would move the cut.
  expect(balanced([1, 0, 0, 1, 0], 2)).toEqual([0, 3, 5]);
  expect(balanced([0, 1, 0, 1, 0], 2)).not.toEqual([0, 2, 5]);
});

/** What a rank of `TrainSchedule` computes, by step: even ranks run forwards in even steps, odd ones in odd steps. */
function trainSchedule(rank: number, ranks: number, microbatches: number): string[] {
  const order: string[] = [];
  for (let step = 0; step < 2 * (microbatches + ranks - 1); step += 1) {
    const forward = step % 2 === rank % 2;
    const number = forward
      ? Math.floor(step / 2) - Math.floor(rank / 2)
      : rank % 2 === 1
        ? step / 2 - ranks + Math.floor((rank + 1) / 2)
        : (step - 1) / 2 - ranks + 1 + Math.floor(rank / 2);
    if (number >= 0 && number < microbatches) order.push(`${rank}${forward ? 'F' : 'B'}${number}`);
  }
  return order;
}

test('the order of TrainSchedule is that of 1f1b', () => {
  for (let ranks = 2; ranks <= 9; ranks += 1)
    for (let microbatches = 1; microbatches <= 20; microbatches += 1) {
      const { plan, program: order } = placed('1f1b', ranks, microbatches, {});
      const table = exportTorch(plan, order, false);
      expect(
        'table' in table && table.table.rows.map((row) => row.filter(({ kind }) => kind !== 'blank').map(cellText)),
      ).toEqual(Array.from({ length: ranks }, (_, rank) => trainSchedule(rank, ranks, microbatches)));
    }
});

describe('what is written reads back', () => {
  test.each([
    ['tensor = 2  data = 4', 'bf16', 'deepspeed_bf16(shard = zero1, clip = true)'],
    ['data = 8', 'bf16', 'deepspeed_bf16(shard = zero1)'],
    ['data = 8', 'fp16', 'adam_mixed(shard = zero1)'],
    ['tensor = 4  data = 2  rank_order = tp_cp_pp_dp', 'fp32', 'adam(clip = true)'],
    ['data = 8  recompute = full', 'bf16', 'deepspeed_bf16(shard = zero1)'],
    ['data = 8  recompute = full(layers = 3, method = uniform)', 'fp16', 'sgd_mixed(shard = zero1)'],
  ])('%s, %s, %s', (keys, precision, optimizer) => {
    const text = source(`${keys}  optimizer = ${optimizer}`, 'stages = balance(4)', precision);
    const script = program(text);
    expect(figures(imported(script))).toEqual(figures(text));
    expect(layersIn(script).flat()).toHaveLength(24);
    const config = configIn(script);
    expect(config).toMatchObject({
      gradient_accumulation_steps: 8,
      train_micro_batch_size_per_gpu: 2,
      train_batch_size: 16 * Number(/data = (\d)/.exec(keys)?.[1]),
    });
    // Written again it is the same program.
    const code = (one: string) => one.slice(one.indexOf('import argparse')).replaceAll(/PIPELINE = .*/g, '');
    expect(code(program(imported(script)))).toBe(code(script));
  });

  test('an uneven cut', () => {
    const stages = [2, 9, 1, 10].reduce<{ text: string; next: number }>(
      ({ text, next }, size, stage) => ({
        text: `${text}  stage s${stage} { layers = ${stage === 0 ? 'embed, ' : ''}block[${next}..${next + size - 1}]${stage === 3 ? ', out' : ''} }\n`,
        next: next + size,
      }),
      { text: '', next: 0 },
    ).text;
    const text = source('data = 8  optimizer = deepspeed_bf16(shard = zero1)', stages.replace('[11..11]', '[11]'));
    const script = program(text);
    expect(layersIn(script).map((names) => names.length)).toEqual([3, 9, 1, 11]);
    expect(figures(imported(script)).stages).toEqual(figures(text).stages);
  });

  test('recomputation of whole stages is the longest stage', () => {
    const script = program(source('data = 8  recompute = stage  optimizer = deepspeed_bf16(shard = zero1)'));
    const longest = Math.max(...layersIn(script).map((names) => names.length));
    expect(configIn(script).pipeline.activation_checkpoint_interval).toBe(longest);
  });
});

describe('without pipeline ranks', () => {
  test.each([
    ['data = 32', 'bf16', 'adam_mixed(shard = zero2, clip = true)'],
    ['data = 32', 'bf16', 'adam_mixed'],
    ['data = 32', 'bf16', 'deepspeed_bf16(shard = zero1)'],
    ['data = 32', 'bf16', 'adam_mixed(shard = zero3, over = 8)'],
    ['data = 32', 'bf16', 'adam_bf16(shard = zero1)'],
    ['data = 32', 'fp32', 'adam(clip = true)'],
    ['data = 8  tensor = 4', 'fp16', 'adam_mixed(shard = zero1)'],
    ['data = 32  sync = overlap', 'bf16', 'adam_mixed(shard = zero2)'],
  ])('%s, %s, %s: a model without a PipelineModule, which reads back', (keys, precision, optimizer) => {
    const text = source(`${keys}  optimizer = ${optimizer}`, 'stages = balance(1)', precision);
    const script = program(text);
    expect(script).not.toMatch(/PipelineModule|StageStart|"pipeline"/);
    expect(configIn(script)).toMatchObject({ gradient_accumulation_steps: 8, train_micro_batch_size_per_gpu: 2 });
    expect(figures(imported(script))).toEqual(figures(text));
    const code = (one: string) => one.slice(one.indexOf('import argparse')).replaceAll(/PIPELINE = .*/g, '');
    expect(code(program(imported(script)))).toBe(code(script));
  });

  test('ranks and offloads have settings', () => {
    const alone = (keys: string) => program(source(keys, 'stages = balance(1)'));
    expect(
      configIn(alone('data = 8  tensor = 4  overlap(tensor) = 50%  optimizer = adam_mixed')).tensor_parallel,
    ).toEqual({
      autotp_size: 4,
      tp_overlap_comm: true,
    });
    const ulysses = alone(
      'data = 8  context = 4  context_exchange = all_to_all  optimizer = adam_mixed(shard = zero1)',
    );
    expect(configIn(ulysses)).toMatchObject({ data_parallel_size: 8, sequence_parallel_size: 4 });
    expect(figures(imported(ulysses)).ranks).toEqual([1, 8]);
    const recomputed = written(source('data = 32  recompute = full  optimizer = adam_mixed', 'stages = balance(1)'));
    expect('notes' in recomputed ? recomputed.notes.join(' ') : '').toContain('`recompute = full` has no setting');
  });
});

test.each<[string, string, string, RegExp]>([
  ['another schedule', 'schedule = 1f1b', 'schedule = zb_h1', /runs `1f1b`, not `zb_h1`/],
  [
    'several stages a rank',
    'stages = balance(4)  schedule = 1f1b',
    'stages = balance(8)  schedule = interleaved_1f1b(chunks = 2)',
    /runs `1f1b`/,
  ],
  ['ZeRO-2', 'shard = zero1', 'shard = zero2', /ZeRO-1/],
  ['ZeRO-3', 'shard = zero1', 'shard = zero3, reshard = false', /ZeRO-1/],
  ['selective recomputation', 'data = 8', 'data = 8  recompute = selective', /groups of whole layers/],
  ['context ranks', 'data = 8', 'data = 4  context = 2', /no context ranks/],
  [
    'another optimizer',
    'deepspeed_bf16',
    'megatron_bf16',
    /as `megatron_bf16` does, in bf16 with.*deepspeed_bf16\(shard = zero1\)/,
  ],
  [
    'a state that is not split',
    'deepspeed_bf16(shard = zero1)',
    'deepspeed_bf16',
    /splits the state of a pipeline in bf16.*zero1/,
  ],
  ['a state over a part of the ranks', 'shard = zero1', 'shard = zero1, over = 4', /over all data ranks/],
  ['adapters', 'precision = bf16', 'precision = bf16\n trainable = lora(rank = 8)', /adapters/],
  ['a warm-up of the file', 'schedule = 1f1b', 'schedule = 1f1b(warmup = [4, 3, 2, 1])', /derives the warm-up/],
])('%s: refused', (_, from, to, reason) => {
  const text = source('data = 8  optimizer = deepspeed_bf16(shard = zero1)');
  expect(text).toContain(from);
  const made = written(text.replace(from, to));
  expect('problem' in made ? made.problem : made.text.slice(0, 300)).toMatch(reason);
});

test.each([
  ['"stages": 4', '"stages": 5', '5', /in 4 stages/],
  ['"gradient_accumulation_steps": 8', '"gradient_accumulation_steps": -8', '-8', /from 1/],
  ['"train_batch_size": 128,', '"train_batch_size" 128,', '', /./],
])('a program that was changed: %s → %s', (from, to, marked, message) => {
  const script = program(source('data = 8  optimizer = deepspeed_bf16(shard = zero1)'));
  expect(script).toContain(from);
  const changed = script.replace(from, to);
  const made = importText(changed);
  const [fault] = made !== undefined && 'faults' in made ? made.faults : [];
  expect(fault?.message).toMatch(message);
  expect(changed.slice(fault?.start, fault?.end)).toContain(marked);
  expect(changed.slice(0, fault?.start)).toContain('CONFIG = """');
});
