import assert from 'node:assert/strict';
import type { PageTest } from './check.ts';
import { settled } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';

const shape = { devices: 4, microbatches: 6 };

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

export const accessibilityTests: readonly PageTest[] = [table, emulated, narrow];
