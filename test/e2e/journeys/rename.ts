import type { Journey } from './journey.ts';

/** The file gets another name, then it is deleted: the preview goes with it, and says when it is gone. */
export const rename: Journey = {
  name: 'rename and delete: the preview goes with its file, and says when it is gone',
  files: { 'before.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    await desk.openWithPreview('before.pipe');
    await desk.drawn();
    await page.getByRole('treeitem', { name: 'before.pipe' }).click();
    await page.keyboard.press('F2');
    const field = page.locator('.explorer-folders-view input');
    await field.fill('after.pipe');
    await field.press('Enter');
    await page.locator('.tab', { hasText: 'Preview after.pipe' }).waitFor();
    await desk.shows('264.2 ms');
    await desk.shot('journey-rename-1-renamed');
    await page.getByRole('treeitem', { name: 'after.pipe' }).click();
    await page.keyboard.press('Delete');
    await preview.getByText('after.pipe was renamed or deleted.').first().waitFor();
    await desk.shot('journey-rename-2-gone');
    await preview.getByRole('button', { name: 'Close' }).last().click();
    await page.locator('.tab', { hasText: 'Preview' }).waitFor({ state: 'detached' });
  },
};
