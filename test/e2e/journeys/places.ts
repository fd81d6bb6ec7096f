import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import { picture, rgb } from '../pixels.ts';
import type { Journey } from './journey.ts';

/** A preview over the whole editor: a click on a block moves the cursor of the text, and nothing else changes. */
export const maximised: Journey = {
  name: 'maximised: a click on a block moves the cursor, and the preview stays as large as it is',
  files: { 'maximised.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    await desk.openWithPreview('maximised.pipe');
    await desk.drawn();
    await desk.goToEndOf('model toy');
    await page.locator('.tab', { hasText: 'Preview maximised.pipe' }).click();
    // The command is about the group with the focus.
    await page.locator('.editor-group-container.active .tab', { hasText: 'Preview maximised.pipe' }).waitFor();
    const tabs = await page.locator('.tab').count();
    await desk.command('View: Toggle Maximize Editor Group');
    const stage = preview.locator('.timeline');
    const width = async () => (await stage.boundingBox())?.width ?? 0;
    await eventually('the preview is wide', async () => (await width()) > 900);
    // Below the overview and the ruler.
    const place = (await picture(page, stage)).find(rgb('#2f77c8'), 70);
    assert(place);
    await stage.click({ position: place });
    await preview.locator('.detail strong').first().waitFor();
    await page.waitForTimeout(800);
    await desk.shot('journey-maximised');
    assert((await width()) > 900, 'still maximised');
    await desk.command('View: Toggle Maximize Editor Group');
    await eventually('the cursor is at the stages', async () => (await desk.cursorLine()) === 22);
    assert.equal(await page.locator('.tab').count(), tabs);
  },
};

/** The view in the bottom panel shows whatever file is active. */
export const docked: Journey = {
  name: 'docked: the view in the panel shows the active file',
  files: { 'docked.pipe': 'quickstart.pipe', 'other.pipe': 'custom-schedule.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    await desk.find('docked.pipe');
    await page.keyboard.press('Control+J');
    await page.locator('.part.panel .composite-bar a[aria-label^="Pipeline"]').click();
    await desk.drawn();
    await eventually('its name', async () => (await preview.locator('header').innerText()).includes('train'));
    await desk.shot('journey-docked-1');
    await desk.find('other.pipe');
    await eventually('the other file', async () =>
      /one_forward|by_r/.test(await preview.locator('header').innerText()),
    );
    await desk.shot('journey-docked-2-other');
    await page.keyboard.press('Control+J');
  },
};

/** A preview in a narrow group: figures and tools stay in reach. */
export const narrow: Journey = {
  name: 'narrow: figures and tools of a preview of 420 pixels stay in reach',
  files: { 'narrow.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1210, height: 800 });
    await desk.openWithPreview('narrow.pipe');
    await desk.drawn();
    await desk.shows('264.2 ms');
    const width = await preview.locator('html').evaluate((html) => html.clientWidth);
    assert(width > 380 && width < 460, `${width} px`);
    assert((await preview.locator('html').evaluate((html) => html.scrollWidth)) <= width, 'nothing sticks out');
    await desk.shot('journey-narrow-1');
    await preview.getByRole('button', { name: 'More' }).click();
    await preview
      .getByRole('button', { name: /^Export/ })
      .or(preview.getByRole('menuitem', { name: /^Export/ }))
      .first()
      .waitFor();
    await desk.shot('journey-narrow-2-menu');
    await page.keyboard.press('Escape');
    await preview.locator('.timeline').click({ position: { x: 190, y: 45 } });
    await page.keyboard.press('y');
    await preview.locator('.side .why').waitFor();
    await desk.shot('journey-narrow-3-why');
    await page.keyboard.press('Escape');
    if (size !== null) await page.setViewportSize(size);
  },
};
