/** Shards of a stage of equal measured layers, against a walk through its passes and their traffic. */
import { expect, test } from 'vitest';
import { analyse } from '../../../support/analyse.ts';

/** Gathers before F and I and scatters after W, milliseconds: a transfer begins when the one before has ended. */
interface Passes {
  readonly layers: number;
  readonly microbatches: number;
  readonly work: number;
  readonly traffic: number;
}

/** Passes that wait for their gather, one gather ahead: the first one begins with nothing to overlap with. */
function gathering({ layers, microbatches, work, traffic }: Passes): number {
  let [mayGather, end] = [0, 0];
  for (let pass = 0; pass < layers * microbatches; pass += 1) {
    const begin = Math.max(mayGather + traffic, end);
    // The next gather begins with this pass.
    mayGather = begin;
    end = begin + work;
  }
  return end;
}

/** Backwards of two passes whose gradients leave during the next backward: the last ones leave after all work. */
const scattering = (passes: Passes): number => gathering({ ...passes, work: 2 * passes.work });

const gibi = 2 ** 30;
const [layers, microbatches, ranks, bandwidth] = [4, 3, 2, 100e9];

function iteration(shard: string, ms: number, weights: number): number {
  const { pipelines, findings } = analyse(`model m {
  layer block[${layers}] { forward = ${ms}ms  backward_input = ${ms}ms  backward_weight = ${ms}ms  weights = ${weights}B }
}
device gpu { memory = 1000GiB }
cluster box { gpu[${ranks}] = gpu  link = ${bandwidth}B/s }
pipeline p {
  model = m  devices = box  stages = balance(1)  microbatches = ${microbatches}  schedule = 1f1b  data = ${ranks}
  optimizer = adam_mixed(shard = ${shard})
}
`);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return pipelines[0]?.run?.report.iteration ?? Number.NaN;
}

test.each([0.1, 1, 5, 20])('the ends of an iteration overlap with no pass: layers of %d ms', (ms) => {
  const weights = gibi;
  // 16-bit gradients and weights: half of them to or from each of two ranks.
  const traffic = weights / ranks / bandwidth;
  const passes = { layers, microbatches, work: ms / 1e3, traffic };
  const plain = layers * microbatches * passes.work;
  const updated = layers * traffic;
  // none: all gradients leave after the last backward, and as much arrives.
  expect(iteration('none', ms, weights)).toBeCloseTo(3 * plain + 2 * updated, 9);
  expect(iteration('zero1', ms, weights)).toBeCloseTo(3 * plain + 2 * updated, 9);
  expect(iteration('zero2', ms, weights)).toBeCloseTo(plain + scattering(passes) + updated, 9);
  // During a backward a gather runs and a scatter. The first gather overlaps with the pass before it, the last scatter with none.
  const inner = layers * microbatches * Math.max(2 * passes.work, 2 * traffic);
  const last = Math.min(2 * passes.work, traffic);
  expect(iteration('zero3', ms, weights)).toBeCloseTo(gathering(passes) + inner + last, 9);
  for (const shard of ['zero1', 'zero2', 'zero3']) expect(iteration(shard, ms, weights)).toBeGreaterThan(3 * plain);
});
