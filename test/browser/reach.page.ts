/** What a person sees can be reached: a list is over the page, a menu makes room for what it opens, and what is open for the timeline. */
import assert from 'node:assert/strict';
import type { ParamPlan } from '../../engine/values/plan.ts';
import type { PageTest } from './check.ts';
import { covered } from './covered.ts';
import { exampleFile } from './editor.ts';
import { type Preview, settled } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';
import { press, scenes, visit } from './scenes.ts';

const widths = [420, 700, 1400] as const;
const height = 800;

const many = Array.from({ length: 40 }, (_, index) => `pipeline_${index}`);
const words: ParamPlan = { ...microbatchParam(0), name: 'order', min: 0, max: 39, step: 1, words: many };
const small = pipeline({ devices: 4, microbatches: 8 });

/** Opens a drop-down by the mouse, and clicks its last entry where a person sees it. */
async function clickLast(preview: Preview, dropdown: string): Promise<void> {
  const { page } = preview;
  await page.locator(dropdown).click();
  await settled(page);
  const entries = page.locator(`${dropdown} vscode-option`);
  const first = await entries.first().boundingBox();
  assert.ok(first !== null, `${dropdown}: its first entry is in no place`);
  // By the wheel: a script can scroll what clips the list, a person cannot.
  await page.mouse.move(first.x + first.width / 2, first.y + first.height / 2);
  await page.mouse.wheel(0, 10_000);
  await settled(page);
  const last = entries.last();
  const box = await last.boundingBox();
  assert.ok(box !== null, `${dropdown}: its last entry is in no place`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  assert.ok(x > 0 && x < (page.viewportSize()?.width ?? 0) && y > 0 && y < height, `${dropdown}: it is on the page`);
  const hit = await page.evaluate(([at, down]) => document.elementFromPoint(at, down)?.textContent, [x, y] as const);
  assert.equal(hit, await last.textContent(), `${dropdown}: nothing lies over its last entry`);
  await page.mouse.click(x, y);
}

async function lastTry(preview: Preview): Promise<unknown> {
  const last = (await preview.posted()).findLast(({ type }) => type === 'try');
  return last?.type === 'try' ? last.overrides : undefined;
}

const lists: PageTest = {
  name: 'the last entry of a long list is reached with the mouse, in the toolbar, in the bar of params and in a popover',
  run: async (browser) => {
    for (const width of widths) {
      const preview = await browser.open({ width, height });
      const { page } = preview;
      const pipelines = many.map((name) => ({ ...small, name }));
      await preview.post(planMessage(plan(pipelines, [words])));
      await preview.drawn();
      await page.locator('.identity vscode-dropdown').click();
      await settled(page);
      await preview.shot(`list-${width}`);
      await page.keyboard.press('Escape');
      await clickLast(preview, '.params vscode-dropdown');
      await page.waitForTimeout(60);
      assert.deepEqual(await lastTry(preview), { order: 39 });
      await clickLast(preview, '.identity vscode-dropdown');
      // After the pipelines: all of them.
      await page.locator('.race').waitFor();
      await page.keyboard.press('Escape');
      await preview.post(planMessage(plan([small], [words, microbatchParam(8)]), 2));
      await page.locator('.params-opener').click();
      await clickLast(preview, '.popover vscode-dropdown');
      await page.waitForTimeout(60);
      assert.deepEqual(await lastTry(preview), { order: 39 });
      await preview.close();
    }
  },
};

const menu: PageTest = {
  name: 'an entry of the menu that opens something closes the menu, and the focus is in what it opened',
  run: async (browser) => {
    for (const width of widths)
      await visit(
        browser,
        { name: 'menu', file: exampleFile('quickstart.pipe'), size: [width, height] },
        { width, height },
        async ({ page }, editor) => {
          for (const [entry, opened] of [
            ['Table', '.table'],
            ['Sensitivity', '.side'],
            ['Compare', '.race'],
            ['Keyboard shortcuts', 'dialog[open]'],
          ] as const) {
            await page.getByRole('button', { name: 'More' }).click();
            await page.locator('.menu-item', { hasText: entry }).click();
            await page.locator(opened).waitFor();
            await editor.answer();
            assert.equal(await page.locator('.popover').count(), 0, `${entry}: the menu is closed`);
            assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), 'BODY', entry);
            await page.keyboard.press(entry === 'Table' ? 't' : 'Escape');
            await page.locator(opened).waitFor({ state: 'hidden' });
          }
          await page.getByRole('button', { name: 'More' }).click();
          await page.locator('.menu-item', { hasText: 'Bubbles' }).click();
          assert.equal(await page.locator('.popover').count(), 1, 'a switch leaves it open');
        },
      );
  },
};

