/** A summary of a run gives the same recording again. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { readSummary } from '../../../engine/formats/recording/readSummary.ts';
import { summaryOf } from '../../../engine/formats/recording/summary.ts';
import { byteStream } from '../../../platform/node/runs/byteStream.ts';
import { filesIn } from '../../../platform/node/runs/filesIn.ts';
import { readRuns } from '../../../platform/node/runs/readRuns.ts';
import { filesOf, folder } from './traces.ts';

const disk = { openBytes: byteStream, filesIn };
const recorded = async (paths: readonly string[]) => {
  const request = { paths, skip: 1, partial: false, shown: (file: string) => file };
  const read = await readRuns(request, disk, () => ({ tick() {}, end() {} }));
  if (!('recordings' in read)) throw new Error(JSON.stringify(read));
  return read.recordings;
};
const runs = {
  own: filesOf('sleep_zbv_p4').map((file) => path.join(folder, file)),
  calls: [path.join(folder, 'straggler', 'timeline-ST.json.gz')],
};

test.each(Object.keys(runs) as (keyof typeof runs)[])('to the nanosecond, with the calls of a step: %s', async (of) => {
  const recordings = await recorded(runs[of]);
  const { text, left } = summaryOf(recordings, 64e6);
  expect(left).toBe(0);
  const again = readSummary(text);
  if ('faults' in again) throw new Error(again.faults[0].message);
  expect(again.recordings).toHaveLength(recordings.length);
  for (const [index, recording] of recordings.entries()) {
    const copy = again.recordings[index];
    expect(copy.ranks).toEqual(recording.ranks);
    for (const [at, step] of recording.steps.entries()) {
      for (const name of ['before', 'after'] as const)
        expect(copy.steps[at][name]?.map(({ name: called, together }) => [called, together])).toEqual(
          step[name]?.map(({ name: called, together }) => [called, together]),
        );
      for (const [rank, row] of step.rows.entries())
        for (const [slot, start] of row.start.entries())
          expect(Math.abs(copy.steps[at].rows[rank].start[slot] - start)).toBeLessThan(2e-9);
      for (const [call, { seconds }] of (step.after ?? []).entries())
        for (const [rank, own] of seconds.entries())
          if (!Number.isNaN(own)) expect(copy.steps[at].after?.[call].seconds[rank]).toBeCloseTo(own, 8);
    }
  }
});

test('says how many steps did not fit, and faults of calls with their place', async () => {
  const recordings = await recorded(runs.calls);
  const whole = summaryOf(recordings, 64e6).text;
  expect(summaryOf(recordings, whole.length / 2).left).toBeGreaterThan(0);
  const wrong = whole.replace(/"together":"[a-z]+"/, '"together":"nobody"');
  const read = readSummary(wrong);
  expect('faults' in read && read.faults[0].message).toBe(
    '"together" must be one of rank, replicas, pipeline and everyone.',
  );
});
