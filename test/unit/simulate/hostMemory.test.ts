import { expect, it } from 'vitest';
import { hostTrack } from '../../../engine/simulate/hostMemory.ts';
import { runOf } from '../../support/analyse.ts';

/** Each stage sends a layer of 100 MB to its host at a forward. */
const text = (schedule: string): string => `
device d { memory = 64GiB  host = 25GB/s }
cluster box { gpu[2] = d  link = 25GB/s }
model toy { layer block[4] { forward = 4ms  backward = 8ms  activation = 100MB } }
pipeline train {
  model = toy  devices = box  microbatches = 6  stages = balance(2)  schedule = ${schedule}
  offload = activations(layers = 1)
}
`;

it.each(['1f1b', 'gpipe', 'zb_h1'])(
  'the host of a device under %s is empty once each backward has its layers',
  (schedule) => {
    const { plan, run } = runOf(text(schedule));
    const held = schedule === 'gpipe' ? [6, 6] : [2, 1];
    for (const device of [0, 1]) {
      const track = hostTrack(plan, run.timeline, device);
      expect(Math.max(...(track?.bytes ?? []))).toBe(held[device] * 100e6);
      expect(track?.bytes.at(-1)).toBe(0);
    }
  },
);
