import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';
import { planOf } from '../../support/resolve.ts';

const s = 128;
const llama = { h: 4096, a: 32, k: 8, d: 128, f: 14336 };
const dense =
  'hidden = 4096, heads = 32, kv_heads = 8, ffn = 14336, gated = true, bias = false, norm = rmsnorm, dropout = false';
const flash = `transformer(${dense}, flash = true)`;
const file = (layer: string, model: string, pipeline = '') => `model m {
  sequence = ${s}  ${model}
  layer one = ${layer}
}
device gpu { memory = 1000000TiB  compute = 1FLOPS }
cluster box { gpu[4] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  microbatches = 4  schedule = 1f1b  stages = balance(1)  ${pipeline} }
`;
const stageOf = (layer: string, model: string, pipeline?: string) => planOf(file(layer, model, pipeline)).stages[0];
const fp8 = (args: string) => `precision = fp8  activations = fp8${args}`;

/** Per token: norm inputs, queries and keys and values, and the log-sum-exp stay in 16 bits. */
const { h, a, k, d, f } = llama;
const kept = 4 * h + 2 * (a + 2 * k) * d + 4 * a;

describe('activations in fp4', () => {
  // Transformer Engine, NVFP4BlockScaling: 4 bits, and a scale of 8 bits for 16 elements.
  const each = 0.5 + 1 / 16;

  it.each(['', '(recipe = nvfp4)'])(
    '%s: inputs of products take their bytes and scales, the rest stays in 16 bits',
    (args) => {
      const { activation, activationForWeight } = stageOf(flash, `precision = fp4  activations = fp4${args}`);
      expect(activation).toBe(s * (kept + 2 * a * d + 4 * f + each * (2 * h + a * d + f)));
      expect(activationForWeight).toBe(s * each * (2 * h + a * d + f + (a + 2 * k) * d + h + 2 * f + h));
    },
  );

  it('needs products in fp4, and a model from another one keeps the format of its products', () => {
    const plain = stageOf(flash, 'precision = bf16').activation;
    expect(stageOf(flash, 'precision = fp4').activation).toBe(plain);
    for (const [precision, activations] of [
      ['fp8', 'fp4'],
      ['fp4', 'fp8'],
      ['bf16', 'fp4'],
    ]) {
      const text = file(flash, `precision = ${precision}  activations = ${activations}`);
      const { findings, pipelines } = analyse(text);
      expect(findings.filter(({ code }) => code === 'key/not-applicable').map(({ message }) => message)).toEqual([
        expect.stringContaining(`write \`precision = ${activations}\``),
      ]);
      expect(pipelines[0].plan.stages[0].activation).toBe(plain);
    }
    const based = (precision: string) =>
      planOf(
        file(flash, 'precision = fp4  activations = fp4')
          .replace('device gpu', `model n { from = m  precision = ${precision} }\ndevice gpu`)
          .replace('model = m ', 'model = n '),
      ).stages[0].activation;
    expect(based('fp4')).toBeLessThan(plain);
    expect(based('fp8')).toBe(plain);
  });

  it('computes products at the rate of fp4 and attention at the rate of 16 bits', () => {
    const seconds = (precision: string, rates: string) =>
      planOf(file(flash, `precision = ${precision}`).replace('1FLOPS', `1FLOPS ${rates}`)).stages[0].forward;
    const all = seconds('bf16', '');
    // 2 FLOPs for each weight of a product and token.
    const products = 2 * s * (2 * h * h + 2 * h * k * d + 3 * h * f);
    expect(all - seconds('fp4', 'compute(fp4) = 4FLOPS')).toBeCloseTo(0.75 * all, -6);
    const core = 'attention_efficiency = 100%';
    const whole = seconds('bf16', core);
    expect(whole - seconds('fp4', `${core} compute(fp4) = 4FLOPS`)).toBeCloseTo(0.75 * products, -6);
  });
});

