import assert from 'node:assert/strict';
import type { Journey } from './journey.ts';

/** A device with too little memory: from the squiggle to a pipeline that fits, with the fix that the editor prefers. */
export const memory: Journey = {
  name: 'out of memory: the preferred fix of the squiggle makes the pipeline fit',
  files: { 'memory.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview, squiggle } = desk;
    await desk.openWithPreview('memory.pipe');
    await desk.shows('peak 5 GiB');
    assert.equal(await preview.locator('.figure.peak.over').count(), 0);
    // The device gets 3 GiB; three stages need more. One message is about all.
    await desk.retype('device v100', 7, '3GiB }');
    await squiggle.first().waitFor();
    await desk.command('View: Toggle Problems');
    await page
      .locator('.markers-panel .monaco-list-row', { hasText: 'gpu[1] and gpu[2] have this problem too' })
      .first()
      .waitFor();
    assert.equal(await page.locator('.markers-panel .monaco-list-row', { hasText: 'over the 3 GiB' }).count(), 1);
    await desk.shot('journey-memory-0-others');
    await desk.command('View: Toggle Problems');
    // With 4 GiB only stage 0 needs more.
    await desk.retype('device v100', 6, '4GiB }');
    await squiggle.first().waitFor();
    await preview.locator('.figure.peak.over').waitFor();
    await page.locator('.codelens-decoration', { hasText: 'peak 5 GiB of 4 GiB' }).waitFor();
    await desk.shot('journey-memory-1-over');
    await desk.goToEndOf('stages  ');
    await page.keyboard.press('ArrowLeft');
    const fixes = await desk.quickFixes();
    await desk.shot('journey-memory-2-fixes');
    await fixes.first().click();
    await squiggle.first().waitFor({ state: 'detached' });
    await preview.locator('.figure.peak:not(.over)').waitFor();
    await desk.shot('journey-memory-3-fits');
  },
};