interface Step {
  readonly name: string;
  enter(preview: Preview): Promise<void>;
  /** What is in sight then. */
  readonly shows: string;
}

const pressed =
  (...keys: readonly string[]) =>
  (preview: Preview): Promise<void> =>
    press(preview, ...keys);
const clicked = (name: string) => (preview: Preview) => preview.page.getByRole('button', { name }).first().click();

/** Every panel, popover and menu of the page; each begins with the timeline alone. */
const steps: readonly Step[] = [
  { name: 'the timeline', enter: () => Promise.resolve(), shows: '.timeline' },
  { name: 'a block', enter: pressed('ArrowRight'), shows: '.summary >> text=0F0 on gpu[0]' },
  { name: 'the card of a block', enter: pressed('ArrowRight', 'Enter'), shows: '.card' },
  { name: 'the card of a device', enter: pressed('i'), shows: '.card >> text=Memory at the peak' },
  { name: 'why', enter: pressed(']', 'y'), shows: '.side .fix >> nth=0' },
  { name: 'why, over a card', enter: pressed(']', 'Enter', 'y'), shows: '.side .fix >> nth=0' },
  { name: 'the peak', enter: pressed('k'), shows: '.side .peak table' },
  { name: 'the sensitivity', enter: pressed('v'), shows: '.tornado-rows button >> nth=0' },
  { name: 'a comparison', enter: pressed('x'), shows: '.race-row.winner' },
  { name: 'the search', enter: pressed('/'), shows: '.search input' },
  { name: 'all figures', enter: clicked('All figures'), shows: '.popover' },
  { name: 'the chart over a param', enter: clicked('Chart over microbatches'), shows: '.sweep-values button >> nth=3' },
  { name: 'the legend', enter: pressed('l'), shows: '.legend' },
  { name: 'the menu', enter: clicked('More'), shows: '.menu-item >> nth=0' },
  { name: 'the help', enter: pressed('?'), shows: 'dialog[open]' },
  { name: 'the table', enter: pressed('t'), shows: '.table' },
];

/** Back to the timeline alone. */
async function leave({ page }: Preview): Promise<void> {
  if (await page.locator('.table').isVisible()) await page.keyboard.press('t');
  for (let level = 0; level < 3; level += 1) await page.keyboard.press('Escape');
  const close = page.getByRole('button', { name: 'Close the details' });
  if (await close.isVisible()) await close.click();
  await page.keyboard.press('Escape');
  await settled(page);
}

/** Share of the page that the timeline has. A comparison takes its place as a whole. */
const share = ({ page }: Preview): Promise<number> =>
  page.evaluate(() => {
    const timeline = document.querySelector('.timeline');
    const isCovered = document.querySelector('[data-cover]') !== null;
    return isCovered ? 1 : (timeline?.getBoundingClientRect().height ?? 0) / innerHeight;
  });

/** Pages, and how many pixels the timeline keeps in them: 60 % of a narrow one, elsewhere four rows of 34 px and a chart of 64 px. */
const kept = [
  [420, 560, 0.6 * 560],
  [420, 424, 0.6 * 424],
  [700, 424, 222],
  [1400, 424, 222],
] as const;

