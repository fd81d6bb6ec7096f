import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

/** Without what changes nothing: a refactoring of the schedule's name. */
const fixesOf = (titles: readonly string[]): readonly string[] =>
  titles.filter((title) => !title.startsWith('Write the text of '));

/** The list of fixes right after a move of the cursor, before the editor itself has looked for any. */
export const quickFixes: Journey = {
  name: 'quick fixes: the list opens right after a move of the cursor, with the effect of each fix',
  files: { 'list.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page } = desk;
    await desk.openWithPreview('list.pipe');
    await desk.shows('bubble 27.3 %');
    // The fixes are found while nobody types.
    await page.waitForTimeout(4000);
    await desk.goToEndOf('schedule ');
    await page.keyboard.press('ArrowLeft');
    // Once only: a list that comes late is given up by the editor, and nothing opens.
    await page.keyboard.press('Control+.');
    const fixes = page.locator('.action-widget .monaco-list-row.action');
    await fixes.first().waitFor();
    await desk.shot('journey-quick-fixes');
    const titles = fixesOf(await fixes.allInnerTexts());
    assert(titles.length >= 3, titles.join('\n'));
    for (const title of titles) assert.match(title, /: (iteration|throughput) /);
    await page.keyboard.press('Escape');

    await desk.retype('param microbatches', '  // a slider in the preview'.length, '');
    await eventually('the text has changed', async () => (await page.locator('.tab.dirty').count()) > 0);
    await desk.goToEndOf('schedule ');
    await page.keyboard.press('ArrowLeft');
    const again = await desk.quickFixes();
    for (const title of fixesOf(await again.allInnerTexts())) assert.match(title, /: (iteration|throughput) /);
    await page.keyboard.press('Escape');
  },
};
