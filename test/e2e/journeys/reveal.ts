import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import { picture, rgb } from '../pixels.ts';
import type { Journey } from './journey.ts';

/** Clicks that move no cursor: the menu of the page switches them off, and the key for a peek works all the same. */
export const reveal: Journey = {
  name: 'reveal: with clicks switched off, Alt+Enter moves the cursor, and the focus stays in the preview',
  files: { 'reveal.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    await desk.openWithPreview('reveal.pipe');
    await desk.drawn();
    await desk.goToEndOf('model toy');
    const before = await desk.cursorLine();
    const turn = async () => {
      await preview.getByRole('button', { name: 'More' }).click();
      await preview.getByText('A click moves the cursor').click();
    };
    await turn();
    const stage = preview.locator('.timeline');
    const place = (await picture(page, stage)).find(rgb('#2f77c8'), 70);
    assert(place);
    await stage.click({ position: place });
    await preview.locator('.detail strong').first().waitFor();
    // Time enough for a move, if a click made one.
    await page.waitForTimeout(600);
    assert.equal(await desk.cursorLine(), before);
    await page.keyboard.press('Alt+Enter');
    await eventually('the cursor is at the stages', async () => (await desk.cursorLine()) === 22);
    await preview.locator('.grid:focus, .grid :focus').first().waitFor();
    await desk.shot('journey-reveal');
    await turn();
    await desk.goToEndOf('model toy');
    await stage.click({ position: place });
    await eventually('a click moves it again', async () => (await desk.cursorLine()) === 22);
  },
};
