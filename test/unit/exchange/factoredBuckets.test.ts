/** A layer whose matrix is known shares buckets with other layers, unless it goes as factors. */
import { expect, test } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const bucketsUnder = (sync: string, collective: string): readonly (readonly string[])[] => {
  const text = `model m {
  micro_batch = 4
  layer a { forward = 1ms  backward = 1ms  weights = 1MB }
  layer b { forward = 1ms  backward = 1ms  weights = 4MB  matrix = [1000, 1000] }
  layer c { forward = 1ms  backward = 1ms  weights = 8MB  matrix = [2000, 1000] }
}
device gpu { memory = 16GiB }
cluster four { gpu[4] = gpu  link = 10GB/s + 5us }
pipeline train {
  model = m  devices = four  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = 4
  sync = ${sync}  collective = ${collective}
}
`;
  const { pipelines, findings } = analyse(text);
  const lane = pipelines[0]?.run?.timeline.exchange?.lanes[0];
  if (lane === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  const { offsets, members } = lane.buckets;
  return Array.from(lane.buckets.ready, (_, bucket) =>
    [...members.subarray(offsets[bucket], offsets[bucket + 1])].map((tensor) => lane.plan.tensors[tensor].layer),
  );
};

test.each(['ring', 'nccl', 'ps', 'tree'])('over %s, one bucket holds all layers', (collective) => {
  expect(bucketsUnder('overlap(bucket = 100MB)', collective)).toEqual([['c', 'b', 'a']]);
});

test('layers that go as factors have buckets apart', () => {
  expect(bucketsUnder('overlap(bucket = 100MB)', 'ps(push = factors)')).toEqual([['c'], ['b'], ['a']]);
  expect(bucketsUnder('hybrid(bucket = 100MB)', 'ps')).toEqual([['c'], ['b'], ['a']]);
});
