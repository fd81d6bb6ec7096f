import assert from 'node:assert/strict';
import type { Journey } from './journey.ts';

const text = `model toy {
  layer block[32] { forward = 4ms  backward = 8ms  weights = 16MiB  activation = 1MiB }
}
device big { memory = 1TiB }
cluster box {
  gpu[32] = big
  link    = 25GB/s + 5us
}
pipeline train {
  model        = toy
  devices      = box
  microbatches = 20000
  stages       = balance(32)
  schedule     = 1f1b
}
`;

/** More than a million operations: the page says that it simulates, first of an empty picture, then over the older one. */
export const long: Journey = {
  name: 'long: while a large pipeline is simulated the page says so',
  files: { 'long.pipe': text },
  async run(desk) {
    const { preview } = desk;
    await desk.openWithPreview('long.pipe');
    await preview.getByText('Simulating…').first().waitFor();
    await desk.shot('journey-long-1-waiting');
    await desk.drawn();
    await desk.shows('bubble 0.2 %');
    const busy = preview.locator('header.busy');
    // It shows between 200 ms and the end of the simulation: a slow look at the page may miss one.
    for (const digit of ['1', '2', '3', '4']) {
      await desk.retype('microbatches = ', 1, digit);
      const isSeen = await busy.waitFor({ timeout: 8000 }).then(
        () => true,
        () => false,
      );
      if (isSeen) break;
      assert.notEqual(digit, '4', 'the page never said that it simulates');
    }
    await desk.shot('journey-long-2-busy');
    await busy.waitFor({ state: 'detached' });
    await desk.drawn();
  },
};
