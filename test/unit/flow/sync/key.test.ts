import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../../support/expected.ts';
import { resolveText } from '../../../support/resolve.ts';
import { fileOf } from './fixture.ts';

const bucketsOf = (sync: string) =>
  resolveText(fileOf({ sync })).plan.pipelines[0].step[0].overlap?.map(({ buckets }) => buckets.length);

test.each([
  ['end', undefined],
  ['end()', undefined],
  ['overlap', [4]],
  ['(overlap)', [4]],
  ['overlap()', [4]],
  ['overlap(bucket = 0B)', [4]],
  // A bucket is full with the layer that brings it to its bytes: 64 MiB each.
  ['overlap(64MiB)', [4]],
  ['overlap(bucket = 65MiB)', [2]],
  ['overlap(bucket = 129MiB)', [2]],
  ['overlap(bucket = 1GiB)', [1]],
])('sync = %s', (written, buckets) => {
  expect(bucketsOf(written)).toEqual(buckets);
});

describe('findings', () => {
  test.each([
    ['⟦name/unknown:overlapp⟧', 'overlap'],
    ['⟦type/mismatch:3⟧', '`end`, `overlap` or the name of a rule'],
    ['overlap(bucket = ⟦type/dimension:3ms⟧)', 'bytes'],
    ['overlap(bucket = ⟦value/range:0B - 1MiB⟧)', 'bucket'],
    ['overlap(⟦key/unknown:buckets⟧ = 1MiB)', 'bucket'],
    ['end(⟦type/mismatch:1MiB⟧)', 'at most 0 arguments'],
    ['ddp(bucket = 25MB, ⟦value/range:first = 50MB⟧)', '"first" is 50MB; it must be at most the bucket, 25MB.'],
    ['ddp(⟦value/range:first = 1GiB⟧)', '"first" is 1024MiB; it must be at most the bucket, 25MiB.'],
    ['ddp(bucket = 1500B, ⟦value/range:first = 2KB⟧)', '"first" is 2KB; it must be at most the bucket, 1500B.'],
    ['overlap(⟦value/range:fuse = 64MiB⟧)', '"fuse" is 64MiB; it must be a size only where `cycle`'],
  ])('sync = %s', (written, message) => {
    checkFindings(fileOf({ sync: written }), [message]);
  });

  test('that it changes nothing', () => {
    const none = fileOf({ sync: '⟦key/not-applicable:overlap⟧', data: 1 });
    checkFindings(none, ['no gradients are left to exchange']);
    // They were scattered after every backward, and the weights are gathered for every pass.
    const scattered = fileOf({ sync: '⟦key/not-applicable:overlap⟧', optimizer: 'adam_mixed(fsdp)' });
    checkFindings(scattered, ['no gradients are left to exchange']);
    const updates = fileOf({ schedule: 'pipedream' }).replace('sync = end', '⟦key/not-applicable:sync⟧ = overlap');
    checkFindings(updates, ['exchanges gradients in each update']);
  });
});
