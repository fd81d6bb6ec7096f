import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

/** A fix on show, which the file does not have; then an edit while it is on show; then the fix in the file. */
export const tryFix: Journey = {
  name: 'try a fix: Show draws it without touching the file, an edit ends the show, Apply writes it',
  files: { 'try.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    await desk.openWithPreview('try.pipe');
    await desk.shows('bubble 27.3 %');
    await preview.locator('.timeline').click({ position: { x: 190, y: 45 } });
    await page.keyboard.press('y');
    const card = preview.locator('.side .why .fix:not(.over)').first();
    await card.waitFor();
    const promised = (await card.locator('.figures').innerText()).replaceAll(/\s+/g, ' ');
    const idle = /bubble [\d.]+ %/.exec(promised)?.[0];
    assert(idle, promised);
    await card.getByRole('button', { name: /^Show/ }).click();
    await desk.shows(idle);
    await desk.shot('journey-try-1-shown');
    assert.equal(await page.locator('.tab.dirty').count(), 0);

    // The edits of the fix are for the text of before.
    await desk.goToEndOf('Eight equal layers');
    await page.keyboard.type(' More.');
    await desk.shows('bubble 27.3 %');
    await desk.shot('journey-try-2-edited');
    const text = await desk.saved('try.pipe');
    assert.match(text, /schedule\s+= 1f1b/);

    await preview.locator('.timeline').click({ position: { x: 190, y: 45 } });
    await page.keyboard.press('y');
    const apply = preview
      .locator('.side .why .fix:not(.over)')
      .first()
      .getByRole('button', { name: /^Apply/ });
    await apply.click();
    await desk.shows(idle);
    await eventually('the file has it', async () => !/schedule\s+= 1f1b\n/.test(await desk.saved('try.pipe')));
    assert.match(await desk.saved('try.pipe'), / More\.\n/);
  },
};
