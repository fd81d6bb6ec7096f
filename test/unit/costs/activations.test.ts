import { describe, expect, it } from 'vitest';
import { cost, gpt } from './settings.ts';

const sequence = 2048;
const tensor = 8;

describe.each(Object.entries(gpt))('%s: Table 2 of arXiv:2205.05198', (_name, model) => {
  const { hidden: h, heads: a, microBatch } = model;
  const sbh = sequence * microBatch * h;
  const scores = (5 * a * sequence) / h;
  const args = { hidden: h, heads: a };
  const activation = (over: Parameters<typeof cost>[2]) =>
    cost('transformer', args, { microBatch, ...over }).activation / sbh;
  it('no parallelism', () => expect(activation({})).toBeCloseTo(34 + scores, 9));
  it('tensor', () => expect(activation({ tensor })).toBeCloseTo(10 + 24 / tensor + scores / tensor, 9));
  it('tensor and sequence', () =>
    expect(activation({ tensor, sequenceParallel: true })).toBeCloseTo((34 + scores) / tensor, 9));
  it('tensor and selective', () =>
    expect(activation({ tensor, recompute: 'selective' })).toBeCloseTo(10 + 24 / tensor, 9));
  it('tensor, sequence and selective', () =>
    expect(activation({ tensor, sequenceParallel: true, recompute: 'selective' })).toBeCloseTo(34 / tensor, 9));
  it('full', () => {
    expect(activation({ tensor, recompute: 'full' })).toBeCloseTo(2, 9);
    expect(activation({ tensor, sequenceParallel: true, recompute: 'full' })).toBeCloseTo(2 / tensor, 9);
  });
  it('makes again exactly what it did not keep', () => {
    const none = cost('transformer', args, { microBatch, tensor });
    for (const recompute of ['selective', 'full'] as const) {
      const some = cost('transformer', args, { microBatch, tensor, recompute });
      expect((some.activation + some.recomputed) / none.activation).toBeCloseTo(1, 12);
    }
  });
  it('keeps 32sbh between I and W (arXiv:2401.10241, Table 1)', () =>
    expect(cost('transformer', args, { microBatch }).activationForWeight / sbh).toBeCloseTo(32, 9));
});

describe('figures that papers print', () => {
  it.each([
    ['175B', 80, 0.7],
    ['530B', 64, 0.65],
  ] as const)(
    '%s: scores are %dsbh, selective recomputation saves %d (arXiv:2205.05198, section 5)',
    (name, coefficient, saved) => {
      const { hidden, heads } = gpt[name];
      const sbh = sequence * hidden;
      const none = cost('transformer', { hidden, heads });
      const selective = cost('transformer', { hidden, heads }, { recompute: 'selective' });
      expect(selective.recomputed / sbh).toBeCloseTo(coefficient, 9);
      expect(1 - selective.activation / none.activation).toBeCloseTo(saved, 2);
    },
  );

  it('stores no scores with FlashAttention, one fp32 sum a head instead', () => {
    const { hidden, heads } = gpt['175B'];
    const flash = cost('transformer', { hidden, heads, flash: true });
    expect(flash.activation).toBe(34 * sequence * hidden + 4 * heads * sequence);
    expect(cost('transformer', { hidden, heads, flash: true }, { recompute: 'selective' })).toMatchObject({
      recomputed: 0,
      recomputeFlops: 0,
    });
  });

  it('Llama-3-8B: 34sbh with a fused SwiGLU; grouped queries and dropout of Megatron-LM: 31sbh', () => {
    const llama = {
      hidden: 4096,
      heads: 32,
      kv_heads: 8,
      ffn: 14336,
      gated: true,
      bias: false,
      norm: 'rmsnorm',
      dropout: false,
    };
    const sums = 4 * 32;
    expect(cost('transformer', { ...llama, flash: true }).activation / sequence).toBe(34 * 4096 + sums);
    const grouped = { hidden: 4096, heads: 32, kv_heads: 8, flash: true };
    expect(cost('transformer', grouped).activation / sequence).toBe(31 * 4096 + sums);
  });

  it('embedding: token numbers and the dropout mask', () => {
    const args = { vocab: 51200, hidden: 4096 };
    expect(cost('embedding', args).activation).toBe(sequence * (8 + 4096));
    expect(cost('embedding', args, { tensor, sequenceParallel: true }).activation).toBe(sequence * (8 + 4096 / tensor));
    expect(cost('embedding', { ...args, dropout: false }).activation).toBe(8 * sequence);
  });

  it('head: 4sbh/t with sequence parallelism, logits of 131 k entries at 8192 tokens are 6.45 GB', () => {
    const head = cost(
      'lm_head',
      { vocab: 131072, hidden: 4096 },
      { sequence: 8192, tensor: 2, sequenceParallel: true },
    );
    expect(head.activation).toBe((4 * 8192 * 4096) / 2);
    expect(head.workspace).toBe((6 * 8192 * 131072) / 2);
    expect(head.workspace / 1e9).toBeCloseTo(6.44 / 2, 1);
  });

  it('sends sbh elements on, split with sequence parallelism', () => {
    const args = { hidden: 4096, heads: 32 };
    expect(cost('transformer', args, { tensor }).output).toBe(2 * sequence * 4096);
    expect(cost('transformer', args, { tensor, sequenceParallel: true }).output).toBe((2 * sequence * 4096) / tensor);
    expect(cost('transformer', args, { precision: 'fp32' }).output).toBe(4 * sequence * 4096);
  });
});
