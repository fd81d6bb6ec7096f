import assert from 'node:assert/strict';
import { groupedLayout } from '../../webview/view/scene/groupedLayout.ts';
import { rowShape } from '../../webview/view/scene/rowShape.ts';
import { initialViewport } from '../../webview/view/scene/viewport.ts';
import { shownTimeline } from '../../webview/session/shownTimeline.ts';
import { themeFrom } from '../../webview/view/scene/theme.ts';
import { type Browser, type PageTest, sameColour } from './check.ts';
import { axe, type Preview, settled, violations } from './harness.ts';
import { plan, planMessage } from './plans.ts';
import { frontFirst, toyExchange } from '../unit/support/toyExchange.ts';
import { pictureFor } from './scene.ts';
import type { Point } from './pixels.ts';
import { planOf } from '../support/resolve.ts';

const file = planOf(toyExchange(frontFirst));
const picture = pictureFor(file);

async function opened(browser: Browser, width = 1100, height = 640): Promise<Preview> {
  const preview = await browser.open({ width, height, reducedMotion: true });
  await preview.post(planMessage(plan([JSON.parse(JSON.stringify(file))])));
  await preview.drawn();
  return preview;
}

/** Place of a moment of the lane , across from its top (0) to its foot (1). */
async function laneAt(preview: Preview, milliseconds: number, across = 0.25): Promise<readonly [number, number]> {
  const box = await preview.page.locator('.timeline').boundingBox();
  assert.ok(box !== null);
  const layout = groupedLayout(shownTimeline(file, picture), box, true, true, new Set());
  const { horizon = 0, rows } = picture.columns;
  const view = initialViewport({ makespan: horizon, rows, width: layout.plot, height: layout.rows.height });
  const shape = rowShape(view.rowHeight, false, layout.map.legs);
  const x = box.x + layout.left + ((milliseconds * 1e-3) / horizon) * layout.plot;
  return [x, box.y + layout.rows.y + shape.exchangeTop + shape.legHeight * across];
}

const drawn: PageTest = {
  name: 'lanes show pieces in the hue of their layer, in two iterations',
  run: async (browser) => {
    for (const width of [420, 700, 1400]) {
      const preview = await opened(browser, width);
      const { hues, background } = themeFrom('dark', () => '');
      const pieces = [
        // Of the iteration before, of this one, and of the next.
        [1.5, 2],
        [6, 1],
        [7.2, 0],
        [8.4, 2],
        [14.1, 2],
      ] as const;
      const points = await Promise.all(pieces.map(([milliseconds]) => laneAt(preview, milliseconds, 0.15)));
      const [idle, ...colours] = await preview.pixels([await laneAt(preview, 3), ...points]);
      for (const [index, [milliseconds, layer]] of pieces.entries())
        sameColour(colours[index], hues[layer], `${width} px, ${milliseconds} ms`);
      sameColour(idle, background, `${width} px, idle`);
      assert.deepEqual(await violations(preview.page), []);
      assert.deepEqual(preview.problems, []);
      await preview.close();
    }
  },
};

const pointed: PageTest = {
  name: 'a piece says when it was sent and what it waited for, and a click shows the line of its layer',
  run: async (browser) => {
    const preview = await opened(browser);
    const [x, y] = await laneAt(preview, 6);
    await preview.page.mouse.move(x, y);
    await settled(preview.page);
    const text = await preview.page.locator('.tooltip').innerText();
    for (const part of ['Piece of mid', '9.54 MiB, 1 tensor, ring', '5.2 ms – 6.4 ms', '200 µs for back'])
      assert.ok(text.includes(part), `${part} in ${text}`);
    await preview.page.mouse.click(x, y);
    await settled(preview.page);
    const revealed = (await preview.posted()).findLast(({ type }) => type === 'reveal');
    assert.deepEqual(revealed, { type: 'reveal', path: 'layer:toy/mid', preserveFocus: true });
    assert.match(await preview.page.locator('.detail').innerText(), /Piece of mid\s+· 5\.2–6\.4 ms · slack 2\.2 ms/);
    assert.deepEqual(await axe(preview.page), []);
    await preview.page.keyboard.press('Escape');
    await preview.close();
  },
};

const cornered: PageTest = {
  name: "pieces of the layer at the editor's cursor have corners, and those of the selected block are dashed",
  run: async (browser) => {
    const preview = await opened(browser);
    const { ring } = themeFrom('dark', () => '');
    // mid is sent from 5.2 to 6.4 ms.
    const edge = (milliseconds: number) => laneAt(preview, milliseconds, 0);
    const ringed = async (milliseconds: number): Promise<number> => {
      const [x, y] = (await edge(milliseconds)).map(Math.round);
      const around: Point[] = [];
      for (let right = 0; right < 6; right += 1)
        for (let down = -1; down < 4; down += 1) around.push([x + right, y + down]);
      return (await preview.pixels(around)).filter((colour) => colour.join() === ring.join()).length;
    };
    assert.equal(await ringed(5.2), 0);
    await preview.post({ type: 'highlight', groups: [['layer:toy/mid'], ['train']] });
    await settled(preview.page);
    assert.ok((await ringed(5.2)) > 4, 'corners of mid');
    assert.equal(await ringed(7.8), 0, 'none of front');
    await preview.shot('lane-cursor');
    await preview.post({ type: 'highlight', groups: [] });
    // The backward runs from 3 to 6 ms.
    await preview.page.mouse.click(...(await laneAt(preview, 3.4, -1)));
    await preview.page.mouse.move(2, 2);
    await settled(preview.page);
    assert.ok((await ringed(5.2)) > 2, 'the pieces of the backward');
    assert.ok((await ringed(1)) === 0, 'not those of the iteration before');
    await preview.shot('lane-block');
    await preview.close();
  },
};

