import { expect, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';
import { systemReport } from './system.ts';

// Four stages of four layers of 4 ms and 8 ms, and 120 MiB of 16-bit gradients a layer over four data ranks at 25 GB/s.
const [stages, layers, forward, backward] = [4, 4, 4e-3, 8e-3];
const half = ((3 / 4) * 120 * 2 ** 20) / 25e9;
const allReduce = 2 * half;

test.each([4, 8, 64])('%i microbatches meet the closed forms', (m) => {
  const report = (pipeline: string) => systemReport('gradient_overlap', pipeline, { microbatches: m });
  const iteration = (pipeline: string) => report(pipeline).iteration;
  const computing = (m + stages - 1) * layers * (forward + backward);
  expect(iteration('at_end')).toBeCloseTo(computing + layers * allReduce, 9);
  // Exchanges are shorter than backwards: only that of the layer that the backward reaches last is exposed.
  expect(iteration('by_layer')).toBeCloseTo(computing + allReduce, 9);
  expect(iteration('in_buckets')).toBeCloseTo(computing + 2 * allReduce, 9);
  // The first layer's weights before the first forward, and its gradients after the last backward.
  expect(iteration('sharded')).toBeCloseTo(computing + half + half, 9);
});

test('what is exposed is what the iteration is longer by; the bytes are the same', () => {
  const exposed = (pipeline: string) => systemReport('gradient_overlap', pipeline).devices[0].sync.exposed;
  expect(exposed('at_end')).toBeCloseTo(layers * allReduce, 12);
  expect(exposed('by_layer')).toBeCloseTo(allReduce, 12);
  expect(exposed('in_buckets')).toBeCloseTo(2 * allReduce, 12);
  expect(exposed('sharded')).toBeCloseTo(2 * half, 12);
  for (const pipeline of ['at_end', 'by_layer', 'in_buckets', 'sharded'])
    for (const { sync } of systemReport('gradient_overlap', pipeline).devices) {
      expect(sync.bytes).toBeCloseTo(layers * (3 / 2) * 120 * 2 ** 20, 3);
      expect(sync.time).toBeCloseTo(layers * allReduce, 12);
    }
});

test('a device further down waits for weights only as long as no microbatch has come to it', () => {
  // Its weights are all there when the first microbatch is: they take half · layers < forward · layers.
  const [first, second] = systemReport('gradient_overlap', 'sharded').devices;
  expect(first.sync.exposed - second.sync.exposed).toBeCloseTo(half, 12);
});

test('the finding names gradients where they are exposed, and what would help', () => {
  const { findings } = analyseExample('systems/gradient_overlap.pipe');
  const messages = findings.filter(({ code }) => code === 'comm/exposed').map(({ message }) => message);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain('for gradients. `sync = overlap`');
});
