import { describe, expect, it } from 'vitest';
import { analyse, codesOf, runOf } from '../../support/analyse.ts';
import { checkFindings } from '../../support/expected.ts';
import { planOf } from '../../support/resolve.ts';

const shape = 'transformer(hidden = 512, heads = 8, flash = true';
const file = (pipeline: string, layer = `${shape})`, devices = 64) => `model m {
  sequence = 4096  micro_batch = 1
  layer block[8] = ${layer}
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { node[${Math.max(1, devices / 8)}] { gpu[${Math.min(8, devices)}] = gpu  link = 100GB/s + 1us }  link = 10GB/s + 10us }
pipeline p { model = m  devices = box  microbatches = 8  optimizer = none  ${pipeline} }
`;
const cut = 'stages = balance(4)  schedule = 1f1b';
const moe = `${shape}, experts = 16, experts_per_token = 2)`;

describe('devices of pipeline ranks', () => {
  const sizes = 'tensor = 2  sequence_parallel = true  context = 2  data = 4';
  const first = (order: string) => planOf(file(`${cut}  ${sizes} ${order}`)).devices.map(({ name }) => name);

  it('follow one another, or those of one data rank do', () => {
    const at = (device: number) => `node[${Math.floor(device / 8)}].gpu[${device % 8}]`;
    expect(first('')).toEqual([0, 16, 32, 48].map(at));
    expect(first('rank_order = tp_cp_dp_pp')).toEqual(first(''));
    expect(first('rank_order = tp_cp_pp_dp')).toEqual([0, 4, 8, 12].map(at));
  });

  it('decide what gradients cross: of data ranks in one node, two in each, or each in a node of its own', () => {
    const sync = (order: string) => planOf(file(`${cut}  tensor = 4  data = 4 ${order}`)).step[0].sync;
    const bytes = planOf(file(`${cut}  tensor = 4  data = 4`)).stages[0].gradients;
    // Two data ranks in each of two nodes: rings through two cards of each, or trees.
    const ring = 2 * (2 * 1e-6 + 10e-6) + ((6 / 4) * bytes) / 20e9;
    expect(sync('')).toBeCloseTo(Math.min(ring, 2 * (1e-6 + 10e-6) + (2 * bytes) / (0.92 * 20e9)), 12);
    // A rank of sixteen devices, four of them side by side: one data rank in every other node.
    const tree = 2 * 2 * 10e-6 + (2 * bytes) / (0.92 * 10e9);
    expect(sync('rank_order = tp_cp_pp_dp')).toBeCloseTo(Math.min(6 * (10e-6 + bytes / 4 / 10e9), tree), 12);
  });

  it('are those of their own mesh where stages say so', () => {
    const plan = planOf(
      file(`schedule = 1f1b  tensor = 2
        stage a { layers = block[0..1]  tensor = 8 }
        stage b { layers = block[2..4] }
        stage c { layers = block[5..7]  tensor = 4  data = 2 }`),
    );
    expect(plan.devices.map(({ name, members }) => [name, members])).toEqual([
      ['node[0].gpu[0]', 8],
      ['node[1].gpu[0]', 2],
      ['node[1].gpu[2]', 8],
    ]);
    const [a, b, c] = plan.stages;
    // Norms and biases behind a sum are whole on every tensor rank.
    const weights = (tensor: number) => 2 * ((12 * 512 ** 2 + 7 * 512) / tensor + 6 * 512);
    expect([a.weights, b.weights, c.weights]).toEqual([2 * weights(8), 3 * weights(2), 3 * weights(4)]);
    // Two data ranks take half of every microbatch each.
    expect(c.forwardFlops).toBeCloseTo(b.forwardFlops / 4, 0);
    expect(a.forwardFlops / 2).toBeCloseTo(b.forwardFlops / 3 / 4, 0);
    expect(plan.step.map(({ sync }) => sync > 0)).toEqual([false, false, true]);
  });

  it('`sequence` is short for `sequence_parallel`', () => {
    const plan = (key: string) => JSON.stringify(planOf(file(`${cut}  tensor = 2  ${key} = true`)));
    expect(plan('sequence')).toBe(plan('sequence_parallel'));
    expect(plan('sequence')).not.toBe(JSON.stringify(planOf(file(`${cut}  tensor = 2`))));
  });

  it('stages that share a device share its mesh', () => {
    checkFindings(
      file(`schedule = interleaved_1f1b(chunks = 2)
        stage a { layers = block[0..1] }
        stage b { layers = block[2..3] }
        stage ⟦stage/device-count:c⟧ { layers = block[4..5]  tensor = 2 }
        stage d { layers = block[6..7] }`),
      ['Stages "a" and "c" share their devices, but "a" is for one device and "c" for tensor 2.'],
    );
    checkFindings(
      file(`schedule = 1f1b  rank_order = tp_cp_pp_dp
        stage a { layers = block[0..3] }
        stage ⟦stage/device-count:b⟧ { layers = block[4..7]  tensor = 2 }`),
      ['needs stages of one mesh'],
    );
  });
});

