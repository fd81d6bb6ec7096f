import assert from 'node:assert/strict';
import type { PageTest } from './check.ts';
import { axe, settled, themes } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';

const shape = { devices: 4, microbatches: 6 };

const clean = themes.map((theme): PageTest => ({
  name: `axe-core finds nothing, ${theme}`,
  run: async (browser) => {
    const preview = await browser.open({ theme });
    await preview.post(
      planMessage(plan([pipeline(shape), pipeline({ ...shape, name: 'other' })], [microbatchParam(6, 8)]), 1, {
        microbatches: 6,
      }),
    );
    await preview.drawn();
    assert.deepEqual(await axe(preview.page), []);
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    await preview.page.keyboard.press('ArrowRight');
    await preview.page.keyboard.press('t');
    await settled(preview.page);
    assert.deepEqual(await axe(preview.page), []);
    await preview.shot(`page-table-${theme}`);
    await preview.close();
  },
}));

const opened = themes.map((theme): PageTest => ({
  name: `axe-core finds nothing in popovers, details, search and notices, ${theme}`,
  run: async (browser) => {
    const preview = await browser.open({ theme, width: 420, height: 700 });
    const { page } = preview;
    const both = [microbatchParam(6, 8), { ...microbatchParam(8), name: 'other' }];
    await preview.post(planMessage(plan([pipeline(shape)], both), 1, { microbatches: 6 }));
    await preview.drawn();
    for (const opener of ['.figure.bubble', '.params-opener', '.legend-button', 'header .icon[aria-label=More]']) {
      await page.locator(opener).click();
      assert.deepEqual(await axe(page), [], opener);
      await page.keyboard.press('Escape');
    }
    await page.locator('[role=gridcell][tabindex="0"]').focus();
    for (const key of ['ArrowRight', 'Enter']) await page.keyboard.press(key);
    await settled(page);
    assert.deepEqual(await axe(page), [], 'details');
    await page.keyboard.press('/');
    await page.keyboard.type('mb:2');
    await settled(page);
    assert.deepEqual(await axe(page), [], 'search');
    await page.keyboard.press('Escape');
    const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 1 } };
    await preview.post({
      type: 'broken',
      uri: 'file:///quickstart.pipe',
      version: 2,
      message: 'Unknown name "x".',
      range,
    });
    await page.locator('header .notice').waitFor();
    assert.deepEqual(await axe(page), [], 'notice');
    await preview.shot(`page-notice-${theme}`);
    await preview.close();
  },
}));

const table: PageTest = {
  name: 'the table holds every block with few rows in the document',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(planMessage(plan([pipeline({ devices: 16, microbatches: 600 })])));
    await preview.drawn();
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    await preview.page.keyboard.press('t');
    await settled(preview.page);
    const rows = preview.page.locator('.cells .lines [role=row]');
    assert.equal(await preview.page.locator('.cells').getAttribute('aria-rowcount'), String(16 * 600 * 2 + 1));
    assert.ok((await rows.count()) < 60);
    await preview.page.keyboard.press('End');
    await settled(preview.page);
    assert.equal(await rows.last().getAttribute('aria-rowindex'), String(16 * 600 * 2 + 1));
    assert.match(await rows.last().innerText(), /gpu\[15\][\s\S]*599/);
    await preview.close();
  },
};

const emulated: PageTest = {
  name: 'reduced motion and forced colours change nothing that matters',
  run: async (browser) => {
    const preview = await browser.open({ reducedMotion: true, forcedColors: true });
    await preview.post(planMessage(plan([pipeline(shape)])));
    await preview.drawn();
    assert.deepEqual(preview.problems, []);
    assert.match(await preview.page.locator('.statistics').innerText(), /bubble/);
    await preview.close();
  },
};

const narrow: PageTest = {
  name: 'nothing overflows in a narrow panel',
  run: async (browser) => {
    const preview = await browser.open({ width: 480, height: 600 });
    await preview.post(
      planMessage(plan([pipeline({ devices: 24, microbatches: 48 })], [microbatchParam(48, 8)]), 1, {
        microbatches: 48,
      }),
    );
    await preview.drawn();
    const overflow = await preview.page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.scrollHeight,
    ]);
    assert.deepEqual(overflow, [480, 600]);
    await preview.shot('page-narrow');
    await preview.close();
  },
};

export const accessibilityTests: readonly PageTest[] = [...clean, ...opened, table, emulated, narrow];
