import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { smallTimeline } from '../../../engine/drawing/smallTimeline.ts';
import { analyseExample, runOf } from '../../support/analyse.ts';
import { good } from '../cli/harness.ts';
import { readStrictly } from './figure.ts';

/** Red, green, blue and opacity of each pixel of each row. */
const rowsIn = (svg: string): number[][][] =>
  [...svg.matchAll(/base64,([^"]*)"/g)].map(([, data]) => {
    const image = Buffer.from(data, 'base64');
    const line = inflateSync(image.subarray(41, 41 + image.readUInt32BE(33))).subarray(1);
    return Array.from({ length: line.length / 4 }, (_, at) => [...line.subarray(at * 4, at * 4 + 4)]);
  });

it('is as full as the devices are busy', () => {
  const { plan, run } = runOf(good);
  for (const [device, row] of rowsIn(smallTimeline(plan, run)).entries()) {
    const filled = row.reduce((sum, [, , , opacity]) => sum + opacity / 255, 0) / row.length;
    expect(filled).toBeCloseTo(run.timeline.busy[device] / run.timeline.makespan, 2);
  }
});

it('draws both operations of a shared slot', () => {
  const [{ plan, run }] = analyseExample('systems/dualpipe.pipe').pipelines;
  if (run === undefined) throw new Error('dualpipe does not run');
  expect(rowsIn(smallTimeline(plan, run))).toHaveLength(2 * plan.devices.length);
});

it('stays small for many devices and microbatches, and is strict XML', async () => {
  const many = good.replace('gpu[4]', 'gpu[64]').replace('balance(4)', 'balance(64)').replace('block[8]', 'block[64]');
  const { plan, run } = runOf(many.replace('= 8 in', '= 64 in'));
  const svg = smallTimeline(plan, run);
  expect(svg.length).toBeLessThan(50_000);
  expect(rowsIn(svg)).toHaveLength(12);
  await readStrictly(svg);
});
