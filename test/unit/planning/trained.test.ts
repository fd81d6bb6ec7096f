import { describe, expect, it } from 'vitest';
import { packedBytes } from '../../../engine/costs/training.ts';
import { relay } from '../../../engine/planning/cost/relay.ts';
import { analyse } from '../../support/analyse.ts';
import { planOf } from '../../support/resolve.ts';

const llama = { h: 4096, a: 32, k: 8, d: 128, f: 14336, s: 64 };
const block =
  'transformer(hidden = 4096, heads = 32, kv_heads = 8, ffn = 14336, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false)';

/** Times are FLOPs: devices make one a second and move bytes at once. */
const file = (layers: string, pipeline: string, model = '') => `model m {
  sequence = ${llama.s}  ${model}
  ${layers}
}
device gpu { memory = 1000000TiB  compute = 1FLOPS }
cluster box { gpu[4] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  microbatches = 4  schedule = 1f1b  ${pipeline} }
`;
const stagesOf = (layers: string, pipeline = 'stages = balance(1)', model = '') =>
  planOf(file(layers, pipeline, model)).stages;
const errorsOf = (text: string) =>
  analyse(text)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);

const products = () => {
  const { h, a, k, d, f } = llama;
  return { q: h * a * d, kv: 2 * h * k * d, o: a * d * h, mlp: 3 * h * f };
};
const weights = () => Object.values(products()).reduce((sum, each) => sum + each, 0);
/** FLOPs of products with weights and of the core, of a forward of 64 tokens. */
const linear = () => 2 * llama.s * weights();
const core = () => 2 * llama.s ** 2 * llama.a * llama.d;
/** Bytes of a token: both norms, queries and keys and values, the log-sum-exp, the attention's result, gate and up. */
const forInput = () => {
  const { h, a, k, d, f } = llama;
  return 4 * h + 2 * (a + 2 * k) * d + 4 * a + 2 * a * d + 4 * f;
};

