import assert from 'node:assert/strict';
import { B, F } from '../../engine/values/program.ts';
import { time } from '../../engine/basics/quantities.ts';
import { sensitivityOf } from '../../engine/analyze/sensitivity.ts';
import { evaluate } from '../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../engine/basics/host.ts';
import { themeFrom } from '../../webview/view/scene/theme.ts';
import { layoutFor } from '../../webview/view/scene/layout.ts';
import type { Browser, PageTest } from './check.ts';
import { type Preview, settled } from './harness.ts';
import { pipeline, plan, planMessage } from './plans.ts';
import { blockOf, clickBlock, pictureFor, pointOf } from './scene.ts';
import type { Point } from './pixels.ts';

const shown = pipeline({ devices: 4, microbatches: 8 });
const picture = pictureFor(shown);

async function opened(browser: Browser, width = 1320, height = 860): Promise<Preview> {
  const preview = await browser.open({ width, height });
  await preview.post(planMessage(plan([shown])));
  await preview.drawn();
  return preview;
}

const tip = (preview: Preview) => preview.page.locator('.tooltip');

async function hover(preview: Preview, device: number, kind: number, microbatch: number): Promise<void> {
  const { start, end } = picture.columns;
  const block = blockOf(picture, device, kind, microbatch);
  await preview.page.mouse.move(...(await pointOf(preview, picture, device, (start[block] + end[block]) / 2)));
  await settled(preview.page);
}

const closes: PageTest = {
  name: 'a key and a click close the tooltip, and it comes back at the next block',
  run: async (browser) => {
    const preview = await opened(browser);
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    for (const key of ['y', 'ArrowRight', 'c', 'Shift']) {
      await hover(preview, 1, B, 2);
      assert.ok(await tip(preview).isVisible(), `before ${key}`);
      await preview.page.keyboard.press(key);
      await settled(preview.page);
      assert.equal(await tip(preview).isVisible(), false, key);
      // More of the same block does not bring it back.
      const [x, y] = await pointOf(preview, picture, 1, picture.columns.start[blockOf(picture, 1, B, 2)] + 2e-3, 0.3);
      if (key !== 'y') await preview.page.mouse.move(x, y);
      await settled(preview.page);
      assert.equal(await tip(preview).isVisible(), false, `${key}, and the pointer moves a little`);
      await preview.page.keyboard.press('Escape');
      await hover(preview, 0, F, 0);
      assert.ok(await tip(preview).isVisible(), `another block after ${key}`);
    }
    await clickBlock(preview, picture, blockOf(picture, 2, B, 3), 2);
    await settled(preview.page);
    assert.equal(await tip(preview).isVisible(), false, 'a click');
    await preview.close();
  },
};

const clear: PageTest = {
  name: 'the tooltip leaves the row of the selected block free, and the pointer',
  run: async (browser) => {
    for (const [width, height] of [
      [420, 900],
      [700, 700],
      [1400, 800],
    ] as const) {
      const preview = await opened(browser, width, height);
      const box = await preview.page.locator('.timeline').boundingBox();
      assert.ok(box !== null);
      const { rows, fittedRow } = layoutFor(box.width, box.height, 4, true);
      for (const device of [0, 1, 2, 3]) {
        await clickBlock(preview, picture, blockOf(picture, device, B, 3), device);
        for (const [other, microbatch] of [
          [0, 0],
          [1, 5],
          [2, 6],
          [3, 7],
        ] as const) {
          await hover(preview, other, B, microbatch);
          const place = await tip(preview).boundingBox();
          const at = `${width} px, ${device} selected, pointer at ${other}: ${JSON.stringify(place)}`;
          assert.ok(place !== null, at);
          const top = box.y + rows.y + device * fittedRow;
          assert.ok(place.y >= top + fittedRow || place.y + place.height <= top, at);
          assert.ok(place.x >= 0 && place.x + place.width <= width && place.y >= box.y, at);
          assert.ok(place.y + place.height <= box.y + box.height, at);
        }
      }
      await preview.close();
    }
  },
};

const names: PageTest = {
  name: 'the name of a device has a tooltip with its figures and what a faster stage brings',
  run: async (browser) => {
    const preview = await opened(browser);
    const box = await preview.page.locator('.timeline').boundingBox();
    assert.ok(box !== null);
    const { rows, fittedRow } = layoutFor(box.width, box.height, 4, true);
    await preview.page.mouse.move(box.x + 40, box.y + rows.y + 1.5 * fittedRow);
    await tip(preview).getByText('10 % faster').waitFor();
    const text = await tip(preview).innerText();
    const { run } = evaluate(shown, defaultOptions);
    assert.ok(run !== undefined);
    const { faster } = sensitivityOf(shown, run.timeline).stages[1];
    assert.ok(faster > 0);
    assert.match(text, /^gpu\[1\]\nStages\nstage 1\nBusy/);
    assert.ok(text.includes(`stage 1 10 % faster\n−${time(faster)}`), text);
    await preview.close();
  },
};

const path: PageTest = {
  name: 'a block that is pointed at, or selected, has the path of its microbatch along its forwards and its backwards',
  run: async (browser) => {
    const { ring } = themeFrom('dark', () => '');
    const { start, end } = picture.columns;
    for (const width of [700]) {
      const preview = await opened(browser, width);
      /** Pixels of a line across a block: a dashed line has gaps. */
      const crossed = async (device: number, kind: number, microbatch: number): Promise<number> => {
        const block = blockOf(picture, device, kind, microbatch);
        const [x, y] = await pointOf(
          preview,
          picture,
          device,
          (start[block] + end[block]) / 2,
          kind === F ? 0.16 : 0.84,
        );
        const places = [-3, 0, 3].flatMap((right) =>
          [-1, 0, 1].map((down): Point => [Math.round(x) + right, Math.round(y) + down]),
        );
        const lines = (await preview.pixels(places)).map((pixel) =>
          pixel.every((part, at) => Math.abs(part - ring[at]) <= 24),
        );
        return [0, 3, 6].filter((from) => lines.slice(from, from + 3).includes(true)).length;
      };
      // The tooltip may cover what is under the row that is pointed at.
      const onPath = async (microbatch: number): Promise<boolean> =>
        (await crossed(0, F, microbatch)) === 3 &&
        (await crossed(1, F, microbatch)) === 3 &&
        (await crossed(0, B, microbatch)) >= 1;
      assert.equal(await onPath(2), false, 'at rest');
      await hover(preview, 1, B, 2);
      assert.equal(await onPath(2), true, `${width} px, pointed at`);
      assert.equal(await onPath(5), false, `${width} px, another microbatch`);
      await preview.shot(`path-${width}`);
      await preview.page.mouse.move(2, 2);
      await clickBlock(preview, picture, blockOf(picture, 2, F, 5), 2);
      await preview.page.mouse.move(2, 2);
      await settled(preview.page);
      assert.equal(await onPath(5), true, `${width} px, selected`);
      // A chain of causes is about other operations.
      await preview.page.keyboard.press('y');
      await settled(preview.page);
      assert.equal(await onPath(5), false, `${width} px, explained`);
      await preview.close();
    }
  },
};

export const hoverTests: readonly PageTest[] = [closes, clear, names, path];
