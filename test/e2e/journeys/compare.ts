import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Journey } from './journey.ts';

/** Which schedule is the fastest? The winner goes into the file, and one undo takes it back. */
export const compare: Journey = {
  name: 'compare: the winner goes into the file, and one undo takes it back',
  files: { 'compare.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { preview } = desk;
    const original = readFileSync(path.join(desk.folder, 'compare.pipe'), 'utf8');
    await desk.openWithPreview('compare.pipe');
    await desk.drawn();
    await preview.getByRole('button', { name: 'Compare', exact: true }).click();
    const winner = preview.locator('.race-row.winner');
    await winner.waitFor();
    // The winner is known once all have run.
    await preview.getByText('Simulating …').first().waitFor({ state: 'hidden' });
    await desk.shot('journey-compare-1-winner');
    const iteration = await winner.locator('.race-figure .value').first().innerText();
    await winner.getByRole('button', { name: /^Use in the file/ }).click();
    await winner.getByText('In the file now').waitFor();
    await desk.shot('journey-compare-2-used');
    await preview.getByRole('button', { name: 'Back to the timeline' }).click();
    await desk.shows(iteration);
    assert.notEqual(await desk.saved('compare.pipe'), original);
    await desk.undo();
    await desk.shows('264.2 ms');
    assert.equal(await desk.saved('compare.pipe'), original);
  },
};
