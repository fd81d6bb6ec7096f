import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

const text = `model toy {
  layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB }
}
device v100 { memory = 16GiB }
cluster box { gpu[4] = v100  link = 25GB/s }

schedule mine {
  /// Forwards more than needed.
  param extra = 0 in 0..4
  let warm(d) = min(microbatches, devices - d + extra)
  row(d) = F[0..<warm(d)], zip(B[0..<microbatches-warm(d)], F[warm(d)..<microbatches]), B[microbatches-warm(d)..<microbatches]
}

schedule block {
  period = 2
  slot(F, s) = s
  slot(B, s) = 2 * devices - 1 - s
}

pipeline train {
  model        = toy
  devices      = box
  microbatches = 8
  stages       = balance(4)
  schedule     = mine
}

expect block { over(devices = 1..4, microbatches = 1..8)  valid }
expect mine { over(devices = 1..3, microbatches = 4..8)  valid }
`;

/** From a slider of a pipeline's schedule to the schedules that the file tests. */
export const authoring: Journey = {
  name: 'write a schedule: a slider becomes an argument, a shape is chosen, a block and an operation are moved',
  files: { 'mine.pipe': text },
  async run(desk) {
    const { page, preview } = desk;
    await desk.openWithPreview('mine.pipe');
    await desk.drawn();
    const field = preview.locator('.param[data-param="train.extra"] input[type=number]');
    await field.fill('2');
    await field.press('Enter');
    await preview.locator('.param.tried').waitFor();
    assert.equal(await page.locator('.tab.dirty').count(), 0);
    await desk.shot('journey-authoring-1-tried');
    await preview.getByRole('button', { name: 'Apply: write extra of mine into the file' }).click();
    await eventually('the file has the argument', async () =>
      /= mine\(extra = 2\)/.test(await desk.saved('mine.pipe')),
    );
    await desk.undo();
    await eventually('one undo takes it back', async () => (await desk.saved('mine.pipe')) === text);

    // The schedule of a test, on a shape of its table.
    await preview.locator('header vscode-dropdown').click();
    await preview.locator('vscode-option', { hasText: 'block' }).click();
    await preview.locator('.bench-summary', { hasText: '32 shapes: 32 pass' }).waitFor();
    await preview.locator('.shape-cell[aria-label^="3 devices, 4 microbatches"]').click();
    // (m + p − 1)(F + B).
    await desk.shows('18 s');
    await desk.shot('journey-authoring-2-shape');

    // One microbatch of its building block.
    const handle = preview.locator('.stamp-handle[data-operation="0B"]');
    await handle.focus();
    await page.keyboard.press('ArrowRight');
    await preview.locator('.stamp-status.wrong', { hasText: 'modulo the period 2' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await preview.locator('.stamp-status', { hasText: 'moves all stages' }).waitFor();
    await desk.shot('journey-authoring-3-block');
    await page.keyboard.press('Enter');
    await eventually('the slot is written', async () =>
      /slot\(B, s\) = 2 \* devices - 1 - s \+ 2\n/.test(await desk.saved('mine.pipe')),
    );

    // One operation of a row.
    await preview.locator('header vscode-dropdown').click();
    await preview.locator('vscode-option', { hasText: 'mine' }).click();
    await preview.locator('.bench-summary', { hasText: '15 shapes' }).waitFor();
    await preview.locator('.timeline').click({ position: { x: 101, y: 60 } });
    await page.keyboard.press('Alt+ArrowRight');
    const notice = preview.locator('.row-notice');
    await notice.getByText(/^Writes row\(0\) out for/).waitFor();
    await desk.shot('journey-authoring-4-row');
    await notice.getByRole('button', { name: 'Write' }).click();
    await page
      .locator('.view-line', { hasText: /row\(0\)\s=\sF\[1\],\sF\[0\]/ })
      .first()
      .waitFor();
  },
};