const words: PageTest = {
  name: 'data parallelism has its own figures and legend',
  run: async (browser) => {
    const preview = await opened(browser);
    const line = await preview.page.locator('.figure-line').innerText();
    assert.match(line, /9\.2 ms[\s\S]*waits for gradients\s+34\.8 %/);
    assert.ok(!line.includes('bubble'), line);
    await preview.page.locator('.grid [tabindex="0"]').first().focus();
    await preview.page.keyboard.press('l');
    await settled(preview.page);
    const legend = await preview.page.locator('.legend').innerText();
    for (const entry of ['Gradients of front', 'Gradients of back', 'Call', 'Paler: iterations before and after'])
      assert.ok(legend.includes(entry), `${entry} in ${legend}`);
    await preview.close();
  },
};

/** Whether a pixel left or right of a place, or there, has a colour, but for what smooth edges take of it. */
async function isNear(
  preview: Preview,
  [x, y]: readonly [number, number],
  colour: readonly number[],
): Promise<boolean> {
  const around = Array.from({ length: 11 }, (_, at): Point => [Math.round(x) + at - 5, Math.round(y)]);
  const pixels = await preview.pixels(around);
  return pixels.some((pixel) => pixel.every((part, index) => Math.abs(part - colour[index]) <= 60));
}

const atRest: PageTest = {
  name: 'at rest, layers have their strips on the first forward and the last backward, and arrows to their pieces and from them',
  run: async (browser) => {
    for (const width of [420, 1400]) {
      const preview = await opened(browser, width);
      const { hues } = themeFrom('dark', () => '');
      const box = await preview.page.locator('.timeline').boundingBox();
      assert.ok(box !== null);
      const layout = groupedLayout(shownTimeline(file, picture), box, true, true, new Set());
      const { horizon = 0, rows } = picture.columns;
      const view = initialViewport({ makespan: horizon, rows, width: layout.plot, height: layout.rows.height });
      const shape = rowShape(view.rowHeight, false, layout.map.legs);
      const at = (milliseconds: number, y: number): readonly [number, number] => [
        box.x + layout.left + ((milliseconds * 1e-3) / horizon) * layout.plot,
        box.y + layout.rows.y + y,
      ];
      const foot = shape.bandTop + shape.bandHeight;
      const strips = [
        [0.5, shape.bandTop + 2, 0],
        [1.5, shape.bandTop + 2, 1],
        [2.5, shape.bandTop + 2, 2],
        [3.5, foot - 2, 2],
        [4.5, foot - 2, 1],
        [5.5, foot - 2, 0],
      ] as const;
      const colours = await preview.pixels(strips.map(([milliseconds, y]) => at(milliseconds, y)));
      for (const [index, [milliseconds, , layer]] of strips.entries())
        sameColour(colours[index], hues[layer], `${width} px, ${milliseconds} ms`);
      // From the gradients of each layer, and to the next forward, where it comes to the layer: between blocks and lane.
      const middle = (foot + shape.exchangeTop) / 2;
      assert.ok(await isNear(preview, at(4, middle), hues[2]), `${width} px, made`);
      assert.ok(await isNear(preview, at(11.2, middle), hues[2]), `${width} px, used`);
      assert.ok(!(await isNear(preview, at(2, middle), hues[2])), `${width} px, none elsewhere`);
      // A piece that is pointed at has its arrows alone.
      await preview.page.mouse.move(...(await laneAt(preview, 6)));
      await settled(preview.page);
      assert.ok(!(await isNear(preview, at(4, middle), hues[2])), `${width} px, pointed at another`);
      // By microbatch, the same hues mean something else.
      await preview.page.mouse.move(2, 2);
      await preview.page.locator('.grid [tabindex="0"]').first().focus();
      await preview.page.keyboard.press('2');
      await settled(preview.page);
      const [r, g, b] = await preview.pixel(...at(2.5, shape.bandTop + 2));
      assert.notDeepEqual([r, g, b], hues[2]);
      await preview.close();
    }
  },
};

const explained: PageTest = {
  name: 'Why here? keeps all pieces that are the cause in their colour on the lane, and fades the others',
  run: async (browser) => {
    const preview = await opened(browser);
    const { hues } = themeFrom('dark', () => '');
    await preview.page.locator('.grid [tabindex="0"]').first().focus();
    await preview.page.keyboard.press(']');
    await preview.page.keyboard.press('y');
    await settled(preview.page);
    const steps = await preview.page.locator('.side ol').innerText();
    assert.match(steps, /exchange of back on the lane of gpu\[0\], 28\.6 MiB in 3 pieces/);
    // The three pieces from 7.6 to 11.2 ms; front before them keeps the lane busy; the first one of back is no cause.
    const times = [1.6, 8.3, 9.1, 10.7];
    const points = await Promise.all(times.map((milliseconds) => laneAt(preview, milliseconds, 0.2)));
    const [before, ...causes] = await preview.pixels(points);
    for (const [index, colour] of causes.entries()) sameColour(colour, hues[2], `${times[index + 1]} ms`);
    assert.notDeepEqual(before, hues[2], 'of the iteration before');
    await preview.shot('lane-why');
    await preview.close();
  },
};

export const laneTests: readonly PageTest[] = [drawn, pointed, cornered, words, atRest, explained];
