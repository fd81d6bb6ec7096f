/** What a person sees can be reached: a list is over the page, a menu makes room for what it opens, and nothing lies over a control. */
import assert from 'node:assert/strict';
import type { ParamPlan } from '../../engine/values/plan.ts';
import type { PageTest } from './check.ts';
import { exampleFile } from './editor.ts';
import { type Preview, settled } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';
import { visit } from './scenes.ts';

const widths = [420, 700, 1400] as const;
const height = 800;

const many = Array.from({ length: 40 }, (_, index) => `pipeline_${index}`);
const words: ParamPlan = { ...microbatchParam(0), name: 'order', min: 0, max: 39, step: 1, words: many };
const small = pipeline({ devices: 4, microbatches: 8 });

/** Opens a drop-down by the mouse, and clicks its last entry where a person sees it. */
async function clickLast(preview: Preview, dropdown: string): Promise<void> {
  const { page } = preview;
  await page.locator(dropdown).click();
  await settled(page);
  const last = page.locator(`${dropdown} vscode-option`).last();
  await last.scrollIntoViewIfNeeded();
  const box = await last.boundingBox();
  assert.ok(box !== null, `${dropdown}: its last entry is in no place`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  assert.ok(x > 0 && x < (page.viewportSize()?.width ?? 0) && y > 0 && y < height, `${dropdown}: it is on the page`);
  const hit = await page.evaluate(([at, down]) => document.elementFromPoint(at, down)?.textContent, [x, y] as const);
  assert.equal(hit, await last.textContent(), `${dropdown}: nothing lies over its last entry`);
  await page.mouse.click(x, y);
}

async function lastTry(preview: Preview): Promise<unknown> {
  const last = (await preview.posted()).findLast(({ type }) => type === 'try');
  return last?.type === 'try' ? last.overrides : undefined;
}

const lists: PageTest = {
  name: 'the last entry of a long list is reached with the mouse, in the toolbar, in the bar of params and in a popover',
  run: async (browser) => {
    for (const width of widths) {
      const preview = await browser.open({ width, height });
      const { page } = preview;
      const pipelines = many.map((name) => ({ ...small, name }));
      await preview.post(planMessage(plan(pipelines, [words])));
      await preview.drawn();
      await page.locator('.identity vscode-dropdown').click();
      await settled(page);
      await preview.shot(`list-${width}`);
      await page.keyboard.press('Escape');
      await clickLast(preview, '.params vscode-dropdown');
      await page.waitForTimeout(60);
      assert.deepEqual(await lastTry(preview), { order: 39 });
      await clickLast(preview, '.identity vscode-dropdown');
      // After the pipelines: all of them.
      await page.locator('.race').waitFor();
      await page.keyboard.press('Escape');
      await preview.post(planMessage(plan([small], [words, microbatchParam(8)]), 2));
      await page.locator('.params-opener').click();
      await clickLast(preview, '.popover vscode-dropdown');
      await page.waitForTimeout(60);
      assert.deepEqual(await lastTry(preview), { order: 39 });
      await preview.close();
    }
  },
};

const menu: PageTest = {
  name: 'an entry of the menu that opens something closes the menu, and the focus is in what it opened',
  run: async (browser) => {
    for (const width of widths)
      await visit(
        browser,
        { name: 'menu', file: exampleFile('quickstart.pipe'), size: [width, height] },
        { width, height },
        async ({ page }, editor) => {
          for (const [entry, opened] of [
            ['Table', '.table'],
            ['Sensitivity', '.side'],
            ['Compare', '.race'],
            ['Keyboard shortcuts', 'dialog[open]'],
          ] as const) {
            await page.getByRole('button', { name: 'More' }).click();
            await page.locator('.menu-item', { hasText: entry }).click();
            await page.locator(opened).waitFor();
            await editor.answer();
            assert.equal(await page.locator('.popover').count(), 0, `${entry}: the menu is closed`);
            assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), 'BODY', entry);
            await page.keyboard.press(entry === 'Table' ? 't' : 'Escape');
            await page.locator(opened).waitFor({ state: 'hidden' });
          }
          await page.getByRole('button', { name: 'More' }).click();
          await page.locator('.menu-item', { hasText: 'Bubbles' }).click();
          assert.equal(await page.locator('.popover').count(), 1, 'a switch leaves it open');
        },
      );
  },
};

export const reachTests: readonly PageTest[] = [lists, menu];
