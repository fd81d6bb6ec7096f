/**
 * Bytes that a device sends in one iteration, held to the volumes of the literature: tensor ranks (Shoeybi et al., Megatron-LM,
 * arXiv:1909.08053, section 3), context ranks (Liu et al., Ring Attention, arXiv:2310.01889), expert ranks (Lepikhin et al., GShard,
 * arXiv:2006.16668), data ranks and their shards (Rajbhandari et al., ZeRO, arXiv:1910.02054, section 7).
 */
import { describe, expect, test } from 'vitest';
import { analyse, runOf } from '../../../support/analyse.ts';

// Like Llama 3 8B, a block for each of four stages.
const [s, b, h, ffn, heads, kv, layers, m] = [8192, 1, 4096, 14336, 32, 8, 4, 8];
const headSize = h / heads;
/** Parameters of a block: queries and output, keys and values, three matrices of the feed-forward, two norms. */
const attention = 2 * h * h + 2 * h * kv * headSize;
const block = attention + 3 * h * ffn + 2 * h;

interface Mesh {
  readonly tensor?: number;
  readonly context?: number;
  readonly data?: number;
  readonly expert?: number;
}

function reportOf({ tensor = 1, context = 1, data = 1, expert = 1 }: Mesh, more = '', shape = '') {
  const text = `model m {
  sequence = ${s}  micro_batch = ${b}  precision = bf16
  layer block[${layers}] { shape = transformer(hidden = ${h}, heads = ${heads}, kv_heads = ${kv}, ffn = ${ffn}, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false${shape}) }
}
device gpu { memory = 800GiB  compute(bf16) = 900TFLOPS  bandwidth = 3TB/s }
cluster box { gpu[${4 * tensor * context * data}] = gpu  link = 100GB/s }
pipeline p {
  model = m  devices = box  stages = balance(4)  microbatches = ${m}  schedule = 1f1b
  tensor = ${tensor}  context = ${context}  data = ${data}  ${expert > 1 ? `expert = ${expert}` : ''}
  ${more}
}
`;
  return runOf(text).run.report;
}

