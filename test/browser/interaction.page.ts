import assert from 'node:assert/strict';
import { B, F } from '../../engine/values/program.ts';
import { time } from '../../engine/basics/quantities.ts';
import type { PageTest } from './check.ts';
import { type Preview, settled } from './harness.ts';
import { pipeline, plan, planMessage } from './plans.ts';
import { blockOf, clickBlock, pictureFor, pointOf, openCard } from './scene.ts';

const shape = { devices: 4, microbatches: 6 };

async function opened(
  browser: Parameters<PageTest['run']>[0],
  of = shape,
): Promise<{ preview: Preview; picture: ReturnType<typeof pictureFor> }> {
  const shownPipeline = pipeline(of);
  const preview = await browser.open();
  await preview.post(planMessage(plan([shownPipeline])));
  await preview.drawn();
  return { preview, picture: pictureFor(shownPipeline) };
}

const state = (preview: Preview) =>
  preview.page.evaluate(
    () => (globalThis as unknown as { kept: { t0: number; t1: number; scroll: number; rowHeight: number } }).kept,
  );
const focused = (preview: Preview) => preview.page.evaluate(() => document.activeElement?.textContent ?? '');

const clicks: PageTest = {
  name: 'a click on a block asks for its line and keeps the focus; Enter opens its card, and from there goes to the line',
  run: async (browser) => {
    const { preview, picture } = await opened(browser);
    await clickBlock(preview, picture, blockOf(picture, 2, B, 3), 2);
    await settled(preview.page);
    assert.deepEqual((await preview.posted()).at(-1), { type: 'reveal', path: 'train/stage:2', preserveFocus: true });
    assert.match(await preview.page.locator('.detail').innerText(), /2B3 on gpu\[2\]\s+· [\d.]+–[\d.]+ ms · slack/);
    await preview.page.keyboard.press('Enter');
    assert.match(await preview.page.locator('.card').innerText(), /Backward · microbatch 3/);
    await preview.page.keyboard.press('Enter');
    assert.deepEqual((await preview.posted()).at(-1), { type: 'reveal', path: 'train/stage:2', preserveFocus: false });
    await preview.page.keyboard.press('Escape');
    await settled(preview.page);
    assert.match(await preview.page.locator('.detail').innerText(), /Click a block/);
    await preview.close();
  },
};

const keys: PageTest = {
  name: 'arrows walk over blocks and devices with the real focus',
  run: async (browser) => {
    const { preview, picture } = await opened(browser);
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    const walk = async (key: string) => {
      await preview.page.keyboard.press(key);
      await settled(preview.page);
      return focused(preview);
    };
    assert.match(await walk('ArrowRight'), /gpu\[0\], forward, microbatch 0/);
    assert.match(await walk('ArrowRight'), /gpu\[0\], forward, microbatch 1/);
    assert.match(await walk('ArrowDown'), /gpu\[1\], forward, microbatch/);
    assert.match(await walk('Home'), /gpu\[1\], forward, microbatch 0/);
    assert.match(await walk('.'), /gpu\[2\], forward, microbatch 0/);
    assert.match(await walk('End'), /gpu\[2\], backward, microbatch 5/);
    assert.match(await walk('PageUp'), /gpu\[0\]/);
    const before = await state(preview);
    await walk('w');
    await preview.page.waitForTimeout(300);
    const after = await state(preview);
    assert.ok(after.t1 - after.t0 < (before?.t1 ?? picture.columns.makespan) * 0.8, 'W zooms in');
    await walk('0');
    await preview.page.waitForTimeout(300);
    const all = await state(preview);
    assert.ok(Math.abs(all.t1 - all.t0 - picture.columns.makespan) < 1e-9, '0 fits all');
    await preview.close();
  },
};

