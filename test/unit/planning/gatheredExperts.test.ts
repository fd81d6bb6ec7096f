import { describe, expect, it } from 'vitest';
import { resolveText } from '../../support/resolve.ts';

/** Two expert layers a stage on four data ranks; `expert` of them spread the experts. */
const stageOf = (optimizer: string, expert: number, more = '') => {
  const { plan, findings } = resolveText(`model m {
  sequence = 1024  micro_batch = 1
  layer block[4] = transformer(hidden = 512, heads = 8, flash = true, dropout = false, bias = false, gated = true, experts = 8, experts_per_token = 2)
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[8] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  data = 4  expert = ${expert}  optimizer = ${optimizer}  ${more} }
`);
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return pipeline.stages[0];
};
const experts = 8 * 3 * 512 * 2048;
// Attention, router, two norms of scale and shift.
const others = 4 * 512 ** 2 + 512 * 8 + 4 * 512;

describe('sharded weights', () => {
  // Of two layers two are gathered and one gradient is whole, or the other way round; what a rank has for itself is in neither.
  const passing = (parameters: number) => 2 * 3 * parameters;

  it('gathers experts that several ranks hold in parts', () => {
    const { workspace, weights } = stageOf('adam_mixed(shard = fsdp)', 2);
    expect(workspace).toBe(passing(others + experts / 2));
    expect(weights).toBe(2 * 2 * (others / 4 + experts / 2 / 2));
  });

  it('copies experts that each rank has for itself when their layer runs, with FSDP', () => {
    const { workspace, weights } = stageOf('adam_mixed(shard = fsdp)', 4);
    // Whole gradients of two layers, two layers of gathered weights or one, and one layer of copied experts.
    expect(workspace).toBe(2 * (3 * others + 2 * (experts / 4) + experts / 4));
    expect(weights).toBe(2 * 2 * (others / 4 + experts / 4));
  });

  it.each([
    ['DeepSpeed', 'zero3', ''],
    ['Megatron FSDP', 'fsdp', 'engine = megatron'],
  ])('gathers no experts that each rank has for itself with %s', (_, shard, engine) => {
    const { workspace, weights } = stageOf(`adam_mixed(shard = ${shard})`, 4, engine);
    expect(workspace).toBe(passing(others));
    expect(weights).toBe(2 * 2 * (others / 4 + experts / 4));
  });

  // In fp32, with products in bf16: shards of 4 bytes, copies of 2, and sums of gradients of 4, on top of shards of 4.
  it.each([1, 2, 4])(
    'keeps whole copies of the experts of each rank where gathered weights stay, over %i',
    (expert) => {
      const { weights, gradients } = stageOf('adamw(shard = fsdp, reshard = false)', expert, 'engine = torchtitan');
      const inParts = 2 * (others / 4 + experts / 4);
      const whole = 2 * (others + experts / expert);
      expect(weights).toBe(4 * inParts + 2 * whole);
      expect(gradients).toBe(4 * inParts + 4 * whole);
    },
  );

  it('keeps the copies of torchtitan on one data rank too, and says nothing against the shard', () => {
    const alone =
      resolveText(`model m { layer x[2] = linear(inputs = 512, outputs = 512, bias = false)  sequence = 64  micro_batch = 1 }
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  engine = torchtitan  optimizer = adamw(shard = fsdp, reshard = false) }
`);
    const { weights, gradients } = alone.plan.pipelines[0].stages[0];
    expect([weights, gradients]).toEqual([(4 + 2) * 512 ** 2, (4 + 4) * 512 ** 2]);
    expect(alone.findings.filter(({ code }) => code === 'key/not-applicable')).toEqual([]);
  });

  it('gathers nothing where a shard group is one rank', () => {
    const { workspace, weights } = stageOf('adam_mixed(shard = fsdp, over = 1)', 1);
    expect([workspace, weights]).toEqual([0, 2 * 2 * (others + experts)]);
  });
});
