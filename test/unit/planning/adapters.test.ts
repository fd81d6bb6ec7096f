/** Adapters of latent attention and of experts: counts as PEFT and Megatron Bridge have them, and what they cost. */
import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
import { planOf } from '../../support/resolve.ts';

const box = (gpus: number) => `device gpu { memory = 1000000TiB  compute = 1FLOPS }
cluster box { gpu[${gpus}] = gpu  link = 100GB/s }
`;
const published = (name: string, trainable: string) => {
  const { stages } = planOf(`import { ${name} } from "std:models"
model m { from = ${name}  sequence = 64  trainable = ${trainable} }
${box(4)}pipeline p { model = m  devices = box  microbatches = 4  schedule = 1f1b  stages = balance(4) }`);
  return stages.reduce((total, stage) => total + (stage.trainable ?? 0), 0);
};

// A matrix A of r × i and a matrix B of o × r for each module (peft, `lora/layer.py`, `update_layer`).
const [h, a, q, c, n, r, v] = [7168, 128, 1536, 512, 128, 64, 128];
const latent = {
  q_down: h + q,
  q_up: q + a * (n + r),
  kv_down: h + c + r,
  kv_up: c + a * (n + v),
  o: a * v + h,
};
const rank = 16;

describe('parameters', () => {
  test.each(Object.entries(latent))('of DeepSeek-V3, %s in each of 61 layers', (target, widths) => {
    expect(published('deepseek_v3', `lora(rank = ${rank}, targets = [${target}])`)).toBe(61 * rank * widths);
  });

  test('of all products of latent attention, and of dense MLPs, where no targets are named', () => {
    const attention = Object.values(latent).reduce((sum, widths) => sum + widths, 0);
    expect(published('deepseek_v3', `lora(rank = ${rank})`)).toBe(rank * (61 * attention + 3 * 3 * (h + 18432)));
  });

  test('of experts: each of Mixtral’s eight in each of 32 layers has three', () => {
    const of = (experts: string) => published('mixtral_8x7b', `lora(rank = 8, targets = [gate, up, down]${experts})`);
    expect(of('')).toBe(32 * 8 * 3 * 8 * (4096 + 14336));
    expect(of(', experts = each')).toBe(of(''));
    // One expert rank: its experts share one adapter for each target.
    expect(of(', experts = shared')).toBe(32 * 3 * 8 * (4096 + 14336));
  });

  test('of shared experts too, and of dense layers of the same model', () => {
    const moe = 58 * (256 + 1) * 3 * rank * (h + 2048);
    expect(published('deepseek_v3', `lora(rank = ${rank}, targets = [gate, up, down])`)).toBe(
      moe + 3 * 3 * rank * (h + 18432),
    );
  });
});

const small = { h: 512, heads: 8, E: 8, j: 2, f: 256, s: 64 };
const moe = (shared = 0, more = '') =>
  `transformer(hidden = 512, heads = 8, head_dim = 64, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false, experts = 8, experts_per_token = 2, expert_ffn = 256${shared > 0 ? `, shared_experts = ${shared}` : ''}${more})`;
const stageOf = (shape: string, trainable: string, keys = '', gpus = 4) =>
  planOf(`model m {
  sequence = ${small.s}
  layer one { shape = ${shape}  trainable = ${trainable} }
}
${box(gpus)}pipeline p { model = m  devices = box  microbatches = 4  schedule = 1f1b  stages = balance(1)  ${keys} }`)
    .stages[0];

describe('experts', () => {
  // What the input gradient needs of a frozen layer, and of each adapter the input and what A makes.
  const frozen = (shared = 0) => stageOf(moe(shared), 'lora(rank = 4, targets = [q])');
  const difference = (targets: string, figure: 'activation' | 'forward' | 'backwardWeight', shared = 0, more = '') =>
    stageOf(moe(shared), `lora(rank = 4, targets = [q, ${targets}]${more})`)[figure] - frozen(shared)[figure];
  const { h: hidden, j, f, s } = small;

  test('keep the copies of tokens once for gate and up, what down reads, and what each A makes', () => {
    expect(difference('up', 'activation')).toBe(s * j * (2 * hidden + 2 * 4));
    expect(difference('gate, up', 'activation')).toBe(s * j * (2 * hidden + 2 * 2 * 4));
    expect(difference('down', 'activation')).toBe(s * j * (2 * f + 2 * 4));
    expect(difference('gate, up, down', 'activation', 1)).toBe(s * (j + 1) * (2 * hidden + 2 * f + 3 * 2 * 4));
    // A copy and a mask of bytes for each adapter.
    const dropped = stageOf(moe(), 'lora(rank = 4, targets = [gate, up], dropout = 0.1)');
    const kept = stageOf(moe(), 'lora(rank = 4, targets = [gate, up])');
    expect(dropped.activation - kept.activation).toBe(s * j * (2 * 3 - 2) * hidden);
  });

  test('add two products for each copy of a token to F and I, and are all of W', () => {
    const each = 2 * 4 * (hidden + f);
    expect(difference('up', 'forward')).toBe(s * j * each);
    expect(difference('gate, up, down', 'forward', 1)).toBe(s * (j + 1) * 3 * each);
    expect(difference('gate, up, down', 'backwardWeight', 1)).toBe(s * (j + 1) * 3 * each);
    // Adapters that experts share see as many copies.
    expect(difference('up', 'forward', 0, ', experts = shared')).toBe(s * j * each);
  });

  test('have state on the ranks that hold them: with the expert ranks, not with all', () => {
    const keys = 'data = 4  expert = 2  optimizer = megatron_bf16(shard = zero1)';
    const trainable = (targets: string, more = '') =>
      stageOf(moe(), `lora(rank = 4, targets = [${targets}]${more})`, keys);
    const attention = 4 * (hidden + 512);
    const ofUp = 4 * (hidden + f);
    // Four of eight experts on each of two ranks, whose state two ranks hold in parts; attention's is on four.
    const stage = trainable('q, up');
    expect(stage.gradients).toBe(4 * (attention + 4 * ofUp));
    expect(stage.optimizer).toBe(12 * (attention / 4 + (4 * ofUp) / 2));
    const shared = trainable('q, up', ', experts = shared');
    expect(shared.gradients).toBe(4 * (attention + ofUp));
    expect(shared.trainable).toBe(attention + 2 * ofUp);
  });

  test('make again what down reads, under `swiglu = recompute`', () => {
    const shape = moe(0, ', swiglu = recompute');
    const of = (targets: string) => stageOf(shape, `lora(rank = 4, targets = [${targets}])`);
    expect(of('q, down').activation - of('q').activation).toBe(s * j * 2 * 4);
    expect(of('q, down').workspace - of('q').workspace).toBe(s * j * 2 * f);
  });
});

