import { expect, test } from 'vitest';
import { L, E, kindOf } from '../../../../engine/values/program.ts';
import { analyseExample } from '../../../support/analyse.ts';

const { pipelines } = analyseExample('systems/bpipe.pipe');
const [even, uneven] = pipelines.map((pipeline) => pipeline.run);
const GiB = 2 ** 30;

test('bpipe.pipe: nobody holds more than ⌈(p + 2) / 2⌉ microbatches, for the time of 1F1B', () => {
  expect(uneven?.report.devices.map((device) => device.in_flight)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  const held = even?.report.devices.map((device) => device.in_flight) ?? [];
  expect(Math.max(...held)).toBe(Math.ceil((8 + 2) / 2));
  expect(even?.report.devices.map((device) => device.memory.activations)).toEqual(held.map((value) => value * GiB));
  expect(even?.report.iteration).toBeCloseTo(uneven?.report.iteration ?? NaN, 12);
});

test('bpipe.pipe: what is evicted goes to the other end and comes back, a gibibyte each', () => {
  const count = (kind: number, device: number) => {
    if (even === undefined) return NaN;
    const { order, offsets } = even.program;
    return order.subarray(offsets[device], offsets[device + 1]).filter((word) => kindOf(even.program, word) === kind)
      .length;
  };
  const bytes = (from: number, to: number) =>
    even?.report.links.find((link) => link.from === `gpu[${from}]` && link.to === `gpu[${to}]`)?.bytes;
  for (const device of [0, 1, 2]) {
    expect(count(E, device)).toBeGreaterThan(0);
    expect(count(L, device)).toBe(count(E, device));
    expect(bytes(device, 7 - device)).toBe(count(E, device) * GiB);
    expect(bytes(7 - device, device)).toBe(count(E, device) * GiB);
  }
  for (const device of [3, 4, 5, 6, 7]) expect(count(E, device)).toBe(0);
});
