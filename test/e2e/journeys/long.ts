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
  microbatches = 8000
  stages       = balance(32)
  schedule     = 1f1b
}
`;

/** Half a million operations: the page says that it simulates, first of an empty picture, then over the older one. */
export const long: Journey = {
  name: 'long: while a large pipeline is simulated the page says so',
  files: { 'long.pipe': text },
  async run(desk) {
    const { preview } = desk;
    await desk.openWithPreview('long.pipe');
    await preview.getByText('Simulating…').first().waitFor();
    await desk.shot('journey-long-1-waiting');
    await desk.drawn();
    await desk.shows('bubble 0.5 %');
    await desk.retype('microbatches = 8000', 1, '1');
    await preview.locator('header.busy').first().waitFor();
    await desk.shot('journey-long-2-busy');
    await preview.locator('header.busy').first().waitFor({ state: 'detached' });
    await desk.drawn();
  },
};
