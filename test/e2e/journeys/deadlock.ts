import assert from 'node:assert/strict';
import type { Journey } from './journey.ts';

const rows = `model toy {
  layer block[2] {
    forward = 4ms  backward = 8ms
    weights = 256MiB  activation = 512MiB
  }
}

device v100 { memory = 16GiB }

cluster box {
  gpu[2] = v100
  link   = 25GB/s + 5us
}

schedule mine {
  row(0) = F[0], B[0], F[1], B[1]
  row(1) = F[0], B[0], F[1], B[1]
}

pipeline train {
  model        = toy
  devices      = box
  microbatches = 2
  stages       = balance(2)
  schedule     = mine
}
`;

/** Rows that wait for each other: from the drawing of the circle to a timeline, with a move that the page offers. */
export const deadlock: Journey = {
  name: 'deadlock: the page draws the circle, and a move of its list brings the timeline back',
  files: { 'deadlock.pipe': rows },
  async run(desk) {
    const { preview, squiggle } = desk;
    await desk.openWithPreview('deadlock.pipe');
    await desk.drawn();
    await desk.retype('row(1)', 22, 'F[1], B[1], F[0], B[0]');
    await preview.locator('.stall .in-circle').first().waitFor();
    await squiggle.first().waitFor();
    const move = preview
      .locator('.stall-fixes')
      .getByRole('button', { name: /^Apply/ })
      .first();
    await move.waitFor();
    await desk.shot('journey-deadlock-1-circle');
    const promised = /runs, ([\d.]+) ms/.exec(await preview.locator('.stall-fixes .acts').first().innerText())?.[1];
    assert(promised);
    await move.click();
    await desk.drawn();
    await squiggle.first().waitFor({ state: 'detached' });
    // The move rounds to three digits.
    assert(Math.abs(Number.parseFloat(await desk.figures()) / Number(promised) - 1) < 0.005, promised);
    await desk.shot('journey-deadlock-2-runs');
  },
};
