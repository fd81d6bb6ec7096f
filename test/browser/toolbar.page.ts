import assert from 'node:assert/strict';
import { contrast, parseColour } from '../../webview/view/scene/colour.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';
import { axe, type Preview, settled } from './harness.ts';
import { pipeline, plan, planMessage } from './plans.ts';
import { stalled } from './stalls.ts';
import { themes } from './themeColours.ts';

const uri = 'file:///quickstart.pipe';
const button = (preview: Preview, name: string) => preview.page.getByRole('button', { name, exact: true });
const small = pipeline({ devices: 4, microbatches: 6 });

const covered: PageTest = {
  name: 'Find and Show everything say why they have nothing to act on, and work again in the timeline',
  run: async (browser) => {
    for (const width of [420, 1400]) {
      const preview = await browser.open({ width, height: 800 });
      const check = async (able: boolean, find: RegExp, fit: RegExp) => {
        for (const [name, title] of [
          ['Find', find],
          ['Show everything', fit],
        ] as const) {
          assert.equal(await button(preview, name).isEnabled(), able, `${name}, ${width} px`);
          assert.match((await button(preview, name).getAttribute('title')) ?? '', title);
        }
      };
      await preview.post(planMessage(plan([small])));
      await preview.drawn();
      await check(true, /^Find \(\/\)$/, /^Show everything \(0\)$/);
      await button(preview, 'Find').click();
      await preview.page.keyboard.type('mb:2');
      await preview.page.locator('.grid [tabindex="0"]').focus();
      await preview.page.keyboard.press('x');
      await preview.page.locator('.race').waitFor();
      await check(false, /Close the comparison first/, /always shows everything/);
      assert.ok(await preview.page.locator('header .search').isHidden(), 'no search without blocks');
      assert.deepEqual(await axe(preview.page), []);
      await preview.shot(`covered-compare-${width}`);
      await preview.page.keyboard.press('Escape');
      assert.equal(await preview.page.locator('.search-field').inputValue(), 'mb:2', 'the search goes on');
      await preview.page.locator('.search-field').focus();
      await preview.page.keyboard.press('Escape');
      await check(true, /^Find/, /^Show/);
      await preview.post(planMessage(plan([stalled]), 2));
      await preview.page.locator('.stall').waitFor({ state: 'visible' });
      assert.equal(await button(preview, 'Show everything').isEnabled(), false);
      assert.match((await button(preview, 'Show everything').getAttribute('title')) ?? '', /shown as a whole/);
      assert.equal(await button(preview, 'Find').isEnabled(), true);
      await preview.shot(`covered-stall-${width}`);
      await preview.post(planMessage(plan([small]), 3));
      await preview.page.locator('.stall').waitFor({ state: 'detached' });
      await check(true, /^Find/, /^Show/);
      await preview.close();
    }
  },
};

const run: PageTest = {
  name: 'Show everything shows the whole run of the workers of a job',
  run: async (browser) => {
    const preview = await browser.open({ width: 900, height: 700 });
    await preview.post(example('systems/hetpipe').message);
    await preview.drawn();
    await button(preview, 'All figures').click();
    await preview.page.locator('.jobs').getByRole('button', { name: 'All workers' }).first().click();
    const canvas = preview.page.locator('.job-lanes canvas');
    await canvas.waitFor();
    const drawn = () => canvas.evaluate((each) => (each as HTMLCanvasElement).toDataURL());
    await preview.page.keyboard.press('0');
    const whole = await drawn();
    await preview.page.keyboard.press('w');
    assert.notEqual(await drawn(), whole);
    assert.equal(await button(preview, 'Find').isEnabled(), false);
    await button(preview, 'Show everything').click();
    assert.equal(await drawn(), whole);
    await preview.close();
  },
};

const message = 'Unknown name "1f2b". Did you mean "1f1b"?';

const error: PageTest = {
  name: 'an error in the toolbar is whole in a narrow page, and so is the name of the pipeline',
  run: async (browser) => {
    for (const names of [['train'], ['train', 'second']]) {
      const preview = await browser.open();
      for (const [index, width] of [420, 439, 519, 700, 1400].entries()) {
        await preview.resize(width, 800);
        const version = 2 * index + 1;
        await preview.post(planMessage(plan(names.map((name) => ({ ...small, name }))), version));
        // The same plan again is not drawn again.
        if (index === 0) await preview.drawn();
        await preview.page.locator('header .notice').waitFor({ state: 'hidden' });
        await settled(preview.page);
        const area = await preview.page.locator('.timeline').boundingBox();
        const start = { line: 22, character: 3 };
        await preview.post({ type: 'broken', uri, version: version + 1, message, range: { start, end: start } });
        await preview.page.locator('header .notice').waitFor({ state: 'visible' });
        await settled(preview.page);
        const clipped = await preview.page.locator('header').evaluate((header) => {
          const bar = header.getBoundingClientRect();
          return Array.from(header.querySelectorAll('.notice, .notice span, .identity, .tools'), (part) => {
            const { left, right, top, bottom } = part.getBoundingClientRect();
            const whole = part.scrollWidth <= part.clientWidth + 1 && part.scrollHeight <= part.clientHeight + 1;
            const inside = left >= bar.left && right <= bar.right && top >= bar.top && bottom <= bar.bottom;
            return whole && inside
              ? ''
              : `${part.className || part.tagName} ${part.scrollWidth} in ${part.clientWidth}`;
          }).filter((text) => text !== '');
        });
        assert.deepEqual(clipped, [], `${names.length} pipelines, ${width} px`);
        assert.deepEqual(await preview.page.locator('.timeline').boundingBox(), area, 'nothing moves');
        await preview.shot(`error-${names.length}-${width}`);
      }
      await preview.close();
    }
  },
};