describe('adapters', () => {
  it.each([
    // As PEFT's print_trainable_parameters() shows them.
    ['llama2_7b', 'lora(rank = 8, targets = [q, v])', 4_194_304, 6_742_609_920],
    ['llama3_8b', 'lora(rank = 16)', 41_943_040, 8_030_261_248 + 41_943_040],
    ['llama3_8b', 'lora(rank = 16, targets = [q, k, v, o, gate, up, down])', 41_943_040, 8_030_261_248 + 41_943_040],
    ['llama2_7b', 'lora(rank = 8)', 19_988_480, 6_738_415_616 + 19_988_480],
  ])('of %s under %s have as many parameters as published', (name, trainable, adapters, all) => {
    const { stages } = planOf(`import { ${name} } from "std:models"
model m { from = ${name}  sequence = 64  trainable = ${trainable} }
device gpu { memory = 1000000TiB  compute = 1FLOPS }
cluster box { gpu[4] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  microbatches = 4  schedule = 1f1b  stages = balance(4) }`);
    const sum = (figure: 'parameters' | 'trainable') =>
      stages.reduce((total, stage) => total + (stage[figure] ?? 0), 0);
    expect([sum('trainable'), sum('parameters')]).toEqual([adapters, all]);
  });

  it('keep what the input gradient needs, their input once, and what A makes', () => {
    const { h, a, k, d, f, s } = llama;
    const [plain] = stagesOf(`layer one = ${block}`);
    expect(plain.activation).toBe(s * (forInput() + 4 * h + 2 * f));
    const [two] = stagesOf(`layer one { shape = ${block}  trainable = lora(rank = 8, targets = [q, v]) }`);
    expect(two.activation).toBe(s * (forInput() + 2 * h + 2 * 2 * 8));
    // W needs the input, what both A make, and the gradients of queries and values.
    expect(two.activationForWeight).toBe(s * (2 * h + 2 * 2 * 8 + 2 * (a + k) * d));
    // The projection reads the attention's result, which is kept anyway; down reads the product.
    const [all] = stagesOf(`layer one { shape = ${block}  trainable = lora(rank = 8) }`);
    expect(all.activation).toBe(s * (forInput() + 4 * h + 2 * f + 7 * 2 * 8));
    // Each adapter has a separate dropout: a copy of its input and a mask of bytes.
    const [dropped] = stagesOf(
      `layer one { shape = ${block}  trainable = lora(rank = 8, targets = [q, v], dropout = 0.1) }`,
    );
    expect(dropped.activation).toBe(s * (forInput() + 2 * 3 * h + 2 * 2 * 8));
    const [projected] = stagesOf(
      `layer one { shape = ${block}  trainable = lora(rank = 8, targets = [o], dropout = 0.1) }`,
    );
    expect(projected.activation).toBe(s * (forInput() + 3 * a * d + 2 * 8));
  });

  it('make again what down reads, under `swiglu = recompute`', () => {
    const shape = block.replace('gated = true', 'gated = true, swiglu = recompute');
    const [down] = stagesOf(`layer one { shape = ${shape}  trainable = lora(rank = 8, targets = [down]) }`);
    expect([down.activation, down.workspace]).toEqual([llama.s * (forInput() + 2 * 8), llama.s * 2 * llama.f]);
    const [up] = stagesOf(`layer one { shape = ${shape}  trainable = lora(rank = 8, targets = [up]) }`);
    expect([up.activation, up.workspace]).toEqual([llama.s * (forInput() + 2 * llama.h + 2 * 8), 0]);
  });

  it('add their products to F and I, and are all of W', () => {
    const { h, a, k, d, s } = llama;
    const adapters = 2 * s * 8 * (h + a * d + h + k * d);
    // The embedding trains nothing here, so the input gradient of the block is its own.
    const [stage] = stagesOf(`layer one { shape = ${block}  trainable = lora(rank = 8, targets = [q, v]) }`);
    expect(stage.forward).toBe(linear() + core() + adapters);
    expect(stage.backwardInput).toBe(linear() + 2 * core() + adapters);
    expect(stage.backwardWeight).toBe(adapters);
    expect(stage.backwardFlops).toBe(linear() + 2 * core() + 2 * adapters);
  });

  it('alone have gradients, optimizer state and an exchange', () => {
    const adapters = 8 * (llama.h + llama.a * llama.d + llama.h + llama.k * llama.d);
    const base = weights() + 2 * llama.h;
    const layer = `layer one { shape = ${block}  trainable = lora(rank = 8, targets = [q, v]) }`;
    const [none] = stagesOf(layer);
    expect([none.weights, none.gradients]).toEqual([2 * (base + adapters), 2 * adapters]);
    const { stages, step } = planOf(file(layer, 'stages = balance(1)  data = 2  optimizer = megatron_bf16'));
    expect(stages[0]).toMatchObject({
      weights: 2 * (base + adapters),
      gradients: 4 * adapters,
      optimizer: 12 * adapters,
    });
    // A ring of two moves half of the bytes twice.
    expect(step[0].sync).toBeCloseTo((4 * adapters) / 100e9, 15);
    const [split] = stagesOf(layer, 'stages = balance(1)  data = 2  optimizer = megatron_bf16(shard = zero1)');
    expect([split.weights, split.optimizer]).toEqual([2 * (base + adapters), 6 * adapters]);
    const [sharded] = stagesOf(layer, 'stages = balance(1)  data = 2  optimizer = adam(shard = fsdp)');
    // Frozen weights are at the precision, those that train in fp32; gathered weights come on top while the layer runs.
    expect([sharded.weights, sharded.gradients]).toEqual([base + 2 * adapters, 2 * adapters]);
  });

  it('may stand next to weights in 4 bits, which are unpacked before each use', () => {
    const layer = (weight: string) =>
      `layer one { shape = ${block}  trainable = lora(rank = 8, targets = [q, v], weights = ${weight}) }`;
    const adapters = 8 * (llama.h + llama.a * llama.d + llama.h + llama.k * llama.d);
    expect(packedBytes * 8).toBeCloseTo(4.127, 3);
    const [stage] = stagesOf(layer('nf4'));
    expect(stage.weights).toBeCloseTo(packedBytes * weights() + 2 * (2 * llama.h + adapters), 3);
    expect(stage.workspace).toBe(2 * llama.h * llama.f);
    const slow = (weight: string) =>
      planOf(
        file(layer(weight), 'stages = balance(1)').replace(
          'compute = 1FLOPS',
          'compute = 1000PFLOPS  bandwidth = 1TB/s',
        ),
      ).stages[0];
    const [packed, plain] = [slow('nf4'), slow('model')];
    const unpacking = ((packedBytes + 2) * weights()) / 1e12;
    expect(packed.forward - plain.forward).toBeCloseTo(unpacking, 12);
    expect(packed.backwardInput - plain.backwardInput).toBeCloseTo(unpacking, 12);
    expect(packed.backwardWeight).toBe(plain.backwardWeight);
  });

  it('are recomputed with their layer', () => {
    const { h, s } = llama;
    const [stage] = stagesOf(
      `layer one { shape = ${block}  trainable = lora(rank = 8, targets = [q]) }`,
      'stages = balance(1)  recompute = full',
    );
    expect([stage.activation, stage.recomputed]).toEqual([s * 2 * h, s * (forInput() + 2 * 8)]);
    expect(stage.recompute).toBe(stage.forward);
  });

  it('are split over tensor ranks', () => {
    const [stage] = stagesOf(
      `layer one { shape = ${block}  trainable = lora(rank = 8, targets = [q, v]) }`,
      'stages = balance(1)  tensor = 4  optimizer = adam_mixed',
    );
    const adapters = 8 * (llama.h + llama.a * llama.d + llama.h + llama.k * llama.d);
    expect([stage.trainable, stage.gradients]).toEqual([adapters, (2 * adapters) / 4]);
  });

  it('fit a linear layer', () => {
    const [stage] = stagesOf(
      'layer one { shape = linear(inputs = 1000, outputs = 300, bias = false)  trainable = lora(rank = 4) }',
    );
    expect([stage.parameters, stage.trainable]).toEqual([300_000 + 4 * 1300, 4 * 1300]);
    expect([stage.forward, stage.backwardWeight]).toEqual([2 * 64 * (300_000 + 4 * 1300), 2 * 64 * 4 * 1300]);
    expect(stage.activation).toBe(64 * (2000 + 8));
  });
});