const wheel: PageTest = {
  name: 'the wheel scrolls devices, pans with Shift, zooms at the pointer with Ctrl',
  run: async (browser) => {
    const { preview, picture } = await opened(browser, { devices: 40, microbatches: 40 });
    const [x, y] = await pointOf(preview, picture, 2, picture.columns.makespan / 4);
    await preview.page.locator('.grid [tabindex="0"]').focus();
    await preview.page.keyboard.press('Shift+G');
    await preview.page.mouse.move(x, y);
    const view = async () => {
      await preview.page.waitForTimeout(320);
      return state(preview);
    };
    // Rows all fit at first: higher ones have to be scrolled.
    await preview.page.keyboard.down('Control');
    await preview.page.keyboard.down('Alt');
    await preview.page.mouse.wheel(0, -400);
    await preview.page.keyboard.up('Alt');
    await preview.page.keyboard.up('Control');
    const higher = await view();
    await preview.page.mouse.wheel(0, 100);
    const scrolled = await view();
    assert.ok(Math.abs(scrolled.scroll - higher.scroll - 100) < 1e-6, 'scrolled');
    await preview.page.keyboard.down('Control');
    await preview.page.mouse.wheel(0, -120);
    await preview.page.keyboard.up('Control');
    const zoomed = await view();
    const length = zoomed.t1 - zoomed.t0;
    assert.ok(Math.abs(picture.columns.makespan / length - 1.2) < 1e-6, 'a notch zooms by a fifth');
    const under = zoomed.t0 + length / 4;
    assert.ok(Math.abs(under - picture.columns.makespan / 4) < length * 0.01, 'the time under the pointer stays');
    await preview.page.keyboard.down('Shift');
    await preview.page.mouse.wheel(0, 120);
    await preview.page.keyboard.up('Shift');
    const panned = await view();
    assert.ok(panned.t0 > zoomed.t0 && panned.scroll === scrolled.scroll, 'panned in time only');
    await preview.page.keyboard.down('Control');
    for (let notch = 0; notch < 60; notch += 1) await preview.page.mouse.wheel(0, -120);
    await preview.page.keyboard.up('Control');
    const deepest = await view();
    const { start, end, word } = picture.columns;
    const lengths = Array.from(word, (_, block) => end[block] - start[block]).filter((seconds) => seconds > 0);
    const part = Math.min(...lengths) / (deepest.t1 - deepest.t0);
    assert.ok(Math.abs(part - 0.5) < 1e-6, 'one block fills half of the width, and no more');
    const time = panned.t0 + (panned.t1 - panned.t0) / 4;
    assert.ok(
      Math.abs(deepest.t0 + (deepest.t1 - deepest.t0) / 4 - time) < 1e-6,
      'around the pointer, also at the end',
    );
    await preview.close();
  },
};

const drag: PageTest = {
  name: 'a drag selects time and devices and shows their figures; hovering shows a tooltip',
  run: async (browser) => {
    const { preview, picture } = await opened(browser);
    const from = await pointOf(preview, picture, 1, 0);
    const to = await pointOf(preview, picture, 2, picture.columns.makespan / 2);
    await preview.page.mouse.move(...from);
    await preview.page.mouse.down();
    await preview.page.mouse.move(...to, { steps: 4 });
    await preview.page.mouse.up();
    await settled(preview.page);
    await openCard(preview);
    const range = await preview.page.locator('.detail').innerText();
    await preview.page.getByRole('button', { name: 'Close the details' }).click();
    await settled(preview.page);
    assert.match(range, /× 2 devices/);
    assert.match(range, /\d+ forwards, [\d.]+ ms[\s\S]*\d+ backwards, [\d.]+ ms/);
    const gap = await pointOf(preview, picture, 3, picture.columns.start[picture.columns.offsets[3]] / 2);
    await preview.page.mouse.move(...gap);
    await settled(preview.page);
    assert.match(
      await preview.page.locator('.tooltip').innerText(),
      /gpu\[3\] waits [\d.]+ ms for 2F0[\s\S]*warm-up[\s\S]*2F0 on gpu\[2\], then .* of transfer/,
    );
    const block = blockOf(picture, 1, F, 1);
    await preview.page.mouse.move(...(await pointOf(preview, picture, 1, picture.columns.start[block] + 1e-3)));
    await settled(preview.page);
    assert.match(await preview.page.locator('.tooltip').innerText(), /Forward · microbatch 1/);
    await preview.close();
  },
};

