/** Bytes of expert and context ranks through the card of a node, by hand. */
import { expect, test } from 'vitest';
import { analyse } from '../../support/analyse.ts';

/** Eight ranks in two nodes exchange weights, and tokens or parts of a sequence, among the same devices. */
const pipeline = (name: string, ranks: string): string => `pipeline ${name} {
  model = toy  devices = two  microbatches = 2  ${ranks}  schedule = gpipe  stages = balance(1)
  optimizer = adam_mixed(shard = fsdp, reshard = true)
}
`;
const file = `model toy {
  sequence = 512  micro_batch = 1  precision = bf16
  layer a[4] = transformer(hidden = 1024, heads = 8, flash = true, experts = 8, experts_per_token = 2, expert_ffn = 1024)
}
device gpu { memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s }
cluster two {
  switch core {}
  node[2] {
    gpu[4] = gpu
    link   = 200GB/s
    switch nic { ports = gpu[0..3]  link = 25GB/s }
    link nic -- core = 5GB/s
  }
}
`;

test('each rank of an all-to-all sends its own bytes over the card, and a ring crosses it once', () => {
  const { pipelines, findings } = analyse(
    file + pipeline('experts', 'data = 8  expert = 8') + pipeline('parts', 'context = 8'),
  );
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const overCard = ({ plan }: (typeof pipelines)[number]): number =>
    plan.crowdedLinks?.find(({ bandwidth }) => bandwidth === 5e9)?.operations[0].forward ?? NaN;
  const sent = (at: number, name: 'weights' | 'expert' | 'context'): number =>
    pipelines[at].plan.stages[0].traffic?.[name]?.forward ?? NaN;
  // Of a ring of eight, each sends 7/8 of all, and a half of all crosses.
  const ring = 4 / 7;
  // Four ranks of a node send to seven others each, of which four are in the other node.
  expect(overCard(pipelines[0])).toBeCloseTo(ring * sent(0, 'weights') + 4 * (4 / 7) * sent(0, 'expert'), 3);
  expect(overCard(pipelines[1])).toBeCloseTo(ring * (sent(1, 'weights') + sent(1, 'context')), 3);
});