describe('activations in fp8', () => {
  // Transformer Engine saves the quantised input of a product (`Linear`, `saved_inputmat`); FlashAttention saves its result in 16 bits.
  it.each([
    ['', 1],
    ['(recipe = delayed)', 1],
    ['(recipe = blockwise)', 1 + 4 / 128],
    ['(recipe = mxfp8)', 1 + 1 / 32],
  ])('%s: inputs of products take their bytes and scales', (args, each) => {
    const { activation, activationForWeight } = stageOf(flash, fp8(args));
    const inputs = each * (2 * h + a * d + f);
    expect(activation).toBeCloseTo(s * (kept + 2 * a * d + 4 * f + inputs), 6);
    // W reads these inputs, and the gradients of outputs in fp8 too.
    expect(activationForWeight).toBeCloseTo(s * each * (2 * h + a * d + f + (a + 2 * k) * d + h + 2 * f + h), 6);
  });

  it('keep less than 16 bits do, and only under `activations`', () => {
    const plain = stageOf(flash, 'precision = bf16').activation;
    expect(plain).toBe(s * (kept + 4 * h + 2 * a * d + 6 * f));
    expect(stageOf(flash, 'precision = fp8').activation).toBe(plain);
    // Inputs of attention and MLP and of the last product are halved; the projection's input is a copy.
    expect(plain - stageOf(flash, fp8('')).activation).toBe(s * (2 * h + f - a * d));
  });

  it('without FlashAttention keep only the copy of the result of attention', () => {
    const scores = (activation: number) => activation - s * 2 * a * s;
    expect(scores(stageOf(`transformer(${dense})`, fp8('')).activation)).toBe(
      s * (kept - 4 * a + a * d + 2 * h + 5 * f),
    );
  });

  it('store inputs of the activation function too, if asked for', () => {
    expect(stageOf(flash, fp8('(swiglu = true)')).activation).toBe(s * (kept + 3 * a * d + 2 * h + 3 * f));
    const gelu = 'transformer(hidden = 4096, heads = 32, flash = true, dropout = false)';
    const [wide, heads] = [4 * h, 2 * 3 * h];
    expect(stageOf(gelu, fp8('(swiglu = true)')).activation).toBe(
      s * (4 * h + heads + 4 * a + 3 * h + 2 * h + 2 * wide),
    );
  });

  it('of DeepSeek-V3 make the result of SwiGLU again and keep the result of attention once, in 12 bits', () => {
    const each = 1 + 4 / 128;
    const stage = stageOf(flash, fp8('(recipe = deepseek_v3)'));
    expect(stage.activation).toBeCloseTo(s * (kept + (1.5 + 4 / 128) * a * d + each * 2 * h + each * 2 * f), 6);
    expect(stage.workspace).toBe(s * 2 * f);
  });

  it('of experts: the router reads 16 bits, copies are stored and sent in fp8, results come back in 16 bits', () => {
    const moe = `transformer(hidden = 1024, heads = 8, ffn = 512, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false, experts = 4, experts_per_token = 2, shared_experts = 1)`;
    const parts = (model: string) => stageOf(moe, model, 'data = 4  expert = 4').activationParts;
    expect(parts('precision = fp8')).toMatchObject({ 'linear inputs': s * 4096, 'inputs of experts': s * 2 * 2048 });
    // Attention's input in fp8, the router's in 16 bits, the shared expert's in fp8.
    expect(parts(fp8(''))).toMatchObject({
      'linear inputs': s * (1024 + 2048 + 1024),
      'inputs of experts': s * 2 * 1024,
    });
    const sent = (model: string) => stageOf(moe, model, 'data = 4  expert = 4').traffic?.expert?.bytes ?? 0;
    expect(sent(fp8(''))).toBe(sent('precision = fp8'));
    expect(sent(fp8('(dispatch = true)')) / sent(fp8(''))).toBeCloseTo(3 / 4, 9);
    expect(sent(fp8('(recipe = deepseek_v3)')) / sent(fp8(''))).toBeCloseTo((1 + (1 + 4 / 128) / 2) / 2, 9);
  });

  it('of latent attention keep compressed vectors before their norms in 16 bits', () => {
    const latent =
      'transformer(hidden = 1024, heads = 8, ffn = 512, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false, kv_lora_rank = 64, q_lora_rank = 128, qk_nope_head_dim = 32, qk_rope_head_dim = 16, v_head_dim = 32)';
    const parts = (model: string) => stageOf(latent, model).activationParts;
    expect(parts('precision = fp8')).toMatchObject({
      'compressed vectors': s * 4 * 192,
      'attention output': s * 2 * 256,
    });
    expect(parts(fp8(''))).toMatchObject({ 'compressed vectors': s * 3 * 192, 'attention output': s * 3 * 256 });
  });

  it('change no time and no weights', () => {
    const [one, other] = ['precision = fp8', fp8('(recipe = deepseek_v3)')].map((model) => stageOf(flash, model));
    for (const figure of ['forward', 'backwardInput', 'backwardWeight', 'weights', 'gradients'] as const)
      expect(other[figure]).toBe(one[figure]);
  });

  it('leave adapters and layers by themselves as they are described', () => {
    expect(stageOf('linear(inputs = 1000, outputs = 300)', fp8('')).activation).toBe(s * 1000);
    const text = `model m {
  sequence = ${s}  ${fp8('')}
  layer one { shape = ${flash}  trainable = lora(rank = 8, targets = [q]) }
}
device gpu { memory = 1000000TiB  compute = 1FLOPS }
cluster box { gpu[4] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  microbatches = 4  schedule = 1f1b  stages = balance(1) }`;
    // Adapters multiply in 16 bits: their input is kept so, and nothing is kept for frozen products.
    expect(planOf(text).stages[0].activation).toBe(s * (kept + 2 * a * d + 2 * h + 16 + 4 * f));
  });

  it('are told without effect at 16 bits, and wrong words are errors', () => {
    const codes = (model: string) =>
      analyse(file(flash, model))
        .findings.filter(({ severity }) => severity !== 'information')
        .map(({ code }) => code);
    expect(codes('activations = fp8')).toContain('key/not-applicable');
    expect(codes(fp8(''))).not.toContain('key/not-applicable');
    expect(codes('precision = fp8  activations = int4')).toContain('name/unknown');
    expect(codes(fp8('(recipe = tensor)'))).toContain('name/unknown');
    expect(codes('precision = fp8  activations = 8')).toContain('type/mismatch');
  });
});
