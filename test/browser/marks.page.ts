import assert from 'node:assert/strict';
import { B } from '../../engine/values/program.ts';
import { layoutFor } from '../../webview/view/scene/layout.ts';
import { memoryAxis } from '../../webview/view/paint/memoryAxis.ts';
import { themeFrom, themeKind } from '../../webview/view/scene/theme.ts';
import { type PageTest, sameColour } from './check.ts';
import { settled } from './harness.ts';
import { type ThemeClass, themeColours, themes } from './themeColours.ts';
import { GiB, pipeline, plan, planMessage } from './plans.ts';
import { blockOf, clickBlock, pictureFor, pointOf } from './scene.ts';

const shape = { devices: 4, microbatches: 4 };
const themeOf = (name: ThemeClass) =>
  themeFrom(
    themeKind({ contains: (other) => other === name }),
    (property) => themeColours[name][property.replace('--vscode-', '')] ?? '',
  );

const cursor: PageTest = {
  name: "blocks at the editor's cursor have corners in every theme, which are no ring and never in the colour of the focus",
  run: async (browser) => {
    const shownPipeline = pipeline(shape);
    const picture = pictureFor(shownPipeline);
    const { start, end } = picture.columns;
    for (const theme of themes) {
      const preview = await browser.open({ theme, colours: { '--vscode-focusBorder': '#ff00ff' } });
      await preview.post(planMessage(plan([shownPipeline])));
      await preview.drawn();
      const block = blockOf(picture, 1, B, 2);
      const [left, top] = (await pointOf(preview, picture, 1, start[block], 0)).map(Math.round);
      const [middle] = await pointOf(preview, picture, 1, (start[block] + end[block]) / 2, 0);
      const before = await preview.pixel(middle, top);
      await preview.post({ type: 'highlight', groups: [['layer:toy/block[1]'], ['train']] });
      await settled(preview.page);
      const { ring } = themeOf(theme);
      const [upper, side, between] = await preview.pixels([
        [left + 4, top],
        [left, top + 4],
        [middle, top],
      ]);
      sameColour(upper, ring, `${theme}: along the upper edge`);
      sameColour(side, ring, `${theme}: along the left edge`);
      sameColour(between, before, `${theme}: between the corners`);
      // The selection is a whole ring.
      await clickBlock(preview, picture, block, 1);
      await settled(preview.page);
      sameColour(await preview.pixel(middle, top), ring, `${theme}: selected`);
      await preview.shot(`cursor-${theme}`);
      await preview.close();
    }
  },
};

const limits = [
  ['dim', 1.3],
  ['warning', 1.05],
  ['error', 0.95],
] as const;

const limit: PageTest = {
  name: 'the limit of the memory is quiet while there is room, orange over 90 % and red only if the peak does not fit',
  run: async (browser) => {
    const peak = Math.max(...pictureFor(pipeline(shape)).report.devices.map((device) => device.peak));
    const preview = await browser.open();
    for (const [index, [colour, room]] of limits.entries()) {
      const memory = Math.round((peak * room) / GiB) * GiB;
      await preview.post(planMessage(plan([pipeline({ ...shape, memory })]), index + 1));
      await preview.drawn();
      for (const theme of themes) {
        await preview.setTheme(theme, true);
        const box = await preview.page.locator('.timeline').boundingBox();
        assert.ok(box !== null);
        const layout = layoutFor(box.width, box.height, shape.devices, true);
        const axis = memoryAxis(peak, memory, layout.memory);
        // The line is dashed from the left edge on.
        const seen = await preview.pixel(box.x + layout.left + 2, box.y + Math.floor(axis.limit));
        sameColour(seen, themeOf(theme)[colour], `${theme}, ${memory / GiB} GiB`);
        await preview.shot(`limit-${colour}-${theme}`);
      }
    }
    await preview.close();
  },
};

export const markTests: readonly PageTest[] = [cursor, limit];