describe('per device and iteration', () => {
  test.each([2, 8])(
    '%i tensor ranks: 4 all-reduces of s·b·h a block, with sequence_parallel the same bytes in halves',
    (t) => {
      const volume = m * 4 * ((2 * (t - 1)) / t) * s * b * h * 2;
      for (const more of ['', 'sequence_parallel = true']) {
        const { stages } = reportOf({ tensor: t }, more);
        expect(stages[1].traffic?.tensor?.bytes).toBeCloseTo(volume, 0);
      }
    },
  );

  test.each([
    [1, 1],
    [4, 1],
    [1, 2],
    [4, 2],
  ])('boundaries of %i tensor and %i context ranks: s·b·h each way', (t, c) => {
    for (const { bytes } of reportOf({ tensor: t, context: c }).links)
      expect(bytes).toBeCloseTo((m * s * b * h * 2) / c, 0);
    if (t === 1) return;
    for (const { bytes } of reportOf({ tensor: t, context: c }, 'sequence_parallel = true').links)
      expect(bytes).toBeCloseTo((m * s * b * h * 2) / c / t, 0);
  });

  test.each([2, 4])('%i context ranks: keys and values around the ring, and twice that in the backward', (c) => {
    const forward = ((2 * s) / c) * b * kv * headSize * 2 * (c - 1);
    expect(reportOf({ context: c }).stages[1].traffic?.context?.bytes).toBeCloseTo(m * 3 * forward, 0);
  });

  test.each([2, 4])('%i expert ranks: two all-to-alls each way of k copies of the tokens', (e) => {
    const k = 2;
    const { stages } = reportOf(
      { data: e, expert: e },
      '',
      `, experts = 8, experts_per_token = ${k}, expert_ffn = ${ffn}`,
    );
    expect(stages[1].traffic?.expert?.bytes).toBeCloseTo(m * 4 * ((e - 1) / e) * k * s * b * h * 2, 0);
  });

  test.each([2, 4])(
    '%i data ranks: 2 Ψ for gradients as wide as weights, and 4 + 2 bytes with gradients in fp32',
    (n) => {
      const share = (n - 1) / n;
      const bytes = (optimizer: string) => reportOf({ data: n }, `optimizer = ${optimizer}`).devices[1].sync.bytes;
      expect(bytes('adam_mixed')).toBeCloseTo(2 * share * block * 2, 0);
      expect(bytes('adam_mixed(zero1)')).toBeCloseTo(share * block * (2 + 2), 0);
      expect(bytes('megatron_bf16')).toBeCloseTo(2 * share * block * 4, 0);
      expect(bytes('megatron_bf16(shard = distributed)')).toBeCloseTo(share * block * (4 + 2), 0);
      expect(bytes('adam_mixed(fsdp, reshard = false)')).toBeCloseTo(share * block * (2 + 2), 0);
    },
  );

  // Servers: each worker pushes all of its gradients. On the workers, 1/n of them stays. Any other all-reduce sends what a ring does.
  test.each([
    ['ps', 1],
    ['ps(servers = 2)', 1],
    ['ps(colocated = true)', 2 * (3 / 4)],
    ['trees', 2 * (3 / 4)],
    ['ring', 2 * (3 / 4)],
  ])('all at once at the end by %s', (collective, sent) => {
    const more = `optimizer = adam_mixed  sync = end  collective = ${collective}`;
    expect(reportOf({ data: 4 }, more).devices[1].sync.bytes).toBeCloseTo(sent * block * 2, 0);
  });

  test.each(['ring', 'ps'])('gradients scattered, weights gathered at the end by %s', (collective) => {
    const more = `optimizer = megatron_bf16(shard = distributed)  sync = end  collective = ${collective}`;
    const sent = collective === 'ps' ? 1 / 2 : 3 / 4;
    expect(reportOf({ data: 4 }, more).devices[1].sync.bytes).toBeCloseTo(sent * block * (4 + 2), 0);
  });

  test('context ranks reduce gradients with the data ranks, tensor ranks hold a part of them', () => {
    const { sync } = reportOf({ data: 2, context: 2, tensor: 2 }, 'optimizer = adam_mixed').devices[1];
    const local = (block - 2 * h) / 2 + 2 * h;
    expect(sync.bytes).toBeCloseTo(2 * (3 / 4) * local * 2, 0);
  });

  test.each([2, 4])('fsdp over %i ranks: 3 Ψ for each microbatch, and nothing at the end', (n) => {
    const { devices, stages } = reportOf({ data: n }, 'optimizer = adam_mixed(fsdp)');
    expect(stages[1].traffic?.weights?.bytes).toBeCloseTo(m * 3 * ((n - 1) / n) * block * 2, 0);
    expect(devices[1].sync.bytes).toBe(0);
  });

  test.each([2, 4])('zero2 over %i ranks: gradients for each microbatch, weights once', (n) => {
    const { devices, stages } = reportOf({ data: n }, 'optimizer = adam_mixed(zero2)');
    expect(stages[1].traffic?.weights?.bytes).toBeCloseTo(m * ((n - 1) / n) * block * 2, 0);
    expect(devices[1].sync.bytes).toBeCloseTo(((n - 1) / n) * block * 2, 0);
  });

  test('shard groups of two of four ranks: parts within, and the parts among the groups', () => {
    const report = (sync: string) =>
      reportOf({ data: 4 }, `optimizer = megatron_bf16(distributed, over = 2)  sync = ${sync}`);
    for (const sync of ['end', 'overlap'])
      expect(report(sync).devices[1].sync.bytes).toBeCloseTo((block / 2) * (4 + 2) + 2 * (1 / 2) * (block / 2) * 4, 0);
  });

  test('a head that is tied to the embedding: both stages send its gradient once more', () => {
    const [vocab, width] = [32000, 1024];
    const text = (tied: boolean, sync: string) => `model m {
  sequence = 512  precision = bf16
  layer embed { shape = embedding(vocab = ${vocab}, hidden = ${width}) }
  layer block[2] { shape = transformer(hidden = ${width}, heads = 16) }
  layer head { shape = lm_head(vocab = ${vocab}, hidden = ${width}, tied = ${tied}) }
}
device gpu { memory = 80GiB  compute(bf16) = 300TFLOPS  bandwidth = 2TB/s }
cluster box { gpu[4] = gpu  link = 25GB/s }
pipeline p { model = m  devices = box  stages = split(2, 2)  microbatches = 4  schedule = 1f1b  data = 2  sync = ${sync} }
`;
    const runs = (tied: boolean, sync: string) => {
      const { pipelines } = analyse(text(tied, sync));
      return pipelines[0];
    };
    const copy = vocab * width * 2;
    for (const sync of ['end', 'overlap']) {
      const [tied, own] = [runs(true, sync), runs(false, sync)];
      const bytes = (evaluation: typeof tied) => evaluation.run?.report.devices[0].sync.bytes ?? Number.NaN;
      expect(bytes(tied) - bytes(own)).toBeCloseTo(copy, 3);
      // Of the buckets it is none.
      if (sync === 'overlap') expect(tied.plan.step.map((step) => step.sync)).toEqual([copy / 25e9, copy / 25e9]);
    }
  });
});
