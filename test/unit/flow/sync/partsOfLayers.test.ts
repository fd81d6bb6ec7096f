/** FSDP in groups, and with weights that stay on neighbours: seconds and bytes by hand. */
import { describe, expect, test } from 'vitest';
import { analyse, runOf } from '../../../support/analyse.ts';

/** Layers of 10 M parameters. Links inside nodes take next to no time. */
const file = (optimizer: string, more = '', inside = '100TB/s') => `
model toy { layer block[4] { forward = 1ms  backward = 2ms  weights = 20MB } }
device gpu { memory = 80GiB }
cluster pair { node[2] { gpu[2] = gpu  link = ${inside} }  link = 10GB/s }
pipeline p { model = toy  devices = pair  data = 4  stages = balance(1)  microbatches = 1  schedule = 1f1b  optimizer = ${optimizer}  ${more} }
`;
const ms = (seconds: number): number => Math.round(seconds * 1e5) / 100;
const iteration = (text: string): number => ms(runOf(text).run.report.iteration);

describe('groups of two ranks in a node', () => {
  // Forwards take 4 ms, and backwards of the four layers end at 6, 8, 10 and 12 ms. A part of a gradient is 10 MB: 1 ms between two nodes.
  const grouped = 'adam_mixed(shard = fsdp, over = 2)';
  test('reduce the parts of a layer during the backward of the layers before it', () => {
    expect(iteration(file(grouped))).toBe(13);
    expect(iteration(file(grouped, 'sync = overlap'))).toBe(13);
  });
  test('reduce all parts at the end if the file says so', () => {
    expect(iteration(file(grouped, 'sync = end'))).toBe(16);
  });
  test('that keep gathered weights reduce after the last backward, as pipelines of PyTorch do', () => {
    const kept = 'adam_mixed(shard = fsdp, over = 2, reshard = false)';
    expect(iteration(file(kept))).toBe(iteration(file(kept, 'sync = end')));
  });
  test('of all ranks reduce nothing, and no rule is said to have no effect', () => {
    const all = file('adam_mixed(shard = fsdp, over = 4)');
    expect(analyse(all).findings.map(({ code }) => code)).not.toContain('key/not-applicable');
    expect(iteration(all)).toBe(iteration(file('adam_mixed(shard = fsdp)')));
  });
});

describe('weights that stay in parts on two neighbours', () => {
  const stage = (reshard: string, inside = '5GB/s') => {
    const text = file(`adam_mixed(shard = fsdp, reshard = ${reshard})`, '', inside).replace(
      '1ms  backward = 2ms',
      '1us  backward = 2us',
    );
    return runOf(text).plan.stages[0];
  };
  test('are gathered for a backward among these, and stay there from a forward on', () => {
    const [all, pair] = [stage('true'), stage('2')];
    expect(pair.forward).toBe(all.forward);
    // A scatter takes as long as a gather among all; a half of 20 MB over 5 GB/s takes 2 ms for each of four layers.
    expect(pair.backwardInput + pair.backwardWeight).toBeCloseTo(all.forward + 4 * 2e-3, 9);
    expect(all.backwardInput + all.backwardWeight).toBeCloseTo(2 * all.forward, 9);
    expect(pair.weights - all.weights).toBeCloseTo(40e6, 0);
    // 3/4 there, 1/2 back, 3/4 of the gradients.
    expect(pair.traffic?.weights?.bytes).toBeCloseTo(4 * 20e6 * (3 / 4 + 1 / 2 + 3 / 4), 0);
  });
  test.each(['3', '1', '8'])('need a divisor of the ranks, not %s', (count) => {
    const { findings } = analyse(file(`adam_mixed(shard = fsdp, reshard = ${count})`));
    expect(findings.map(({ code }) => code)).toContain('value/range');
  });
  test('are no thing of torchtitan', () => {
    const { findings } = analyse(file('adamw(shard = fsdp, reshard = 2)', 'engine = torchtitan'));
    expect(
      findings
        .filter(({ code }) => code === 'engine/unsupported')
        .map(({ message }) => message)
        .join(),
    ).toContain('gives up gathered weights');
  });
});
