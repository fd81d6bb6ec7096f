import assert from 'node:assert/strict';
import type { Journey } from './journey.ts';

/** An empty file: an example is inserted and drawn, and one undo takes it back. */
export const newFile: Journey = {
  name: 'new file: an example from the page is drawn, and one undo takes it back',
  files: { 'new.pipe': '' },
  async run(desk) {
    const { preview } = desk;
    await desk.openWithPreview('new.pipe');
    const card = preview.locator('.example').first();
    await card.waitFor();
    await desk.shot('journey-new-1-cards');
    const figure = /\d+ ms/.exec(await card.innerText())?.[0];
    assert(figure);
    await card.click();
    await desk.drawn();
    await desk.shot('journey-new-2-inserted');
    assert.match(await desk.figures(), new RegExp(`^${Number.parseInt(figure, 10)}`));
    assert.match(await desk.saved('new.pipe'), /pipeline train/);
    await desk.undo();
    await card.waitFor();
    assert.equal((await desk.saved('new.pipe')).trim(), '');
  },
};
