import { describe, expect, it } from 'vitest';
import { resolveText } from '../../support/resolve.ts';

/** Two expert layers a stage on four data ranks; `expert` of them spread the experts. */
const stageOf = (optimizer: string, expert: number) => {
  const { plan, findings } = resolveText(`model m {
  sequence = 1024  micro_batch = 1
  layer block[4] = transformer(hidden = 512, heads = 8, flash = true, dropout = false, bias = false, gated = true, experts = 8, experts_per_token = 2)
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[8] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  data = 4  expert = ${expert}  optimizer = ${optimizer} }
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

  it('gathers no experts that each rank has for itself', () => {
    const { workspace, weights } = stageOf('adam_mixed(shard = fsdp)', 4);
    expect(workspace).toBe(passing(others));
    expect(weights).toBe(2 * 2 * (others / 4 + experts / 4));
  });

  it('keeps besides its shards only what is in parts where gathered weights stay', () => {
    const { weights, gradients } = stageOf('adam_mixed(shard = fsdp, reshard = false)', 4);
    for (const bytes of [weights, gradients]) expect(bytes).toBe(2 * 2 * (others / 4 + experts / 4 + others));
  });

  it('gathers nothing where a shard group is one rank', () => {
    const { workspace, weights } = stageOf('adam_mixed(shard = fsdp, over = 1)', 1);
    expect([workspace, weights]).toEqual([0, 2 * 2 * (others + experts)]);
  });
});
