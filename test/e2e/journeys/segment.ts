import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

const schedule = (row: string): string => `schedule mine {
  let ahead   = F[0..<microbatches]
  let warm(d) = devices - d
  row(d) = ${row}
}`;

const text = `device d { memory = 32GiB }
cluster box {
  gpu[4] = d
  link = 25GB/s + 5us
}
model toy {
  layer block[4] { forward = 4ms  backward = 8ms }
}
${schedule('take(warm(d), ahead)')}
pipeline train {
  model = toy
  devices = box
  microbatches = 4
  stages = balance(4)
  schedule = mine
}
`;

/** From a row that is not finished to one that is, and back from its blocks to its text. */
export const segment: Journey = {
  name: 'segment: the missing operations of a row are drawn and written, and the cursor in a part of it marks its blocks',
  files: { 'segment.pipe': text },
  async run(desk) {
    const { preview } = desk;
    await desk.openWithPreview('segment.pipe');
    await desk.drawn();
    const missing = preview.getByRole('group', { name: 'Missing operations' });
    await missing.getByText('22 missing').waitFor();
    await desk.shot('journey-segment');
    await missing.getByRole('button', { name: 'Write them' }).click();
    await missing.waitFor({ state: 'hidden' });
    assert.match(await desk.saved('segment.pipe'), /\n {2}row\(0\) = F\[0\.\.3\], B\[0\.\.3\]\n/);
    const operations = preview.locator('.status .operations');
    await desk.goToEndOf('row(1) = F[0');
    await eventually('the blocks of the part are counted', async () =>
      /^\d+ of 32 /.test(await operations.innerText()),
    );
    await desk.goToEndOf('model toy');
    await eventually('nothing is marked', async () => (await operations.innerText()) === '32 operations');
  },
};
