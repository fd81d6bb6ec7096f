import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exampleText } from '../../support/example.ts';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

/** Without the pipelines that are searched for each figure. */
const file = exampleText('search.pipe').replace(/\/\/\/ An order that is shorter[^]*/, '');

/** Is there a shorter order? The search is watched from a lens; its order goes into the file from the preview, then as a quick fix. */
export const order: Journey = {
  name: 'shorter order: a search is watched, its order is shown and kept, and one undo takes it back',
  files: { 'order.pipe': file },
  async run(desk) {
    const { page, preview } = desk;
    const original = readFileSync(path.join(desk.folder, 'order.pipe'), 'utf8');
    await desk.openWithPreview('order.pipe');
    await desk.shows('1.279 s');
    // The lenses of the first pipeline.
    await desk.goToEndOf('pipeline heuristic');
    await page.locator('.codelens-decoration a', { hasText: 'Shorter order' }).first().click();
    const strip = preview.locator('.side .order');
    await strip.waitFor();
    await eventually('the search has ended', async () => (await strip.innerText()).includes('this one is optimal'));
    await desk.shows('1.279 s');
    await strip.getByRole('button', { name: 'Show in the timeline' }).click();
    await desk.shows('1.279 > 1.245 s');
    await desk.shot('journey-order-1-shown');
    assert.equal(await page.locator('.tab.dirty').count(), 0);

    await strip.getByRole('button', { name: 'Keep this order' }).click();
    await eventually('the file has the order', async () =>
      /schedule\s+= heuristic_order\n/.test(await desk.saved('order.pipe')),
    );
    await eventually('the figures are of the file', async () => (await desk.figures()).startsWith('1.245 s'));
    await eventually('the order of the file is searched', async () =>
      (await strip.innerText()).includes('heuristic_order is optimal'),
    );
    await desk.shot('journey-order-2-kept');
    await desk.undo();
    await desk.shows('1.279 s');
    assert.equal(await desk.saved('order.pipe'), original);

    // The same order as a quick fix of the hint.
    await desk.goToEndOf('= zb_auto');
    await page.keyboard.press('ArrowLeft');
    const keep = page.locator('.action-widget .monaco-list-row.action', {
      hasText: 'Keep this order: iteration −2.7 %',
    });
    await eventually('the hint is there', async () => {
      await page.keyboard.press('Escape');
      await desk.quickFixes();
      return (await keep.count()) > 0;
    });
    await keep.click();
    await eventually('the figures are of the file', async () => (await desk.figures()).startsWith('1.245 s'));
    await desk.undo();
    assert.equal(await desk.saved('order.pipe'), original);
  },
};