const search: PageTest = {
  name: 'a search counts its hits and N goes from one to the next',
  run: async (browser) => {
    const { preview, picture } = await opened(browser);
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    await preview.page.keyboard.press('/');
    await preview.page.keyboard.type('mb:5 kind:B');
    await settled(preview.page);
    assert.equal(await preview.page.locator('.found').innerText(), '1 of 4');
    // Everything but the hits fades; the field keeps the focus while Enter goes from hit to hit.
    const faded = blockOf(picture, 2, F, 3);
    const [x, y] = await pointOf(preview, picture, 2, picture.columns.start[faded] + 1e-3, 0.9);
    const dim = await preview.pixel(x, y);
    await preview.page.keyboard.press('Enter');
    await settled(preview.page);
    assert.equal(await preview.page.locator('.found').innerText(), '2 of 4');
    assert.match(await preview.page.locator('.detail').innerText(), /1B5 on gpu\[1\]/);
    await preview.page.keyboard.press('Shift+Enter');
    await settled(preview.page);
    assert.equal(await preview.page.locator('.found').innerText(), '1 of 4');
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    await preview.page.keyboard.press('n');
    await settled(preview.page);
    assert.match(await focused(preview), /gpu\[1\], backward, microbatch 5/);
    await preview.page.getByRole('textbox', { name: 'Search blocks' }).focus();
    await preview.page.keyboard.type(' kind:W');
    await settled(preview.page);
    assert.equal(await preview.page.locator('.found').innerText(), 'No match');
    const bright = await preview.pixel(x, y);
    assert.notDeepEqual(dim, bright, 'a search without hits dims nothing');
    await preview.page.keyboard.press('Escape');
    await settled(preview.page);
    assert.equal(await preview.page.locator('.found').innerText(), '');
    assert.equal(await preview.page.locator('.search-field').inputValue(), '');
    assert.deepEqual(await preview.pixel(x, y), bright);
    await preview.close();
  },
};

const play: PageTest = {
  name: 'Space plays the iteration: what the cursor has not reached fades, Esc shows all of it again',
  run: async (browser) => {
    const { preview, picture } = await opened(browser);
    const block = blockOf(picture, 3, B, 5);
    const late = await pointOf(preview, picture, 3, picture.columns.start[block] + 2e-4, 0.9);
    const before = await preview.pixel(...late);
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    await preview.page.keyboard.press(' ');
    await preview.page.getByRole('button', { name: 'Pause (Space)' }).waitFor();
    await preview.page.keyboard.press(' ');
    await preview.page.getByRole('button', { name: 'Play (Space)' }).waitFor();
    await settled(preview.page);
    assert.notDeepEqual(await preview.pixel(...late), before);
    const speed = preview.page.getByRole('button', { name: 'speed of play' });
    await speed.click();
    assert.equal(await speed.innerText(), '2×');
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    await preview.page.keyboard.press('Escape');
    await settled(preview.page);
    assert.deepEqual(await preview.pixel(...late), before);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const still: PageTest = {
  name: 'with reduced motion Space steps from event to event',
  run: async (browser) => {
    const shownPipeline = pipeline(shape);
    const { columns } = pictureFor(shownPipeline);
    const preview = await browser.open({ reducedMotion: true });
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    const events = [...new Set([...columns.start, ...columns.end].map((at) => at.toPrecision(9)))].map(Number);
    const [, first, second] = events.sort((a, b) => a - b);
    await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
    for (const event of [first, second]) {
      await preview.page.keyboard.press(' ');
      await preview.page
        .getByRole('status')
        .filter({ hasText: time(event, 4) })
        .waitFor({ state: 'attached' });
    }
    await preview.close();
  },
};

export const interactionTests: readonly PageTest[] = [clicks, keys, wheel, drag, search, play, still];
