import { describe, expect, it } from 'vitest';
import { runOf } from '../../support/analyse.ts';

/** Four stages of two layers each under GPipe: every microbatch is in flight at once. */
const inFlight = (front: string, schedule = 'gpipe', sizes = '2, 2, 2, 2') =>
  runOf(`
model m {
  sequence = 128  micro_batch = 1
  layer front[4] { ${front} }
  layer rest[4] = transformer(hidden = 256, heads = 4)
}
device gpu { memory = 64GiB  compute = 100TFLOPS }
cluster c { gpu[4] = gpu  link = 100GB/s }
pipeline p { model = m  devices = c  stages = split(${sizes})  microbatches = 8  schedule = ${schedule} }
`).run.report.devices.map(({ in_flight: held, in_flight_microbatches: microbatches }) => microbatches ?? held);

const shaped = 'shape = transformer(hidden = 256, heads = 4)';

describe('a frozen stage without a gradient', () => {
  it('has no microbatch in flight, because it keeps nothing', () => {
    expect(inFlight(shaped)).toEqual([8, 8, 8, 8]);
    expect(inFlight(`${shaped}  trainable = false`)).toEqual([0, 0, 8, 8]);
  });

  it('does not make half microbatches of the other chunk of its device', () => {
    // Stages 0 to 3 are frozen, and 4 to 7 are on the same devices. The last stage runs each backward right after its forward.
    const chunks = ['interleaved_1f1b(chunks = 2)', '1, 1, 1, 1, 1, 1, 1, 1'] as const;
    expect(inFlight(`${shaped}  trainable = false`, ...chunks)[3]).toBe(1);
    expect(inFlight(shaped, ...chunks)[3]).toBeGreaterThan(1);
  });

  it('is in flight if the file does not say what it keeps', () => {
    expect(inFlight('forward = 1ms  backward = 2ms')).toEqual([8, 8, 8, 8]);
  });
});
