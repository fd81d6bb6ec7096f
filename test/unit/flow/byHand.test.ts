/** Runs that an engineer would size on paper first: each figure is derived here from the model's dimensions alone. */
import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';
import type { Outcome } from './changed.ts';

/** Switched nodes of eight, a network card for each device. */
const nodes = (count: number, inside: string, network: string, gpu: string) =>
  `cluster pod { switch fabric {}  node[${count}] { gpu[8] = ${gpu}  switch nv { ports = gpu[0..7]  link = ${inside} }  link gpu[0..7] -- fabric = ${network} } }`;
const dgxH100 = (count: number) => nodes(count, '370GB/s + 1.7us', '48.5GB/s + 4.8us', 'h100');

function run(imports: string, cluster: string, pipeline: string): Outcome {
  const text = `import { h100, a100_80 } from "std:hardware"\nimport { ${imports} } from "std:models"\n${cluster}\npipeline train { model = ${imports}  devices = pod  ${pipeline} }`;
  const { pipelines, findings } = analyse(text);
  const [{ plan, run: made } = {}] = pipelines;
  if (plan === undefined || made === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return { plan, report: made.report };
}

/** Seconds of a ring over `n` for S bytes: an all-reduce has two passes, a gather or a scatter one. */
const ring = (passes: number, n: number, bytes: number, rate: number, latency: number) =>
  passes * (n - 1) * (latency + bytes / n / rate);

describe('Llama 3 8B on two DGX H100: t 2 with sequence parallelism, p 2, d 4, distributed optimizer', () => {
  const { plan, report } = run(
    'llama3_8b',
    dgxH100(2),
    'microbatches = 16  stages = split(17, 17)  tensor = 2  sequence_parallel = true  data = 4  optimizer = megatron_bf16(shard = distributed)  schedule = 1f1b',
  );
  const [s, h, f, kv, vocab, t] = [8192, 4096, 14336, 1024, 128256, 2];
  const matrices = 2 * h * h + 2 * h * kv + 3 * h * f;
  // Embedding and 16 blocks on the first stage, 16 blocks, the last norm and the head on the last.
  const [stage] = plan.stages;
  const [device] = report.devices;
  const local = 16 * (matrices / t + 2 * h) + (vocab * h) / t;

  it('weights 2, gradients 4, state 12 / d bytes a parameter', () => {
    expect(stage.parameters).toBe(16 * (matrices + 2 * h) + vocab * h);
    expect(device.memory.weights).toBe(2 * local);
    expect(device.memory.gradients).toBe(4 * local);
    expect(device.memory.optimizer).toBeCloseTo((12 / 4) * local, 3);
  });

  it('34·s·h / t bytes a block, two microbatches at most', () => {
    // Norm and linear inputs 8, q k v 2(h + 2kv), output of attention 2, gate, up and product 6f: 34 h; log-sum-exp of 32 heads.
    const block = (8 * h + 2 * (h + 2 * kv) + 2 * h + 6 * f) * (s / t) + (4 * 32 * s) / t;
    expect((8 * h + 2 * (h + 2 * kv) + 2 * h + 6 * f) / h).toBe(34);
    const tokens = 8 * s;
    expect(device.memory.activations).toBeCloseTo(2 * (16 * block + tokens), 3);
  });

  it('four gathers and four scatters of 2·s·h over NVLink a block, three a microbatch of the embedding', () => {
    // Latency of two hops.
    const one = ring(1, t, 2 * s * h, 370e9, 3.4e-6);
    // The embedding scatters its sum, and gathers it again in the backward.
    expect(stage.traffic?.tensor?.time).toBeCloseTo((16 * 8 + 2) * one, 9);
  });

  it('gradients scattered and weights gathered among four data ranks of a node, two of them apart', () => {
    // A stage is one node of eight: tensor ranks are neighbours, so both rings of four are inside, on ports of their own.
    const seconds = ring(1, 4, 4 * local, 370e9, 3.4e-6) + ring(1, 4, 2 * local, 370e9, 3.4e-6);
    expect(plan.step[0].sync).toBeCloseTo(seconds, 9);
  });
});

describe('GPT-3 175B on 1,024 A100: t 8, p 8, d 16, full recomputation', () => {
  const { plan, report } = run(
    'gpt3_175b',
    nodes(128, '235GB/s + 1.7us', '23.5GB/s + 4.8us', 'a100_80'),
    'microbatches = 96  stages = split(13, 12, 12, 12, 12, 12, 12, 13)  tensor = 8  data = 16  optimizer = megatron_fp16  recompute = full  schedule = 1f1b',
  );
  const [s, h, t] = [2048, 12288, 8];

  it('keeps 2·s·h bytes a block for each of p − i microbatches', () => {
    for (const i of [1, 2, 5]) expect(plan.stages[i].activation).toBe(12 * 2 * s * h);
    expect(report.devices.map((device) => device.in_flight)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('16 bytes a parameter and 4 during the update: 12h² split over t, and of 13h the norms and the two biases behind sums whole', () => {
    const local = 12 * ((12 * h * h + 7 * h) / t + 6 * h);
    const { weights, gradients, optimizer, gradientCopies } = plan.stages[3];
    expect(weights + gradients + optimizer).toBe(16 * local);
    expect(gradientCopies).toBe(4 * local);
  });

  it('six all-reduces a block, two of them in what is computed again; gradients over the network card of each', () => {
    const one = ring(2, t, 2 * s * h, 235e9, 3.4e-6);
    expect(plan.stages[3].traffic?.tensor?.time).toBeCloseTo(12 * 6 * one, 9);
    const local = 12 * ((12 * h * h + 7 * h) / t + 6 * h);
    expect(plan.step[3].sync).toBeCloseTo(ring(2, 16, 2 * local, 23.5e9, 9.6e-6), 9);
  });

  it('reaches the 140 TFLOP/s of arXiv:2104.04473, section 5.1, forward again counted, within a tenth', () => {
    // The paper counts four passes where the model needs three, and the attention core in full.
    const [tokens, layers, vocab] = [1536 * s, 96, 51200];
    const flops = 96 * tokens * layers * h * h * (1 + s / (6 * h) + vocab / (16 * layers * h));
    const rate = flops / 1024 / report.iteration / 1e12;
    expect(rate).toBeGreaterThan(140 * 0.9);
    expect(rate).toBeLessThan(140 * 1.1);
  });
});

describe('Mixtral 8x7B on 64 H100: t 2, p 4, d 8, an expert on each of eight data ranks', () => {
  const { plan } = run(
    'mixtral_8x7b',
    dgxH100(8),
    'microbatches = 16  stages = split(9, 8, 8, 9)  tensor = 2  sequence_parallel = true  data = 8  expert = 8  optimizer = megatron_bf16(shard = distributed)  schedule = 1f1b',
  );
  const [s, h, f, kv, t] = [32768, 4096, 14336, 1024, 2];
  const { weights, optimizer, traffic, activationParts = {} } = plan.stages[1];
  const expert = (3 * h * f) / t;
  const others = (2 * h * h + 2 * h * kv) / t + 8 * h + 2 * h;

  it('holds one expert of eight whole, whose state no other rank shares', () => {
    expect(weights).toBe(8 * 2 * (expert + others));
    expect(optimizer).toBeCloseTo(8 * (12 * expert + (12 / 8) * others), 3);
  });

  it('keeps two copies of every token before the experts, and 6f bytes of each behind', () => {
    expect(activationParts['inputs of experts']).toBe(8 * 2 * 2 * s * h);
    expect(activationParts['experts']).toBe(8 * 2 * s * ((6 * f) / t));
  });

  it('sends half of its tokens to the other node, four times a block', () => {
    // Sixteen devices are two nodes: four of the eight expert ranks in each.
    const bytes = (2 * 2 * s * h) / t;
    const one = (bytes * 4) / 8 / 48.5e9 + 7 * 9.6e-6;
    expect(traffic?.expert?.bytes).toBeCloseTo(8 * 4 * (7 / 8) * bytes, 0);
    expect(traffic?.expert?.time).toBeCloseTo(8 * 4 * one, 9);
  });
});

describe('DeepSeek-V3 on 2,048 H800: p 16, d 128, 64 expert ranks over eight nodes', () => {
  const { plan } = run(
    'deepseek_v3',
    `device h800 { memory = 79GiB  compute = 989TFLOPS  efficiency = 40% }\n${nodes(256, '160GB/s + 1.7us', '40GB/s + 4.8us', 'h800')}`,
    'microbatches = 120  stages = balance(16)  data = 128  expert = 64  optimizer = deepseek_v3(shard = zero1)  schedule = 1f1b',
  );
  const [s, h, fe] = [4096, 7168, 2048];
  const mla = h * 1536 + 1536 + 1536 * 128 * 192 + h * (512 + 64) + 512 + 512 * 128 * 256 + 128 * 128 * h;
  const others = mla + 3 * h * fe + h * 256 + 256 + 2 * h;
  const experts = (256 / 64) * 3 * h * fe;
  // A stage that has nothing but mixtures of experts.
  const stage = plan.stages[5];
  const blocks = stage.layers.length;

  it('holds four routed experts of 256 a block; their gradients have two ranks, all else 128', () => {
    expect(stage.parameters).toBe(blocks * (others + 256 * 3 * h * fe));
    expect(stage.weights).toBe(blocks * 2 * (others + experts));
    expect(stage.optimizer).toBeCloseTo(blocks * ((8 / 128) * others + (8 / 2) * experts), 3);
  });

  it('sends eight copies of each token, seven eighths of them to other nodes', () => {
    const bytes = 8 * 2 * s * h;
    expect(stage.traffic?.expert?.time).toBeCloseTo(blocks * 4 * ((bytes * 56) / 64 / 40e9 + 63 * 9.6e-6), 9);
  });
});
