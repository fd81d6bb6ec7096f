import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

/** Too much idle time: once from the finding in the text, once from a bubble in the preview. Both give what they promise. */
export const bubble: Journey = {
  name: 'bubble: a fix of the finding, and a fix of the preview, bring the figures that they promise',
  files: { 'bubble.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    await desk.openWithPreview('bubble.pipe');
    await desk.shows('bubble 27.3 %');
    await preview.locator('.timeline').click({ position: { x: 190, y: 45 } });
    await desk.shot('journey-bubble-1-selected');
    await page.keyboard.press('y');
    const panel = preview.locator('.side .why');
    await panel.waitFor();
    const card = panel.locator('.fix:not(.over)').first();
    await card.waitFor();
    await desk.shot('journey-bubble-2-why');
    const promised = (await card.locator('.figures').innerText()).replaceAll(/\s+/g, ' ');
    const idle = /bubble [\d.]+ %/.exec(promised)?.[0];
    assert(idle, promised);
    await card.getByRole('button', { name: /^Apply/ }).click();
    await desk.shows(idle);
    await desk.shot('journey-bubble-3-applied');
    await desk.undo();
    await desk.shows('bubble 27.3 %');
    await desk.goToEndOf('schedule ');
    await page.keyboard.press('ArrowLeft');
    const fixes = await desk.quickFixes();
    await desk.shot('journey-bubble-4-fixes');
    const title = await fixes.first().innerText();
    const change = Number(/iteration −([\d.]+) %/.exec(title)?.[1]);
    assert(change > 0, title);
    await fixes.first().click();
    const kept = (264.2 * (100 - change)) / 100;
    await eventually(title, async () => Math.abs(Number.parseFloat(await desk.figures()) / kept - 1) < 0.001);
    await desk.shot('journey-bubble-5-fixed');
  },
};
