import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../eventually.ts';
import type { Desk } from './desk.ts';
import type { Journey } from './journey.ts';

/** A figure for a paper, from the timeline with a key. */
export const figure: Journey = {
  name: 'figure for a paper: E saves the timeline as SVG and as PNG',
  files: { 'figure.pipe': 'quickstart.pipe' },
  async run(desk) {
    await desk.openWithPreview('figure.pipe');
    await desk.drawn();
    await leaves(desk);
    const svg = await save(desk, 'SVG, 3.4 in', 'figure-train.svg');
    assert.match(svg.toString('utf8'), /^(<\?xml[^>]*>\s*)?<svg[^>]* xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.match(svg.toString('utf8').trimEnd(), /<\/svg>$/);
    const png = await save(desk, 'PNG, 7 in', 'figure-train.png');
    assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
    // 7 in at 384 dpi.
    assert.equal(png.readUInt32BE(16), 2688);
    await desk.shot('journey-figure-2-saved');
  },
};

/** Esc in the list of formats gives the focus back: to the timeline, or to the button of the menu. */
async function leaves({ page, preview }: Desk): Promise<void> {
  const list = page.locator('.quick-input-list .monaco-list-row').first();
  const focused = () =>
    preview.locator('body').evaluate((body) => {
      const { activeElement } = body.ownerDocument;
      if (!body.ownerDocument.hasFocus() || activeElement === null) return '';
      return activeElement.closest('.grid') === null ? (activeElement.getAttribute('aria-label') ?? '') : 'timeline';
    });
  await preview.locator('.timeline').click({ position: { x: 300, y: 45 } });
  await page.keyboard.press('e');
  await list.waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'hidden' });
  await eventually('the timeline has the focus again', async () => (await focused()) === 'timeline');
  await preview.locator('header .tools .icon[aria-label=More]').click();
  await preview.locator('.menu-item', { hasText: 'Export' }).click();
  await list.waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'hidden' });
  await eventually('the button has the focus again', async () => (await focused()) === 'More');
}

async function save({ page, preview, folder, shot }: Desk, format: string, name: string): Promise<Buffer> {
  await preview.locator('.timeline').click({ position: { x: 300, y: 45 } });
  await page.keyboard.press('e');
  const entry = page.locator('.quick-input-list .monaco-list-row', { hasText: format }).first();
  await entry.waitFor();
  await shot('journey-figure-1-formats');
  await entry.click();
  const field = page.locator('.quick-input-widget:visible input');
  await eventually('the name is offered', async () => (await field.inputValue()).endsWith(name));
  await page.keyboard.press('Enter');
  const file = path.join(folder, name);
  await eventually(`${name} is there`, () => existsSync(file) && readFileSync(file).length > 0);
  return readFileSync(file);
}
