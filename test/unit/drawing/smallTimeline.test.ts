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

it('has a lane under a device whose ranks exchange gradients by a rule, as full as it is busy', () => {
  // The lane sends for 4 of the 6 ms that the ranks compute: the gradients of back, from 4 to 8 ms, and those of the iteration before.
  const layer = (name: string, size: number) => `layer ${name} { forward = 1ms  backward = 1ms  weights = ${size}MB }`;
  const text = (sync: string) => `model toy { ${layer('front', 0)} ${layer('mid', 0)} ${layer('back', 40)} }
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline two { model = toy  devices = pair  microbatches = 1  stages = balance(1)  data = 2  schedule = 1f1b  ${sync} }
`;
  const { plan, run } = runOf(text('sync = overlap(order = forward, barrier = false)'));
  expect(run.report.iteration).toBeCloseTo(6e-3, 9);
  const rows = rowsIn(smallTimeline(plan, run));
  expect(rows).toHaveLength(2);
  const filled = (from: number, to: number): number =>
    rows[1]
      .slice(Math.round((from / 6) * 320), Math.round((to / 6) * 320))
      .reduce((sum, [, , , opacity]) => sum + opacity / 255, 0);
  expect(filled(0, 6) / 320).toBeCloseTo(4 / 6, 2);
  expect(filled(2.1, 3.9)).toBe(0);
  // The only layer with gradients has the first colour.
  expect(rows[1][300].slice(0, 3)).toEqual([0xe8, 0xc6, 0x5a]);
  const end = runOf(text('sync = end'));
  expect(rowsIn(smallTimeline(end.plan, end.run))).toHaveLength(1);
});

it('stays small for many devices and microbatches, and is strict XML', async () => {
  const many = good.replace('gpu[4]', 'gpu[64]').replace('balance(4)', 'balance(64)').replace('block[8]', 'block[64]');
  const { plan, run } = runOf(many.replace('= 8 in', '= 64 in'));
  const svg = smallTimeline(plan, run);
  expect(svg.length).toBeLessThan(50_000);
  expect(rowsIn(svg)).toHaveLength(12);
  await readStrictly(svg);
  const lanes = many.replace('gpu[64]', 'gpu[128]').replace('= 1f1b', '= 1f1b  data = 2  sync = ddp');
  const exchanged = runOf(lanes);
  const withLanes = smallTimeline(exchanged.plan, exchanged.run);
  expect(rowsIn(withLanes)).toHaveLength(16);
  // Shared slots take as much again as the rows.
  expect(withLanes.length * 1.5).toBeLessThan(50_000);
});