describe('meshes that cannot be', () => {
  it.each([
    [`context = ⟦value/range:3⟧`, `${shape})`, 'a divisor of the 4096 tokens'],
    [`tensor = ⟦value/range:16⟧`, `${shape})`, '8 heads cannot be split over 16 tensor ranks'],
    [`data = 2  expert = ⟦value/range:4⟧`, moe, 'a divisor of 2'],
    [`data = 6  expert = ⟦value/range:6⟧`, moe, '16 experts cannot be spread over 6 expert ranks'],
    [`tensor = 2  data = 4  expert = ⟦value/range:4⟧`, moe, 'without `sequence_parallel = true`'],
    [
      `tensor = 4  sequence_parallel = true  data = 4  expert_tensor = ⟦value/range:3⟧`,
      moe,
      'a divisor of 4, the tensor ranks',
    ],
    [`tensor = 2  expert_tensor = ⟦value/range:1⟧`, moe, 'without `sequence_parallel = true`'],
    [`data = 4  ⟦key/not-applicable:expert⟧ = 2`, `${shape})`, 'no layer has experts'],
    [`⟦key/not-applicable:sequence_parallel⟧ = true`, `${shape})`, 'no tensor ranks'],
    [`⟦key/not-applicable:sequence⟧ = true`, `${shape})`, 'no tensor ranks'],
    [`tensor = 2  sequence_parallel = true  ⟦key/duplicate:sequence⟧ = true`, `${shape})`, ''],
    [`overlap(⟦name/unknown:pipeline⟧) = 10%`, `${shape})`, 'pipeline'],
    [`overlap(tensor) = ⟦value/range:120%⟧`, `${shape})`, ''],
    [`⟦key/not-applicable:overlap⟧(tensor) = 10%`, `${shape})`, 'the pipeline has no tensor ranks'],
    [`⟦key/not-applicable:overlap⟧(context) = 10%`, `${shape})`, 'the pipeline has no context ranks'],
    [`tensor = 2  overlap(tensor) = 10%  ⟦key/duplicate:overlap⟧(tensor) = 20%`, `${shape})`, ''],
    [`overlap(⟦type/mismatch:3⟧) = 20%`, `${shape})`, 'a group'],
  ])('%s', (keys, layer, message) => {
    const ranks = ['tensor', 'data'].map((key) => Number(new RegExp(`\\b${key} = (\\d+)`).exec(keys)?.[1] ?? 1));
    // Where the pipeline has a plan, it uses all devices.
    const devices = keys.includes('key/not-applicable') ? 4 * ranks[0] * ranks[1] : 64;
    checkFindings(file(`${cut}  ${keys}`, layer, devices), [message]);
  });

  it('are told once, whatever stages there are', () => {
    checkFindings(
      file(
        `schedule = 1f1b
        stage a { layers = block[0..3]  data = 2  expert = ⟦value/range:3⟧ }
        stage b { layers = block[4..7] }`,
        moe,
      ),
    );
  });
});

describe('kernels that send while they compute', () => {
  const text = (tensor: number, keys: string) => `
device gpu { memory = 80GiB  compute(bf16) = 300TFLOPS  bandwidth = 2TB/s }
cluster box { node[2] { gpu[4] = gpu  link = 200GB/s }  link = 25GB/s }
model m { sequence = 4096  micro_batch = 1  layer block[4] = transformer(hidden = 4096, heads = 32) }
pipeline p {
  model = m  devices = box  tensor = ${tensor}  sequence_parallel = true  microbatches = 4
  schedule = 1f1b  stages = balance(1)  optimizer = none
  ${keys}
}`;
  const iteration = (tensor: number, keys: string) => runOf(text(tensor, keys)).run.report.iteration;

  it('hide exchanges within a node', () => {
    expect(iteration(4, 'overlap(tensor) = 70%')).toBeLessThan(iteration(4, ''));
    expect(codesOf(analyse(text(4, 'overlap(tensor) = 70%')))).not.toContain('key/not-applicable');
  });

  it('hide none across nodes, and the key that asks for it says so', () => {
    const keys = 'overlap(context) = 0%  overlap(tensor) = 70%';
    expect(iteration(8, 'overlap(tensor) = 70%')).toBe(iteration(8, ''));
    const { findings, syntax } = analyse(text(8, keys));
    const found = findings.filter(({ message }) => message.includes('several nodes'));
    expect(found.map(({ code, place }) => [code, syntax.text.slice(place.start, place.end)])).toEqual([
      ['key/not-applicable', '70%'],
    ]);
  });
});