const emptied: PageTest = {
  name: 'a pipeline that is deleted leaves no name in the toolbar, also under an error',
  run: async (browser) => {
    for (const names of [['train'], ['train', 'second']]) {
      const preview = await browser.open({ width: 700, height: 700 });
      const all = plan(names.map((name) => ({ ...small, name })));
      await preview.post(planMessage(all));
      await preview.drawn();
      await preview.post(planMessage(plan([]), 2));
      const heading = preview.page.getByRole('heading', { level: 1 });
      const header = () => preview.page.locator('header').innerText();
      await preview.page.locator('.cover').waitFor({ state: 'visible' });
      assert.equal((await header()).trim(), 'Pipeline preview');
      const start = { line: 0, character: 0 };
      await preview.post({
        type: 'broken',
        uri,
        version: 3,
        message: 'Expected a block.',
        range: { start, end: start },
      });
      await preview.page.getByRole('button', { name: 'Go to line 1' }).waitFor();
      assert.equal((await header()).trim(), 'Pipeline preview');
      await preview.post(planMessage(all, 4));
      await preview.drawn();
      assert.equal(await heading.textContent(), 'train');
      await preview.close();
    }
  },
};

const stalledFind: PageTest = {
  name: 'Find works in a deadlock: others fade, and hits that never run come into sight',
  run: async (browser) => {
    const preview = await browser.open({ width: 700, height: 800 });
    const { page } = preview;
    await preview.post(planMessage(plan([stalled])));
    await page.locator('.stall').waitFor({ state: 'visible' });
    await button(preview, 'Find').click();
    await page.keyboard.type('kind:B');
    const found = page.locator('.search .found');
    await settled(page);
    const [, hits = ''] = /^1 of (\d+)$/.exec(await found.innerText()) ?? [];
    assert.ok(Number(hits) > 1, await found.innerText());
    assert.equal(await page.locator('.stall-current').count(), 1);
    const faded = page.locator('.stall-drawing [opacity="0.25"]');
    assert.ok((await faded.count()) > 0);
    await page.keyboard.press('Enter');
    await settled(page);
    assert.equal(await found.innerText(), `2 of ${hits}`);
    assert.ok(await page.locator('.stall-current').isVisible());
    await page.keyboard.press('Control+A');
    await page.keyboard.type('kind:Q');
    assert.match(await found.innerText(), /a kind is F, B/);
    assert.equal(await faded.count(), 0);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('mb:0');
    // The search goes on in the timeline that comes next.
    await preview.post(planMessage(plan([small]), 2));
    await page.locator('.stall').waitFor({ state: 'detached' });
    await settled(page);
    // Forward and backward on each of four devices.
    assert.match(await found.innerText(), /of 8$/);
    await page.locator('.search-field').focus();
    await page.keyboard.press('Escape');
    await preview.post(planMessage(plan([stalled]), 3));
    await page.locator('.stall').waitFor({ state: 'visible' });
    assert.equal(await page.locator('.stall-current').count(), 0);
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const ground: PageTest = {
  name: 'the button of an open menu has a ground on which its sign reads, in every theme',
  run: async (browser) => {
    const preview = await browser.open({ width: 700, height: 700 });
    await preview.post(planMessage(plan([small])));
    await preview.drawn();
    for (const theme of themes) {
      await preview.setTheme(theme, true);
      const more = button(preview, 'More');
      const box = await more.boundingBox();
      assert.ok(box !== null);
      const corner = () => preview.pixel(box.x + 4, box.y + box.height / 2);
      await preview.page.mouse.move(2, 300);
      const closed = await corner();
      await more.click();
      await preview.page.mouse.move(2, 300);
      await settled(preview.page);
      const open = await corner();
      assert.notDeepEqual(open, closed, theme);
      const sign = parseColour(await more.evaluate((node) => getComputedStyle(node).color));
      assert.ok(sign !== undefined);
      assert.ok(contrast(sign, open) >= 4.5, `${theme}: ${sign.join()} on ${open.join()}`);
      await preview.page.keyboard.press('Escape');
      await settled(preview.page);
    }
    await preview.close();
  },
};

export const toolbarTests: readonly PageTest[] = [covered, run, error, emptied, stalledFind, ground];
