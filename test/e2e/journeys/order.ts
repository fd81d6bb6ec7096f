import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

const page = path.join(import.meta.dirname, '../../../docs/diagnostics/schedule/shorter-order.md');
/** The example of the hint's page. */
const [, file] = /^```pipe\n([^]*?)^```$/mu.exec(readFileSync(page, 'utf8')) ?? [];

/** Is there a shorter order? Its order goes into the file as a quick fix, then from the preview, where the search is watched. */
export const order: Journey = {
  name: 'shorter order: the hint has a quick fix, the preview shows the order and keeps it, and one undo takes each back',
  files: { 'order.pipe': file ?? '' },
  async run(desk) {
    const { page, preview } = desk;
    const original = readFileSync(path.join(desk.folder, 'order.pipe'), 'utf8');
    await desk.openWithPreview('order.pipe');
    await desk.shows('271.5 ms');
    // The hint comes once nobody types. It is drawn where its line is in view.
    await page.keyboard.press('Control+Home');
    await eventually('the hint is there', async () => (await page.locator('.squiggly-hint').count()) > 0);
    await desk.goToEndOf('schedule ');
    await page.keyboard.press('ArrowLeft');
    const fixes = await desk.quickFixes();
    await fixes.filter({ hasText: 'Keep this order: iteration −3.5 %' }).click();
    await eventually('the quick fix is written', async () => (await desk.figures()).startsWith('262.1 ms'));
    await desk.undo();
    await desk.shows('271.5 ms');
    assert.equal(await desk.saved('order.pipe'), original);

    // The same in the preview, from the lenses of the pipeline.
    await desk.goToEndOf('pipeline train');
    await page.locator('.codelens-decoration a', { hasText: 'Shorter order' }).first().click();
    const strip = preview.locator('.side .order');
    await strip.waitFor();
    await eventually('the search has ended', async () => (await strip.innerText()).includes('this one is optimal'));
    await desk.shows('271.5 ms');
    await strip.getByRole('button', { name: 'Show in the timeline' }).click();
    await desk.shows('271.5 > 262.1 ms');
    await desk.shot('journey-order-1-shown');
    assert.equal(await page.locator('.tab.dirty').count(), 0);

    await strip.getByRole('button', { name: 'Keep this order' }).click();
    await eventually('the file has the order', async () =>
      /schedule\s+= train_order\n/.test(await desk.saved('order.pipe')),
    );
    await eventually('the figures are of the file', async () => (await desk.figures()).startsWith('262.1 ms'));
    await eventually('the order of the file is searched', async () =>
      (await strip.innerText()).includes('train_order is optimal'),
    );
    await desk.shot('journey-order-2-kept');
    await desk.undo();
    await desk.shows('271.5 ms');
    assert.equal(await desk.saved('order.pipe'), original);
  },
};
