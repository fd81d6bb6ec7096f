/** Bytes of sharded weights, of experts and of parts of a sequence through the card of a node, by hand. */
import { expect, test } from 'vitest';
import { analyse } from '../../support/analyse.ts';

/** A node has one card. */
const cluster = `device gpu { memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s }
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

/** Two stages on two nodes of four devices, with four data ranks each: two on either node. */
function card(optimizer: string, frozen = '') {
  const { pipelines, findings } = analyse(`model toy {
  sequence = 512  micro_batch = 1  precision = bf16  ${frozen}
  layer a[4] = transformer(hidden = 1024, heads = 8, flash = true)
}
${cluster}pipeline p {
  model = toy  devices = two  microbatches = 2  stages = split(2, 2)  data = 4  schedule = 1f1b
  rank_order = tp_cp_pp_dp  optimizer = ${optimizer}
}
`);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const [{ plan }] = pipelines;
  const [link] = plan.crowdedLinks ?? [];
  return { parameters: plan.stages[0].parameters, operations: link.operations, users: link.users };
}

test('a backward gathers once more over the card, but not if weights stay on neighbours', () => {
  const { parameters, operations, users } = card('adam_mixed(shard = fsdp)');
  // Half of the weights are on the other node: 2 bytes of each come in. Gradients of 2 bytes leave half by half.
  const half = parameters;
  expect(operations).toEqual([0, 1].map((stage) => ({ stage, forward: half, input: half, weight: half, update: 0 })));
  expect(users[0].bytes).toBe(2 * 3 * half);
  const near = card('adam_mixed(shard = fsdp, reshard = 2)');
  expect(near.operations.map(({ input }) => input)).toEqual([0, 0]);
  expect(near.users[0].bytes).toBe(2 * 2 * half);
});

test('gradients that are exchanged once are in the update, and groups that reduce after each backward in its weight gradients', () => {
  const { parameters, operations } = card('adam_mixed(shard = fsdp, gradient_sync = last)');
  expect(operations[0]).toMatchObject({ forward: parameters, input: parameters, weight: 0, update: parameters });
  // Groups are nodes. Two pairs of ranks all-reduce a half of the gradients each, 2 bytes of a parameter.
  const grouped = card('adam_mixed(shard = fsdp, over = 2, gradient_sync = each)');
  expect(grouped.operations[0]).toEqual({ stage: 0, forward: 0, input: 0, weight: 2 * parameters, update: 0 });
});

test('frozen layers at the front are gathered once a microbatch, and scatter nothing', () => {
  const { parameters, operations } = card('adam_mixed(shard = fsdp)', 'frozen = a[0], a[1]');
  expect(operations[0]).toEqual({ stage: 0, forward: parameters, input: 0, weight: 0, update: 0 });
});

/** Eight ranks in two nodes exchange weights, and tokens or parts of a sequence, among the same devices. */
const pipeline = (name: string, ranks: string): string => `pipeline ${name} {
  model = toy  devices = two  microbatches = 2  ${ranks}  schedule = gpipe  stages = balance(1)
  optimizer = adam_mixed(shard = fsdp, reshard = true)
}
`;
const mixture = `model toy {
  sequence = 512  micro_batch = 1  precision = bf16
  layer a[4] = transformer(hidden = 1024, heads = 8, flash = true, experts = 8, experts_per_token = 2, expert_ffn = 1024)
}
`;

test('each rank of an all-to-all sends its own bytes over the card, and a ring crosses it once', () => {
  const { pipelines, findings } = analyse(
    mixture + cluster + pipeline('experts', 'data = 8  expert = 8') + pipeline('parts', 'context = 8'),
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
