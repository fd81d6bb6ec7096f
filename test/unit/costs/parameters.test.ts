import { describe, expect, it } from 'vitest';
import { findShape, type ShapeArguments } from '../../../engine/costs/shapes.ts';
import { dataFile } from '../support/data.ts';
import { cost } from './settings.ts';

interface Model {
  readonly config: Readonly<Record<string, number | boolean | string>>;
  readonly expected: {
    readonly total: number;
    readonly per_layer: number;
    readonly embedding: number;
    readonly head: number;
  };
}

interface Shapes {
  readonly layers: number;
  readonly embedding: ShapeArguments;
  readonly block: ShapeArguments;
  readonly head: ShapeArguments;
}

/** Hugging Face field names to arguments; dense models only. */
function shapesOf(config: Model['config']): Shapes | undefined {
  const number = (key: string): number => Number(config[key]);
  const type = config['model_type'];
  if (type === 'gpt2') {
    const [vocab, hidden] = [number('vocab_size'), number('n_embd')];
    return {
      layers: number('n_layer'),
      embedding: { vocab, hidden, positions: number('n_positions') },
      block: { hidden, heads: number('n_head') },
      head: { vocab, hidden, tied: true },
    };
  }
  if (type !== 'llama' && type !== 'qwen2' && type !== 'qwen3') return undefined;
  const [vocab, hidden] = [number('vocab_size'), number('hidden_size')];
  const head_dim: Readonly<Record<string, number>> = 'head_dim' in config ? { head_dim: number('head_dim') } : {};
  return {
    layers: number('num_hidden_layers'),
    embedding: { vocab, hidden, dropout: false },
    block: {
      hidden,
      heads: number('num_attention_heads'),
      kv_heads: number('num_key_value_heads'),
      ...head_dim,
      ffn: number('intermediate_size'),
      gated: true,
      bias: false,
      qkv_bias: type === 'qwen2',
      qk_norm: type === 'qwen3',
      norm: 'rmsnorm',
    },
    head: { vocab, hidden, tied: config['tie_word_embeddings'] === true, norm: 'rmsnorm' },
  };
}

describe('parameters of published models (hf_configs.json)', () => {
  const models = Object.entries(JSON.parse(dataFile('hf_configs.json')) as Record<string, Model>);
  const dense = models.flatMap(([name, model]) => {
    const shapes = shapesOf(model.config);
    return shapes === undefined ? [] : [{ name, model, shapes }];
  });
  it('has the dense models', () => expect(dense.length).toBeGreaterThanOrEqual(10));
  it.each(dense)('$name', ({ model, shapes }) => {
    const layer = cost('transformer', shapes.block).parameters;
    expect(layer).toBe(model.expected.per_layer);
    expect(findShape('transformer')?.check?.(shapes.block)).toBeUndefined();
    const total =
      cost('embedding', shapes.embedding).parameters + shapes.layers * layer + cost('lm_head', shapes.head).parameters;
    expect(total).toBe(model.expected.total);
  });
});

describe('closed forms', () => {
  // arXiv:2104.04473, Table 1: billions of parameters, heads, hidden, layers; V = 51200, s = 2048.
  const models = [
    [1.7, 24, 2304, 24],
    [3.6, 32, 3072, 30],
    [7.5, 32, 4096, 36],
    [18.4, 48, 6144, 40],
    [39.1, 64, 8192, 48],
    [76.1, 80, 10240, 60],
    [145.6, 96, 12288, 80],
    [310.1, 128, 16384, 96],
    [529.6, 128, 20480, 105],
    [1008.0, 160, 25600, 128],
  ] as const;
  it.each(models)('%d B: eq. 2 and Table 1 of arXiv:2104.04473', (billions, heads, hidden, layers) => {
    const [vocab, sequence] = [51200, 2048];
    const block = cost('transformer', { hidden, heads }).parameters;
    expect(block).toBe(12 * hidden ** 2 + 13 * hidden);
    const total = layers * block + cost('embedding', { vocab, hidden, positions: sequence }).parameters;
    const closed = 12 * layers * hidden ** 2 * (1 + 13 / (12 * hidden) + (vocab + sequence) / (12 * layers * hidden));
    expect(total / closed).toBeCloseTo(1, 12);
    expect((total / 1e9).toFixed(1)).toBe(billions.toFixed(1));
  });

  it('splits over tensor ranks what Megatron-LM splits', () => {
    const [hidden, heads, tensor] = [12288, 96, 8];
    const { parameters, localParameters } = cost('transformer', { hidden, heads }, { tensor });
    // Whole on each rank: two norms (4h) and the biases of the two projections back to h (2h).
    expect(localParameters).toBe((parameters - 6 * hidden) / tensor + 6 * hidden);
  });

  it('keeps one key and value head a rank where there are fewer than ranks', () => {
    const args = { hidden: 1024, heads: 16, kv_heads: 2, bias: false, norm: 'rmsnorm' };
    const eight = cost('transformer', args, { tensor: 8 }).localParameters;
    const attention = 1024 * (2 + 2) * 64 + 2 * 64 * 1024;
    expect(eight).toBe(attention + (2 * 1024 * 4096) / 8 + 2 * 1024);
  });

  it('pads the vocabulary as Megatron-LM does', () => {
    const args = { vocab: 50257, hidden: 8, pad: 128 };
    expect(cost('embedding', args).parameters).toBe(50304 * 8);
    expect(cost('embedding', args, { tensor: 8 }).parameters).toBe(51200 * 8);
    expect(cost('lm_head', { ...args, norm: 'none' }, { tensor: 8 }).localParameters).toBe(6400 * 8);
  });

  it('counts a linear layer', () => expect(cost('linear', { inputs: 10, outputs: 7 }).parameters).toBe(77));

  it('refuses heads that do not divide', () => {
    const check = findShape('transformer')?.check;
    expect(check?.({ hidden: 100, heads: 3 })).toContain('head_dim');
    expect(check?.({ hidden: 96, heads: 8, kv_heads: 3 })).toContain('kv_heads 3');
  });
});