describe('latent attention', () => {
  const shape =
    'transformer(hidden = 512, heads = 8, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false, q_lora_rank = 96, kv_lora_rank = 64, qk_nope_head_dim = 32, qk_rope_head_dim = 16, v_head_dim = 48)';
  const of = (targets: string, keys = '') => stageOf(shape, `lora(rank = 4, targets = [${targets}])`, keys);
  const { s } = small;
  const added = (target: string, figure: 'activation' | 'forward') => of(`up, ${target}`)[figure] - of('up')[figure];

  test.each([
    // The compressing products share an input; behind its norm a compressed vector is one more.
    ['q_down', 2 * 512, 512 + 96],
    ['kv_down', 2 * 512, 512 + 64 + 16],
    ['q_up', 2 * 96, 96 + 8 * 48],
    ['kv_up', 2 * 64, 64 + 8 * 80],
    // The kernel keeps the result of attention anyway.
    ['o', 0, 8 * 48 + 512],
  ])('%s keeps its input and what A makes', (target, input, widths) => {
    expect(added(target, 'activation')).toBe(s * (input + 2 * 4));
    expect(added(target, 'forward')).toBe(s * 2 * 4 * widths);
    // Tensor ranks split both matrices (Megatron Bridge, `ParallelLinearAdapter`).
    const split = 'tensor = 2  sequence_parallel = true  optimizer = megatron_bf16';
    expect(of(`up, ${target}`, split).gradients - of('up', split).gradients).toBe((4 * 4 * widths) / 2);
  });

  test('down products share their input', () => {
    const both = of('up, q_down, kv_down').activation - of('up').activation;
    expect(both).toBe(s * (2 * 512 + 2 * 2 * 4));
  });

  test('weights in 4 bits are all of its products', () => {
    const packed = stageOf(shape, 'lora(rank = 4, weights = nf4)');
    const plain = stageOf(shape, 'lora(rank = 4)');
    const weights = 512 * (96 + 64 + 16) + 8 * (96 * 48 + 64 * 80 + 48 * 512) + 3 * 512 * 2048;
    expect(plain.weights - packed.weights).toBeCloseTo((2 - (0.5 + 1 / 64 + 4 / 16384)) * weights, 3);
    expect(packed.workspace).toBe(2 * 512 * 2048);
  });
});

test('targets that a layer lacks are reported', () => {
  const file = (shape: string, lora: string) =>
    `model m {\n  sequence = 64\n  layer a = linear(inputs = 512, outputs = 512)\n  layer one { shape = ${shape}  trainable = ⟦type/mismatch:lora(rank = 4, ${lora})⟧ }\n}`;
  const plain = 'transformer(hidden = 512, heads = 8)';
  checkFindings(file(plain, 'targets = [q, kv_up]'), ['without `kv_lora_rank` has the targets q, k, v, o, not kv_up']);
  checkFindings(file(plain, 'experts = each'), ['`experts` needs a layer with experts']);
  checkFindings(file(moe(), 'experts = shared'), ['`experts` needs targets of experts: gate, up or down']);
  const mla =
    'transformer(hidden = 512, heads = 8, bias = false, kv_lora_rank = 64, qk_nope_head_dim = 32, qk_rope_head_dim = 16, v_head_dim = 48)';
  checkFindings(file(mla, 'targets = [k, v]'), ['latent attention has the targets q, kv_down, kv_up, o, not k, v']);
  checkFindings(
    `import { llama3_8b } from "std:models"
model m { from = llama3_8b  trainable = ⟦type/mismatch:lora(rank = 4, targets = [q, q_up])⟧ }`,
    ['Expected targets that a layer of the model has: q, k, v, o, gate, up, down, found q_up.'],
  );
  checkFindings(
    `import { llama3_8b } from "std:models"
model m { from = llama3_8b  trainable = ⟦type/mismatch:lora(rank = 4, targets = [up], experts = shared)⟧ }`,
    ['`experts` needs a layer with experts'],
  );
});