const most: PageTest = {
  name: 'the timeline has 60 % of the height at 420 px, and four rows and the chart at any width, whatever panel or menu is open',
  run: async (browser) => {
    const file = exampleFile('quickstart.pipe');
    const size = { width: 420, height: 900 };
    await visit(browser, { name: 'plain', file, size: [420, 900] }, size, async (preview, editor) => {
      const { page } = preview;
      for (const { name, enter, shows } of steps) {
        await enter(preview);
        await editor.answer();
        await page.locator(shows).first().waitFor({ state: 'visible' });
        await settled(page);
        assert.ok((await share(preview)) >= 0.6 - 1e-3, `${name}, 900 px`);
        const sheets = page.locator('.card:visible, .side:visible');
        // What lies over the timeline takes nothing from it.
        for (const [width, tall, least] of (await sheets.count()) === 0 ? [] : kept) {
          await page.setViewportSize({ width, height: tall });
          await settled(page);
          const found = (await share(preview)) * tall;
          assert.ok(found >= least - 1e-3, `${name}: ${found} px of ${width} × ${tall}`);
          for (const sheet of await sheets.all()) {
            const box = await sheet.boundingBox();
            assert.ok(box !== null && box.height >= 100 && box.y + box.height <= tall, `${name}: ${box?.height} px`);
          }
        }
        await page.setViewportSize(size);
        await leave(preview);
        await editor.answer();
      }
    });
  },
};

const shape: PageTest = {
  name: 'at 420 px the shape of a schedule makes room for what is opened, and comes back',
  run: async (browser) => {
    const slots = scenes.find(({ name }) => name === 'slots');
    assert.ok(slots !== undefined);
    const size = { width: 420, height: 800 };
    await visit(browser, { ...slots, act: undefined }, size, async (preview, editor) => {
      const { page } = preview;
      const content = page.locator('.bench-content');
      const keeps = async (name: string) => {
        for (const height of [500, 800]) {
          await page.setViewportSize({ ...size, height });
          await settled(page);
          const found = await share(preview);
          assert.ok(found >= 0.6 - 1e-3, `${name}: ${found} of ${height} px`);
        }
      };
      for (const [name, enter, shows, isOpen] of [
        ['the shape', pressed(), '.stamp-handle', true],
        ['the peak', pressed('k'), '.side .peak table >> text=4 × 1 activation', false],
        ['the card', pressed('ArrowRight', 'Enter'), '.card', false],
      ] as const) {
        await enter(preview);
        await editor.answer();
        await page.locator(shows).first().waitFor({ state: 'visible' });
        await keeps(name);
        assert.equal(await content.isVisible(), isOpen, name);
        await preview.shot(`slots-420-${name}`);
        await leave(preview);
        assert.ok(await content.isVisible(), `after ${name}`);
      }
      // Opened by its button, it takes the room back.
      await press(preview, 'k');
      await editor.answer();
      await page.locator('.bench-opener').click();
      await settled(page);
      assert.ok(await content.isVisible());
      assert.equal(await page.locator('.side').isVisible(), false);
      await keeps('the shape again');
    });
  },
};

const sees: PageTest = {
  name: 'the walk through every state sees a control that something lies over, and one that is cut off',
  run: async (browser) => {
    const scene = { name: 'plain', file: exampleFile('quickstart.pipe'), size: [700, height] as const };
    await visit(browser, scene, { width: 700, height }, async (preview) => {
      await preview.page.evaluate(() => {
        const lid = document.createElement('div');
        lid.style.cssText = 'position: fixed; inset: 0 0 auto auto; width: 60px; height: 36px; z-index: 9';
        document.body.append(lid);
      });
      assert.match((await covered(preview)).join(), /More/);
    });
    await visit(browser, scene, { width: 700, height }, async (preview) => {
      await preview.page.locator('.param-place').evaluate((place) => {
        place.style.transform = 'translateY(24px)';
      });
      assert.match((await covered(preview)).join(), /input/);
    });
  },
};

export const reachTests: readonly PageTest[] = [lists, menu, most, shape, sees];
