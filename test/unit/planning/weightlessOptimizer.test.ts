import { describe, expect, it } from 'vitest';
import { packedSaving } from '../../../engine/costs/training.ts';
import { analyse } from '../../support/analyse.ts';

const MiB = 2 ** 20;
/** Peaks of two stages of 64 MiB of measured weights, which are 32 Mi parameters in bf16, and 1 MiB kept a microbatch. */
const peaks = (optimizer: string, schedule: string) => {
  const { pipelines } = analyse(`model m {
  layer block[2] { forward = 1ms  backward = 2ms  weights = 64MiB  activation = 1MiB }
}
device gpu { memory = 80GiB }
cluster box { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = ${schedule}  optimizer = ${optimizer} }
`);
  return pipelines[0]?.run?.report.devices.map(({ peak }) => peak);
};

// On the way to `custom(weight = 0.5, …)` one has typed `custom(weight = 0`.
describe('an optimizer that keeps no bytes of a weight', () => {
  it.each(['gpipe', '1f1b', 'zb_auto', 'search'])('is simulated under %s, and its state is counted', (schedule) => {
    const none = peaks('custom(weight = 0, gradient = 0, state = 0)', schedule);
    const state = peaks('custom(weight = 0, gradient = 0, state = 12)', schedule);
    expect(none).toHaveLength(2);
    // Only kept activations: at least one microbatch, at most four.
    for (const peak of none ?? []) expect(peak / MiB).toSatisfy((held: number) => held >= 1 && held <= 4);
    expect(state?.map((peak, device) => peak - (none?.[device] ?? NaN))).toEqual([384 * MiB, 384 * MiB]);
  });

  it.each(['fsdp', 'zero3'])('gathers nothing under %s, in a time that is a number', (shard) => {
    const { pipelines } = analyse(`model m { layer block[2] { forward = 1ms  backward = 2ms  weights = 64MiB } }
device gpu { memory = 80GiB }
cluster box { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = balance(1)  data = 2  microbatches = 1  schedule = 1f1b
  optimizer = custom(weight = 0, gradient = 0, state = 0, shard = ${shard}) }
`);
    // Two layers of 3 ms, and no byte to send.
    expect(pipelines[0]?.run?.report.iteration).toBeCloseTo(0.006, 9);
  });

  it('saves nothing by packed weights, packed or not', () => {
    expect(packedSaving(0, 0)).toBe(0);
    expect(packedSaving(8, 0)).toBe(0);
    // Half a byte for two: three of four are saved.
    expect(packedSaving(8, 2)).toBe(6);
  });
});
