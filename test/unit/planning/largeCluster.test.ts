import { describe, expect, it } from 'vitest';

/** Tensor 8, pipeline 16, data 128: Llama Team, "The Llama 3 Herd of Models" (2024), table 4. */
const text = `import { h100 } from "std:hardware"
import { llama3_1_405b } from "std:models"
model llama { from = llama3_1_405b  micro_batch = 1 }
cluster pod {
  node[2048] { gpu[8] = h100  link = 370GB/s + 3us }
  link = 50GB/s + 10us
}
pipeline train {
  model = llama
  devices = pod
  tensor = 8
  data = 128
  optimizer = megatron_bf16(shard = distributed)
  microbatches = 16
  stages = balance(16)
  schedule = 1f1b
}
`;
import { analyse } from '../../support/analyse.ts';

describe('a plan for 16,384 devices', () => {
  const analysis = analyse(text);
  const [plan] = analysis.resolution.plan.pipelines;

  it('has one device for each pipeline rank, the first of its 8 × 128', () => {
    expect(plan.devices.map(({ name }) => name)).toEqual(
      Array.from({ length: 16 }, (_, rank) => `node[${128 * rank}].gpu[0]`),
    );
    expect([plan.tensor, plan.data]).toEqual([8, 128]);
    expect(plan.routes.length).toBe(2 * 15);
  });

  it('has the parameters of the model and reduces those of each rank over 128 data ranks in a ring', () => {
    // Table 3 of the paper and the configuration: 126 layers of 16384, grouped queries, 53248 wide, vocabulary 128256.
    const layer = 2 * 16384 * 16384 + 2 * 16384 * 1024 + 3 * 16384 * 53248 + 2 * 16384;
    const parameters = 126 * layer + 2 * 128256 * 16384 + 16384;
    expect(plan.stages.reduce((sum, stage) => sum + stage.parameters, 0)).toBe(parameters);
    for (const [rank, { sync }] of plan.step.entries()) {
      // The state is in parts: fp32 gradients are scattered, 16-bit weights gathered.
      const { gradients, weights } = plan.stages[rank];
      expect(sync).toBeCloseTo(127 * (2 * 10e-6 + (gradients + weights) / 128 / 50e9), 12);
    }
  });

  it('gives every replica its share: the throughput is that of 128 pipelines', () => {
    const report = analysis.pipelines[0].run?.report;
    expect(report?.throughput).toBeCloseTo((16 * 128) / (report?.iteration ?? NaN), 9);
    expect(report?.devices.map((device) => device.in_flight)).toEqual(
      Array.from({ length: 16 }, (_, rank) => 16 - rank),
    );
  });
});
