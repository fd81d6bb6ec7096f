import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

const csv = path.resolve(import.meta.dirname, '../../data/torch/torch2141_GPipe_p4_m8_v1_compute.csv');

/** The other things that the page of an empty file offers: another program's schedule, all examples, the guide. */
export const beginning: Journey = {
  name: 'beginning: an empty file gets a schedule of PyTorch, and its links lead to the examples and the guide',
  files: { 'begin.pipe': '' },
  async run(desk) {
    const { page, preview } = desk;
    copyFileSync(csv, path.join(desk.folder, 'gpipe.csv'));
    await desk.openWithPreview('begin.pipe');
    await preview
      .getByRole('button', { name: 'Language guide' })
      .or(preview.getByText('Language guide'))
      .first()
      .click();
    const guide = page.locator('.tab', { hasText: 'Preview language.md' });
    await guide.waitFor();
    await desk.shot('journey-beginning-1-guide');
    await guide.click({ button: 'middle' });
    await guide.waitFor({ state: 'detached' });
    await page.locator('.tab', { hasText: 'Preview begin.pipe' }).click();

    await preview.getByText('All examples').click();
    const entry = page.locator('.quick-input-list .monaco-list-row', { hasText: 'cluster.pipe' }).first();
    await entry.waitFor();
    await desk.shot('journey-beginning-2-examples');
    await entry.click();
    await page.locator('.tab', { hasText: 'cluster.pipe' }).waitFor();
    await page.locator('.view-line', { hasText: 'Nodes shared by the GPT examples' }).first().waitFor();
    await page.locator('.tab', { hasText: 'cluster.pipe' }).click({ button: 'middle' });
    await page.locator('.tab', { hasText: 'cluster.pipe' }).waitFor({ state: 'detached' });
    await page.locator('.tab', { hasText: 'Preview begin.pipe' }).click();

    await preview.getByText('Import a PyTorch schedule').click();
    const field = page.locator('.quick-input-widget:visible input');
    await field.waitFor();
    // The dialog starts in the folder of the file, and fills its field when it has read it.
    await eventually('the folder', async () => (await field.inputValue()).endsWith(`${path.basename(desk.folder)}/`));
    await field.fill(path.join(desk.folder, 'gpipe.csv'));
    await desk.shot('journey-beginning-3-import');
    await page.keyboard.press('Enter');
    // Four ranks, eight microbatches: 3 / 11 of the time is idle.
    await desk.shows('bubble 27.3 %');
    await desk.shot('journey-beginning-4-imported');
    const text = await desk.saved('begin.pipe');
    assert.match(text, /row\(0\)\s*=\s*F\[0/);
    assert.match(text, /row\(3\)/);
    await desk.undo();
    await eventually('one undo takes it back', async () => (await desk.saved('begin.pipe')).trim() === '');
  },
};
