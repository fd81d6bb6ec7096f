import { describe, expect, it } from 'vitest';
import { resolveText } from '../../support/resolve.ts';

const width = 512;
const rank = 4;
const frozen = width ** 2;
const adapters = rank * 2 * width;
/** Bytes of the codes of a weight in NF4, and of its constants (arXiv:2305.14314, section 3). */
const codes = 0.5;
const constants = 1 / 64 + 4 / 16384;

const planOf = (weights: string, optimizer: string, data = 4) => {
  const { plan, findings } = resolveText(`model m {
  sequence = 64  micro_batch = 1
  layer product { shape = linear(inputs = ${width}, outputs = ${width}, bias = false)  trainable = lora(rank = ${rank}, weights = ${weights}) }
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[4] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = balance(1)  microbatches = 2  schedule = 1f1b  data = ${data}  optimizer = ${optimizer} }
`);
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return pipeline;
};

describe('weights in 4 bits that data ranks hold in parts', () => {
  it.each([
    ['nf4', codes],
    ['model', 2],
  ])('with weights = %s are gathered as they are kept, for the forward and for the input gradient', (weights, each) => {
    const [{ traffic }] = planOf(weights, 'adamw(shard = fsdp)').stages;
    // Adapters in bf16; their gradients are scattered in fp32. Each rank sends three quarters.
    const gather = each * frozen + 2 * adapters;
    // The layer is the first: behind it nothing needs an input gradient, and its adapters need the gradient of their output only.
    expect(traffic?.weights?.bytes).toBeCloseTo(0.75 * (2 * gather + 4 * adapters), 6);
  });

  it('split their codes over the ranks, and keep their constants whole, as attributes of a module', () => {
    const held = (data: number, optimizer: string) => planOf('nf4', optimizer, data).stages[0].weights;
    expect(held(4, 'adamw(shard = fsdp)')).toBeCloseTo((codes * frozen + 4 * adapters) / 4 + constants * frozen, 6);
    expect(held(4, 'adamw(shard = zero2)')).toBeCloseTo((codes + constants) * frozen + 4 * adapters, 6);
    // Gathered codes stay, next to the shards.
    expect(held(4, 'adamw(shard = fsdp, reshard = false)')).toBeCloseTo(
      (codes * frozen + 4 * adapters) / 4 + constants * frozen + codes * frozen + 2 * adapters,
      6,
    );
  });

  it('are gathered once where they stay', () => {
    const [{ sync, bytes }] = planOf('nf4', 'adamw(shard = fsdp, reshard = false)').step;
    const moved = 0.75 * (codes * frozen + 2 * adapters + 4 * adapters);
    expect(bytes).toBeCloseTo(moved, 6);
    expect(sync).toBeCloseTo(moved / 100e9, 12);
  });
});
