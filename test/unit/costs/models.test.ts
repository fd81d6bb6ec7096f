import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../../engine/formats/huggingFace/read.ts';
import type { ConfiguredModel } from '../../../engine/formats/huggingFace/model.ts';
import { publishedModels } from '../../../engine/formats/huggingFace/publishedModels.ts';
import { dataFile } from '../support/data.ts';
import { cost } from './settings.ts';

interface Reference {
  readonly config: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<'total' | 'active' | 'per_layer' | 'embedding' | 'head', number>>;
}

const references = Object.entries(JSON.parse(dataFile('hf_configs.json')) as Record<string, Reference>);

function modelOf(config: object): ConfiguredModel {
  const read = readConfiguration(JSON.stringify(config));
  if ('faults' in read) throw new Error(read.faults.map((fault) => fault.message).join('\n'));
  return read;
}

const totalOf = ({ layers }: ConfiguredModel): number =>
  layers.reduce((sum, { shape, args, count = 1 }) => sum + count * cost(shape, args).parameters, 0);

describe.each(references)('%s as its configuration says', (_name, { config, expected }) => {
  const model = modelOf(config);
  const named = (name: string) => model.layers.find((layer) => layer.name === name);
  it('has the published number of parameters', () => expect(totalOf(model)).toBe(expected.total));
  it('part by part', () => {
    const [embed, head, layer] = [named('embed'), named('head'), named('moe') ?? named('block')];
    if (embed === undefined || head === undefined || layer === undefined) throw new Error('a layer is missing');
    expect(cost(layer.shape, layer.args).parameters).toBe(expected.per_layer);
    expect(cost(embed.shape, embed.args).parameters - positionsOf(config)).toBe(expected.embedding);
    const norm = Number(config['hidden_size'] ?? 2 * Number(config['n_embd']));
    expect(cost(head.shape, head.args).parameters - norm).toBe(expected.head);
  });
  it('multiplies each token with the active parameters: all but look-ups, norms and biases', () => {
    // Counted apart: every total weight but those of experts that a token does not go to.
    const idle = model.layers.reduce((sum, { args, count = 1 }) => {
      const { experts, experts_per_token: chosen, expert_ffn: width, ffn, hidden } = args;
      if (typeof experts !== 'number') return sum;
      return sum + count * (experts - Number(chosen)) * 3 * Number(hidden) * Number(width ?? ffn);
    }, 0);
    expect(expected.total - idle).toBe(expected.active);
    const products = model.layers.reduce(
      (sum, { shape, args, count = 1 }) => sum + count * (cost(shape, args, { sequence: 1 }).linearFlops / 2),
      0,
    );
    const head = named('head');
    const tied = head?.args['tied'] === true ? expected.embedding : 0;
    const dense = products - tied;
    const rest = expected.active - expected.embedding - positionsOf(config) - dense;
    // What is left are vectors: at most 14 of the widest inner width a layer, and the last norm.
    const layers = model.layers.reduce((sum, { count = 1 }) => sum + count, 0);
    const widest = Math.max(
      ...model.layers.map(({ args }) => Math.max(Number(args['hidden']), Number(args['ffn'] ?? 0))),
    );
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThan(14 * widest * layers);
  });
});

const positionsOf = (config: Reference['config']): number =>
  Number(config['n_positions'] ?? 0) * Number(config['n_embd'] ?? 0);

describe('std:models', () => {
  it('has every model of the reference table under a name of its own', () => {
    const totals = new Set(publishedModels.map(({ config }) => totalOf(modelOf(config))));
    for (const [name, { expected }] of references) expect(totals, name).toContain(expected.total);
    expect(new Set(publishedModels.map(({ name }) => name)).size).toBe(publishedModels.length);
  });

  // Totals of the checkpoints' headers on huggingface.co; GPT-2 as its paper's models are stored.
  it.each([
    ['gpt2_medium', 354_823_168],
    ['gpt2_large', 774_030_080],
    ['llama2_13b', 13_015_864_320],
    ['llama2_70b', 68_976_648_192],
    ['mixtral_8x22b', 140_620_634_112],
    ['qwen2_5_14b', 14_770_033_664],
    ['qwen2_5_32b', 32_763_876_352],
    ['qwen2_5_72b', 72_706_203_648],
    ['qwen3_14b', 14_768_307_200],
    ['qwen3_32b', 32_762_123_264],
    ['qwen3_235b_a22b', 235_093_634_560],
  ])('%s: %d parameters', (name, total) => {
    const found = publishedModels.find((publishedModel) => publishedModel.name === name);
    expect(totalOf(modelOf(found?.config ?? {}))).toBe(total);
  });
});
