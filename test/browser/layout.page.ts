import assert from 'node:assert/strict';
import { layoutFor } from '../../webview/view/scene/layout.ts';
import { initialViewport } from '../../webview/view/scene/viewport.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';
import { type Preview, settled } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';
import { clickBlock, pictureFor } from './scene.ts';

/** Sizes of a preview beside an editor, and of one that has the window to itself. */
const sizes = [
  [480, 600],
  [540, 760],
  [540, 900],
  [760, 900],
  [900, 800],
  [1100, 860],
  [1320, 900],
] as const;

/** Parts of the bars whose content does not fit, and controls that overlap. */
const misfits = (preview: Preview): Promise<string[]> =>
  preview.page.evaluate(() => {
    const bad: string[] = [];
    const name = (part: Element) => `${part.tagName.toLowerCase()}.${part.className}`;
    for (const part of document.querySelectorAll<HTMLElement>(
      'header, header *, .params, .statistics, .statistics *',
    )) {
      const { display } = getComputedStyle(part);
      if (display === 'inline' || display === 'contents' || part.clientWidth === 0) continue;
      if (part.scrollWidth > part.clientWidth + 1) bad.push(`${name(part)} is too narrow`);
    }
    const boxes = Array.from(
      document.querySelectorAll(
        'header vscode-button, header .toggle, header vscode-text-field, header .link, header h1',
      ),
      (part) => ({ part, box: part.getBoundingClientRect() }),
    );
    for (const [index, a] of boxes.entries())
      for (const b of boxes.slice(index + 1))
        if (
          a.box.left < b.box.right - 0.5 &&
          b.box.left < a.box.right - 0.5 &&
          a.box.top < b.box.bottom - 0.5 &&
          b.box.top < a.box.bottom - 0.5
        )
          bad.push(`${name(a.part)} over ${name(b.part)}`);
    return bad;
  });

const tops = (preview: Preview, parts: string) =>
  preview.page.locator(parts).evaluateAll((all) => all.map((part) => Math.round(part.getBoundingClientRect().top)));

/** Five figures, and six where model FLOPs are known. */
const shown = [
  ['', () => planMessage(plan([pipeline({ devices: 4, microbatches: 8 })], [microbatchParam(8)]))],
  [', model FLOPs too', () => example('gpt-22b').message],
] as const;

const bars: readonly PageTest[] = shown.map(([what, message]) => ({
  name: `at any width controls stay together and every figure keeps its note${what}`,
  run: async (browser) => {
    for (const [width, height] of sizes) {
      const preview = await browser.open({ width, height });
      await preview.post(message());
      await preview.drawn();
      assert.deepEqual(await misfits(preview), [], `${width} px`);
      assert.equal(new Set(await tops(preview, '.actions vscode-button')).size, 1, `${width} px: one line of buttons`);
      const figures = await preview.page
        .locator('.figure')
        .evaluateAll((all) => all.map((figure) => Math.round(figure.getBoundingClientRect().width)));
      assert.ok(Math.max(...figures) - Math.min(...figures) <= 2, `${width} px: ${figures.join()}`);
      for (const note of await preview.page.locator('.figure .note').all())
        assert.ok((await note.isVisible()) && (await note.innerText()) !== '', `${width} px: each figure has its note`);
      await preview.close();
    }
  },
}));

const rows: PageTest = {
  name: 'four devices fit at any size, and stay where they are when a block is selected',
  run: async (browser) => {
    for (const [width, height] of sizes) {
      const shownPipeline = pipeline({ devices: 4, microbatches: 8 });
      const preview = await browser.open({ width, height });
      await preview.post(planMessage(plan([shownPipeline], [microbatchParam(8)])));
      await preview.drawn();
      await preview.page.waitForTimeout(300);
      const timelineBox = () => preview.page.locator('.timeline').boundingBox();
      const box = await timelineBox();
      assert.ok(box !== null);
      const layout = layoutFor(box.width, box.height, 4, true);
      const { rowHeight } = initialViewport({
        makespan: 1,
        rows: 4,
        width: layout.plot,
        height: layout.rows.height,
      });
      assert.ok(rowHeight * 4 <= layout.rows.height && rowHeight >= 14, `${width} × ${height}: ${rowHeight} px a row`);
      // The last row is where the smaller stage puts it: a click there finds its block.
      const picture = pictureFor(shownPipeline);
      await clickBlock(preview, picture, picture.columns.offsets[3], 3);
      await settled(preview.page);
      assert.match(await preview.page.locator('.detail').innerText(), /0F0|3F0/);
      assert.deepEqual(await timelineBox(), box);
      await preview.close();
    }
  },
};

const scrolled: PageTest = {
  name: 'where rows are scrolled the last one comes wholly into sight',
  run: async (browser) => {
    const shownPipeline = pipeline({ devices: 40, microbatches: 8 });
    const preview = await browser.open({ width: 540, height: 700 });
    await preview.post(planMessage(plan([shownPipeline], [microbatchParam(8)])));
    await preview.drawn();
    const box = await preview.page.locator('.timeline').boundingBox();
    assert.ok(box !== null);
    const { rows: band, left } = layoutFor(box.width, box.height, 40, true);
    await preview.page.mouse.move(box.x + left + 20, box.y + band.y + 20);
    await preview.page.mouse.wheel(0, 10_000);
    await settled(preview.page);
    await preview.page.mouse.click(box.x + 20, box.y + band.y + band.height - 11);
    await settled(preview.page);
    assert.deepEqual((await preview.posted()).at(-1), {
      type: 'reveal',
      path: 'train/device:39',
      preserveFocus: true,
    });
    await preview.close();
  },
};

const legend: PageTest = {
  name: 'the legend names what the timeline has, and nothing else',
  run: async (browser) => {
    const preview = await browser.open();
    const text = () => preview.page.locator('.legend').innerText();
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 8 })])));
    await preview.drawn();
    assert.doesNotMatch(await text(), /Recompute|Gradient sync|Optimizer/);
    assert.match(await text(), /Forward[\s\S]*Transfer[\s\S]*Bubble/);
    const more = pipeline({ devices: 4, microbatches: 8, recompute: 1e-3, sync: 4e-3, optimizer: 3e-3 });
    await preview.post(planMessage(plan([more]), 2));
    await preview.drawn();
    assert.match(await text(), /Recompute[\s\S]*Gradient sync[\s\S]*Optimizer/);
    await preview.close();
  },
};

export const layoutTests: readonly PageTest[] = [...bars, rows, scrolled, legend];