describe('frozen layers', () => {
  const { h, a, s } = llama;

  it('behind a layer that trains have an input gradient and nothing else', () => {
    const [stage] = stagesOf(
      `layer in = linear(inputs = 8, outputs = ${h})\n layer one { shape = ${block}  trainable = false }`,
      'stages = split(1, 1)',
    ).slice(1);
    expect(stage).toMatchObject({
      forward: linear() + core(),
      backwardInput: linear() + 2 * core(),
      backwardWeight: 0,
    });
    expect(stage).toMatchObject({ activation: s * forInput(), activationForWeight: 0, gradients: 0, trainable: 0 });
  });

  it('without FlashAttention do not keep the result of attention either', () => {
    const [stage] = stagesOf(
      `layer in = linear(inputs = 8, outputs = ${h})\n layer one { shape = transformer(hidden = ${h}, heads = ${a})  trainable = false }`,
      'stages = split(1, 1)',
    ).slice(1);
    // Of 34h + 5as: both linear inputs (4h), the attention's result (2h) and the input of the last product (8h) are for W.
    expect(stage.activation).toBe(s * (34 - 4 - 2 - 8) * h + 5 * a * s * s);
  });

  it('before all that trains run forwards only', () => {
    const layers = `layer tower[2] { shape = ${block}  trainable = false }\n layer body[2] = ${block}`;
    const { stages, edges, step } = planOf(
      file(layers, 'stages = split(2, 2)  data = 2  optimizer = megatron_bf16  recompute = full'),
    );
    expect(stages[0]).toMatchObject({
      forward: 2 * (linear() + core()),
      backwardInput: 0,
      backwardWeight: 0,
      recompute: 0,
    });
    expect(stages[0]).toMatchObject({
      activation: 0,
      activationForWeight: 0,
      gradients: 0,
      optimizer: 0,
      recomputeMode: 'none',
    });
    expect(stages[0].weights).toBe(2 * 2 * (weights() + 2 * h));
    // What a layer would keep is there while it runs.
    expect(stages[0].workspace).toBe(s * (forInput() + 4 * h + 2 * llama.f));
    expect(edges).toEqual([{ from: 0, to: 1, bytes: 2 * h * s, forwardOnly: true }]);
    expect(stages[0].buffers).toBe(0);
    expect(step[0].sync).toBe(0);
    expect(stages[1]).toMatchObject({ backwardWeight: 2 * linear() });
  });

  it('leave no transfer back and no wait for one', () => {
    const layers =
      'layer tower { forward = 10ms  backward = 20ms  activation = 4MiB  output = 1MB  trainable = false }\n layer body { forward = 30ms  backward = 60ms  activation = 8MiB }';
    const { pipelines } = analyse(file(layers, 'stages = split(1, 1)').replace('link = 100GB/s', 'link = 1GB/s'));
    const report = pipelines[0]?.run?.report;
    expect(report?.stages[0]).toMatchObject({ backward_input: 0, backward_weight: 0 });
    // The tower, one message of 1 ms, and four times the body.
    expect(report?.iteration).toBeCloseTo(0.01 + 0.001 + 4 * 0.09, 9);
    expect(report?.links.map(({ from, to, bytes }) => [from, to, bytes])).toEqual([
      ['gpu[0]', 'gpu[1]', 4e6],
      ['gpu[1]', 'gpu[0]', 0],
    ]);
    // The tower is done after 40 of 360 ms: of four messages 4 · 10 / 90 are taken by then, so three more than the buffer of one wait.
    expect(pipelines[0]?.plan.stages[1].buffers).toBe(1e6 + 3e6);
    expect(pipelines[0]?.plan.stages[0]).toMatchObject({ activation: 0, workspace: 4 * 1024 ** 2, gradients: 0 });
  });

  it('before a linear layer leave it without an input gradient', () => {
    const layers = (trainable: string) =>
      `layer tower { shape = linear(inputs = 8, outputs = 16)  trainable = ${trainable} }\n layer map = linear(inputs = 16, outputs = 32)`;
    const times = (trainable: string) => {
      const { forward, backwardInput, backwardWeight } = stagesOf(layers(trainable), 'stages = split(1, 1)')[1];
      return [forward, backwardInput, backwardWeight].map((each) => each / (2 * s * 16 * 32));
    };
    expect([times('true'), times('false')]).toEqual([
      [1, 1, 1],
      [1, 0, 1],
    ]);
  });

  it('may be named by the model, and the first one behind them that trains needs no gradient of theirs', () => {
    const { stages, edges } = planOf(
      file(`layer body[4] = ${block}`, 'stages = split(1, 1, 1, 1)', 'frozen = body[0], body[2]'),
    );
    expect(stages.map(({ backwardInput, backwardWeight }) => [backwardInput > 0, backwardWeight > 0])).toEqual([
      [false, false],
      [true, true],
      [true, false],
      [true, true],
    ]);
    expect(edges.map(({ forwardOnly }) => forwardOnly)).toEqual([true, undefined, undefined]);
  });

  it('have no weight gradient on a device with figures of its attention kernels, and adapters a small one', () => {
    const { stages } = planOf(`import { dgx_h100 } from "std:clusters"
model m {
  sequence = 4096
  layer in = linear(inputs = 8, outputs = ${h})
  layer still { shape = ${block}  trainable = false }
  layer adapted { shape = ${block}  trainable = lora(rank = 16) }
  layer body = ${block}
}
pipeline p { model = m  devices = dgx_h100  microbatches = 4  schedule = 1f1b  stages = split(1, 1, 1, 1) }`);
    const [, still, adapted, body] = stages;
    expect([still.forward, still.backwardInput, still.backwardWeight]).toEqual([body.forward, body.backwardInput, 0]);
    expect(adapted.backwardWeight).toBeGreaterThan(0);
    expect(adapted.backwardWeight).toBeLessThan(body.backwardWeight / 5);
  });

  it('of another model train again if `trainable` says so', () => {
    const text = (more: string) => `model still {
  sequence = 64  frozen = in
  layer in = linear(inputs = 8, outputs = 8)
  layer out { shape = linear(inputs = 8, outputs = 8)  trainable = lora(rank = 2) }
}
model m { from = still  ${more} }
device gpu { memory = 80GiB  compute = 1FLOPS }
cluster box { gpu[1] = gpu }
pipeline p { model = m  devices = box  microbatches = 1  schedule = 1f1b  stages = balance(1) }`;
    expect(planOf(text('')).stages[0].trainable).toBe(2 * 16);
    expect(planOf(text('trainable = true')).stages[0].trainable).toBeUndefined();
    expect(planOf(text('trainable = true  frozen = out')).stages[0].trainable).toBe(72);
  });

  it('that share a tied matrix exchange no gradient of it', () => {
    const layers = `layer embed = embedding(vocab = 1000, hidden = 64, dropout = false)
  layer body[2] = transformer(hidden = 64, heads = 4)
  layer head = lm_head(vocab = 1000, hidden = 64, tied = true)`;
    const sync = (model: string) =>
      planOf(file(layers, 'stages = split(2, 2)', model)).step.map((step) => step.sync > 0);
    expect([sync(''), sync('frozen = embed, head')]).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it('weigh less where a cut goes by memory', () => {
    // Frozen layers keep 2 of 18 bytes.
    const layers = (trainable: string) =>
      `layer still[6] { shape = linear(inputs = 512, outputs = 512, bias = false)  trainable = ${trainable} }
  layer body[3] = linear(inputs = 512, outputs = 512, bias = false)`;
    const sizes = (trainable: string) =>
      stagesOf(layers(trainable), 'stages = balance(3, by = memory)  optimizer = megatron_bf16').map(
        (stage) => stage.layers.length,
      );
    expect([sizes('true'), sizes('false')]).toEqual([
      [3, 3, 3],
      [7, 1, 1],
    ]);
  });

  it('still weigh their weights there', () => {
    const layers = `layer still[40] { shape = linear(inputs = 512, outputs = 512, bias = false)  trainable = false }
  layer body[3] = linear(inputs = 512, outputs = 512, bias = false)`;
    const sizes = stagesOf(layers, 'stages = balance(3, by = memory)  optimizer = megatron_bf16').map(
      (stage) => stage.layers.length,
    );
    // 40 times 2 bytes and 3 times 18: about 50 for each stage, of which the last has two layers of 18.
    expect(sizes[2]).toBe(2);
    expect(sizes[0]).toBeGreaterThan(20);
    expect(sizes[0]).toBeLessThan(28);
  });

  it('of an embedding have no W, kernel by kernel either', () => {
    const { stages } = planOf(`model m {
  sequence = 4096  frozen = embed
  layer embed = embedding(vocab = 1000, hidden = 64, dropout = false)
  layer body = transformer(hidden = 64, heads = 4)
}
device gpu { memory = 80GiB  compute = 1TFLOPS  bandwidth = 1TB/s  efficiency = 50%  efficiency(1GFLOP) = 60% }
cluster box { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  microbatches = 4  schedule = 1f1b  stages = split(1, 1) }`);
    expect(stages[0].forward).toBeGreaterThan(0);
    expect([stages[0].backwardInput, stages[0].backwardWeight]).toEqual([0, 0]);
  });

  it('send nothing back through the stages between either', () => {
    const edges = [
      { from: 0, to: 2, bytes: 8, forwardOnly: true },
      { from: 1, to: 2, bytes: 4 },
    ] as const;
    expect(relay(edges, 3).edges).toEqual([
      { from: 0, to: 1, bytes: 8, forwardOnly: true },
      { from: 1, to: 2, bytes: 12 },
    ]);
  });

  it('gather sharded weights once where there is no backward, and scatter no gradients', () => {
    const layers = `layer still { shape = linear(inputs = 512, outputs = 512, bias = false)  trainable = false }
  layer body = linear(inputs = 512, outputs = 512, bias = false)`;
    const stages = stagesOf(layers, 'stages = split(1, 1)  data = 2  optimizer = adam_mixed(shard = fsdp)');
    // Half of 2 bytes for each weight: two gathers and a scatter of what trains.
    expect(stages.map(({ traffic }) => traffic?.weights?.bytes)).toEqual([512 ** 2, 3 * 512 ** 2]);
    expect(stages[0].backwardInput).toBe(0);
  });

  it('count only their forward in the FLOPs of the model', () => {
    const layers = `layer tower { shape = ${block}  trainable = false }\n layer body = ${block}`;
    const { pipelines } = analyse(file(layers, 'stages = split(1, 1)'));
    const report = pipelines[0]?.run?.report;
    const each = linear() + core();
    expect(report?.model_flops?.rate).toBeCloseTo((4 * (each + 3 * each)) / 2 / (report?.iteration ?? 0), 6);
  });

  it('are exchanged in no bucket, and are gathered under a shard of the weights', () => {
    const layers = `layer in = linear(inputs = 8, outputs = ${h}, bias = false)\n layer one { shape = ${block}  trainable = false }`;
    const { step } = planOf(
      file(layers, 'stages = balance(1)  data = 2  sync = overlap(bucket = 1B)  optimizer = adam_mixed'),
    );
    expect(step[0].overlap?.flatMap(({ buckets }) => buckets.map(({ seconds }) => seconds))).toEqual([
      expect.closeTo((2 * 8 * h) / 100e9, 15),
    ]);
    const whole = planOf(
      file(layers, 'stages = balance(1)  data = 2  optimizer = adam_mixed(shard = fsdp, reshard = false)'),
    );
    const all = 8 * h + weights() + 2 * h;
    // Gradients of what trains are scattered, all weights gathered: each sends half of 2 bytes per parameter.
    expect(whole.step[0].sync).toBeCloseTo((8 * h + all) / 100e9, 12);
  });
});

describe('what cannot be', () => {
  it.each([
    [`layer one { shape = ${block}  trainable = false }`, '', 'nothing trains'],
    ['layer one { forward = 1ms  backward = 2ms  trainable = lora(rank = 4) }', '', 'measured'],
    [
      `layer one { shape = transformer(hidden = 64, heads = 4)  trainable = lora(rank = 4, targets = [gate]) }`,
      '',
      'gated',
    ],
    [
      `layer one { shape = embedding(vocab = 64, hidden = 64)  trainable = lora(rank = 4) }`,
      '',
      'only transformer and linear',
    ],
    [`layer one { shape = transformer(hidden = 64, heads = 4)  trainable = lora(targets = [q]) }`, '', 'rank'],
    [`layer one { shape = transformer(hidden = 64, heads = 4)  trainable = lora(rank = 0) }`, '', 'rank'],
    [
      `layer one { shape = transformer(hidden = 64, heads = 4)  trainable = lora(rank = 4, targets = [query]) }`,
      '',
      'query',
    ],
    [
      `layer one { shape = transformer(hidden = 64, heads = 4)  trainable = lora(rank = 4, targets = []) }`,
      '',
      'empty list',
    ],
    [`layer one { shape = transformer(hidden = 64, heads = 4)  trainable = 3 }`, '', 'lora(rank = 16)'],
    [
      `layer one { shape = transformer(hidden = 64, heads = 4, experts = 4, experts_per_token = 2)  trainable = lora(rank = 4, targets = [kv_up]) }`,
      '',
      'has the targets q, k, v, o, not kv_up',
    ],
    [
      'layer e = embedding(vocab = 64, hidden = 64)\n layer one = transformer(hidden = 64, heads = 4)\n layer h = lm_head(vocab = 64, hidden = 64, tied = true)',
      'frozen = e',
      'share one matrix',
    ],
  ])('%s %s is an error', (layers, model, word) => {
    const errors = errorsOf(file(layers, 'stages = balance(1)', model));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(word);
  });
});

describe('bytes of a measured layer that W needs', () => {
  it('are kept after I, and the rest is freed', () => {
    const layer = (more: string) =>
      `layer one { forward = 1ms  backward_input = 1ms  backward_weight = 1ms  activation = 8MiB  ${more} }`;
    expect(stagesOf(layer(''))[0]).toMatchObject({ activation: 8 * 1024 ** 2, activationForWeight: 8 * 1024 ** 2 });
    expect(stagesOf(layer('activation_for_weight = 3MiB'))[0]).toMatchObject({
      activation: 8 * 1024 ** 2,
      activationForWeight: 3 * 1024 ** 2,
    });
  });
});
