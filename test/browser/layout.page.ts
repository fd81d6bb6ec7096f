import assert from 'node:assert/strict';
import { layoutFor } from '../../webview/view/scene/layout.ts';
import { bars as heights } from '../../webview/view/scene/room.ts';
import { css } from '../../webview/view/scene/colour.ts';
import { themeFrom } from '../../webview/view/scene/theme.ts';
import { kindOfDeclared } from '../../webview/picture/columns.ts';
import { analyse } from '../support/analyse.ts';
import { edited } from '../support/goodFile.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';
import { type Preview, settled } from './harness.ts';
import { microbatchParam, pipeline, plan, planMessage } from './plans.ts';
import { clickBlock, pictureFor } from './scene.ts';

/** Sizes of a side panel, of a docked view, and of a preview that has the window to itself. */
const sizes = [
  [320, 424],
  [380, 700],
  [420, 900],
  [540, 760],
  [700, 600],
  [860, 424],
  [900, 800],
  [1280, 720],
  [1400, 800],
] as const;

/** Parts of the bars that are not wholly in sight, and controls that overlap. */
const misfits = (preview: Preview): Promise<string[]> =>
  preview.page.evaluate(() => {
    const bad: string[] = [];
    const name = (part: Element) => `${part.tagName.toLowerCase()}.${part.className}`;
    for (const bar of document.querySelectorAll('header, .statistics, .params, .summary, .status')) {
      const outer = bar.getBoundingClientRect();
      const parts = Array.from(bar.querySelectorAll('button, input, vscode-button, strong, .zoom'), (part) => ({
        part,
        box: part.getBoundingClientRect(),
      })).filter(({ box }) => box.width > 0);
      for (const { part, box } of parts)
        if (
          box.left < outer.left ||
          box.right > outer.right + 0.5 ||
          box.top < outer.top ||
          box.bottom > outer.bottom + 0.5
        )
          bad.push(`${name(part)} leaves ${name(bar)}`);
      for (const [index, a] of parts.entries())
        for (const b of parts.slice(index + 1))
          if (
            !a.part.contains(b.part) &&
            a.box.left < b.box.right - 0.5 &&
            b.box.left < a.box.right - 0.5 &&
            a.box.top < b.box.bottom - 0.5 &&
            b.box.top < a.box.bottom - 0.5
          )
            bad.push(`${name(a.part)} over ${name(b.part)}`);
    }
    for (const side of ['scrollWidth', 'scrollHeight'] as const)
      if (document.documentElement[side] > (side === 'scrollWidth' ? innerWidth : innerHeight)) bad.push(side);
    return bad;
  });

const height = (preview: Preview, part: string): Promise<number> =>
  preview.page.locator(part).evaluate((found) => found.getBoundingClientRect().height);

/** Figures with and without model FLOPs, one param and several. One page opens at each size, the other becomes as large. */
const shown = [
  ['', () => planMessage(plan([pipeline({ devices: 4, microbatches: 8 })], [microbatchParam(8)])), true],
  [', an example of the documentation', () => example('gpt-22b').message, false],
] as const;

const bars: readonly PageTest[] = shown.map(([what, message, anew]) => ({
  name: `four rows and the memory chart are in sight at any size, and bars are one line each${what}`,
  run: async (browser) => {
    let preview: Preview | undefined;
    for (const [width, tall] of sizes) {
      if (preview === undefined) {
        preview = await browser.open({ width, height: tall });
        await preview.post(message());
        await preview.drawn();
      } else await preview.resize(width, tall);
      const at = `${width} × ${tall}`;
      assert.deepEqual(await misfits(preview), [], at);
      const hasParams = (await preview.page.locator('.params:visible').count()) > 0;
      for (const [part, wanted] of [
        ['header', heights.toolbar],
        ['.statistics', heights.figures],
        ...(hasParams ? ([['.params', heights.params]] as const) : []),
        ['.detail', heights.detail],
        ['.status', heights.status],
      ] as const)
        assert.equal(await height(preview, part), wanted, `${at}: ${part}`);
      const box = await preview.page.locator('.timeline').boundingBox();
      assert.ok(box !== null);
      const rows = message().plan.pipelines[0].devices.length;
      const layout = layoutFor(box.width, box.height, rows, true);
      assert.ok(layout.fittedRow >= 34, `${at}: rows of ${layout.fittedRow} px`);
      assert.ok(layout.memory.height >= 96, `${at}: a chart of ${layout.memory.height} px`);
      assert.equal(layout.memory.y + layout.memory.height, box.height, `${at}: no dead band`);
      const visible = await preview.page.locator('.figure:visible').count();
      assert.ok(visible >= (width < 360 ? 2 : 3), `${at}: ${visible} figures`);
      if (!anew) continue;
      await preview.close();
      preview = undefined;
    }
    await preview?.close();
  },
}));

const dropped: PageTest = {
  name: 'in a page that is too low bars make room in a fixed order, and the iteration moves into the toolbar',
  run: async (browser) => {
    const parts = ['.detail', '.params', '.status', '.statistics'];
    const preview = await browser.open({ width: 700, height: 800 });
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 8 })], [microbatchParam(8)])));
    await preview.drawn();
    for (const [tall, left] of [
      [418, 4],
      [417, 3],
      [387, 2],
      [345, 1],
      [319, 0],
    ] as const) {
      await preview.resize(700, tall);
      const seen = await Promise.all(parts.map((part) => preview.page.locator(part).isVisible()));
      assert.deepEqual(
        seen,
        parts.map((_, index) => index >= parts.length - left),
        `${tall} px`,
      );
      assert.equal(await preview.page.locator('.identity .iteration').isVisible(), left === 0);
      if (left < 3) {
        await preview.page.getByRole('button', { name: 'Params' }).click();
        assert.ok(await preview.page.locator('.popover input[type=range]').isVisible());
        await preview.page.keyboard.press('Escape');
      }
    }
    await preview.close();
  },
};

const still: PageTest = {
  name: 'nothing moves when a block is selected; its card is at most 45 % of the page and stays as it was left',
  run: async (browser) => {
    for (const [width, tall] of sizes.filter(([, each]) => each >= 600)) {
      const shownPipeline = pipeline({ devices: 4, microbatches: 8 });
      const preview = await browser.open({ width, height: tall });
      await preview.post(planMessage(plan([shownPipeline], [microbatchParam(8)])));
      await preview.drawn();
      const timelineBox = () => preview.page.locator('.timeline').boundingBox();
      const box = await timelineBox();
      const picture = pictureFor(shownPipeline);
      await clickBlock(preview, picture, picture.columns.offsets[3], 3);
      await settled(preview.page);
      assert.match(await preview.page.locator('.summary').innerText(), /3F0 on gpu\[3\]/);
      assert.deepEqual(await timelineBox(), box);
      await preview.page.keyboard.press('Enter');
      await settled(preview.page);
      assert.ok((await height(preview, '.detail')) <= tall * 0.45 + 1, `${width} × ${tall}`);
      if (width < 520) assert.ok((await height(preview, '.timeline')) >= tall * 0.6 - 1, `${width} × ${tall}`);
      const open = await timelineBox();
      await clickBlock(preview, picture, picture.columns.offsets[1], 1);
      await preview.page.keyboard.press('Escape');
      await settled(preview.page);
      assert.deepEqual(await timelineBox(), open, 'another selection, or none, moves nothing');
      await preview.close();
    }
  },
};

const roomy: PageTest = {
  name: 'an open card is as high as the details of any block need, and nothing moves from one block to the next',
  run: async (browser) => {
    for (const [width, tall] of [
      [420, 900],
      [700, 700],
      [1400, 800],
    ] as const) {
      const shownPipeline = pipeline({ devices: 4, microbatches: 8 });
      const preview = await browser.open({ width, height: tall });
      await preview.post(planMessage(plan([shownPipeline], [microbatchParam(8)])));
      await preview.drawn();
      await preview.page.locator('.grid [tabindex="0"]').focus();
      await preview.page.keyboard.press('ArrowRight');
      await preview.page.keyboard.press('Enter');
      await settled(preview.page);
      const area = await preview.page.locator('.timeline').boundingBox();
      let least = Number.POSITIVE_INFINITY;
      for (const key of [
        'ArrowRight',
        'ArrowDown',
        'ArrowRight',
        'End',
        'ArrowDown',
        'ArrowLeft',
        'ArrowLeft',
        'Home',
      ]) {
        await preview.page.keyboard.press(key);
        // What a faster stage brings comes later.
        await preview.page.locator('.card dt', { hasText: '10 % faster' }).waitFor();
        const [spare, scrolled] = await preview.page.locator('.card').evaluate((card) => {
          const { bottom } = card.getBoundingClientRect();
          const foot = card.querySelector('.card-actions')?.getBoundingClientRect().bottom ?? 0;
          return [bottom - foot, card.scrollHeight - card.clientHeight];
        });
        assert.equal(scrolled, 0, `${width} px: all of it is in sight`);
        least = Math.min(least, spare);
        assert.deepEqual(await preview.page.locator('.timeline').boundingBox(), area, `${width} px, ${key}`);
      }
      await preview.page.getByRole('button', { name: 'Close the details' }).click();
      await preview.page.locator('.grid [tabindex="0"]').focus();
      await preview.page.keyboard.press('i');
      await settled(preview.page);
      // In the narrowest page the timeline keeps 60 % of it.
      const most = width < 520 ? tall * 0.4 - 152 : width < 860 ? 220 : 160;
      assert.equal(await height(preview, '.card'), most, 'a device has all the room');
      assert.ok(least <= 24, `${width} px: at least ${least} px are empty`);
      await preview.shot(`card-${width}`);
      await preview.close();
    }
  },
};

const alone: PageTest = {
  name: 'without the chart of memory, rows leave no dead band',
  run: async (browser) => {
    const preview = await browser.open();
    for (const [index, devices] of [2, 4, 13].entries()) {
      await preview.post(planMessage(plan([pipeline({ devices, microbatches: 8 })]), index + 1));
      await preview.drawn();
      if (index === 0) {
        await preview.page.locator('.grid [tabindex="0"]').focus();
        await preview.page.keyboard.press('m');
      }
      for (const [width, tall] of [
        [420, 900],
        [700, 611],
        [1400, 803],
      ] as const) {
        await preview.resize(width, tall);
        const last = `train/device:${devices - 1}`;
        // On a busy machine the rows may still move when the first click comes.
        let path: string | undefined;
        for (let tries = 0; tries < 5 && path !== last; tries += 1) {
          const box = await preview.page.locator('.timeline').boundingBox();
          assert.ok(box !== null);
          await preview.page.mouse.click(box.x + 30, box.y + box.height - 2);
          await settled(preview.page);
          path = (await preview.posted()).findLast((message) => message.type === 'reveal')?.path;
        }
        assert.equal(path, last, `${width} × ${tall}`);
        await preview.shot(`alone-${devices}-${width}`);
      }
    }
    await preview.close();
  },
};

const many: PageTest = {
  name: 'the first view has the whole iteration, and rows of open groups scroll to the last one',
  run: async (browser) => {
    const shownPipeline = pipeline({ devices: 40, microbatches: 8 });
    const preview = await browser.open({ width: 540, height: 700 });
    await preview.post(planMessage(plan([shownPipeline], [microbatchParam(8)])));
    await preview.drawn();
    const box = await preview.page.locator('.timeline').boundingBox();
    assert.ok(box !== null);
    // Five rows of eight devices; all of them open.
    const { rows: band, left } = layoutFor(box.width, box.height, 5, true, true, true);
    await preview.page.locator('.grid [tabindex="0"]').focus();
    await preview.page.keyboard.press('Shift+G');
    await settled(preview.page);
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
    assert.match(await preview.page.locator('.status').innerText(), /whole iteration/);
    await preview.close();
  },
};

const popovers: PageTest = {
  name: 'figures, params, legend and the menu open over the page; Esc closes them and the focus returns',
  run: async (browser) => {
    const preview = await browser.open({ width: 420, height: 700 });
    const both = [microbatchParam(8), { ...microbatchParam(8), name: 'other' }];
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 8 })], both)));
    await preview.drawn();
    const { page } = preview;
    const before = await page.locator('.timeline').boundingBox();
    for (const [opener, inside] of [
      ['.figure.bubble', /best possible [\s\S]*Critical path/],
      ['.params-opener', /microbatches[\s\S]*other/],
      ['.legend-button', /Forward/],
      ['header .tools .icon[aria-label=More]', /Keyboard shortcuts/],
    ] as const) {
      await page.locator(opener).press('Enter');
      assert.match(await page.locator('.popover').innerText(), inside);
      const outside = await page.locator('.popover').evaluate((box) => {
        const { left, right, top, bottom } = box.getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
      });
      assert.equal(outside, false, opener);
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('.popover').count(), 0);
      assert.ok(await page.locator(opener).evaluate((made) => made === document.activeElement), opener);
      await page.locator(opener).click();
      await page.mouse.click(20, 18);
      assert.equal(await page.locator('.popover').count(), 0, 'a click elsewhere closes it');
    }
    assert.deepEqual(await page.locator('.timeline').boundingBox(), before);
    await preview.close();
  },
};

const scale: PageTest = {
  name: 'what a pixel stands for is never cut off: narrow pages say less of it',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 2048 })])));
    await preview.drawn();
    for (const width of [320, 420, 700, 1400]) {
      await preview.resize(width, 800);
      const line = preview.page.locator('.scale');
      const [needed, room] = await line.evaluate((node) => [node.scrollWidth, node.clientWidth]);
      assert.ok(needed <= room, `${width}: ${needed} px of words in ${room} px`);
      const words = await line.innerText();
      assert.match(words, width < 360 ? /^1 px = [\d.]+ .?s$/ : /^1 px = [\d.]+ .?s = [\d,]+ operations/);
      assert.equal(words.endsWith('mixed by share of time'), width === 1400);
      await preview.shot(`scale-${width}`);
    }
    await preview.close();
  },
};

const legend: PageTest = {
  name: 'the legend names what the timeline has, and nothing else',
  run: async (browser) => {
    const preview = await browser.open();
    const text = async () => {
      await preview.page.getByRole('button', { name: 'Legend' }).click();
      const words = await preview.page.locator('.legend').innerText();
      await preview.page.keyboard.press('Escape');
      return words;
    };
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

const hills: PageTest = {
  name: 'the legend says what hills are where there are some, and nothing of them where blocks are drawn',
  run: async (browser) => {
    const preview = await browser.open({ width: 700, height: 700 });
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 2048 })])));
    await preview.drawn();
    await preview.page.getByRole('button', { name: 'Legend' }).click();
    const words = () => preview.page.locator('.legend').innerText();
    assert.match(await words(), /Hill: share of time that each colour takes; above it, idle time/);
    await preview.page.keyboard.press('Escape');
    await preview.page.locator('.grid [tabindex="0"]').first().focus();
    for (let press = 0; press < 40; press += 1) await preview.page.keyboard.press('w');
    await settled(preview.page);
    await preview.page.getByRole('button', { name: 'Legend' }).click();
    assert.doesNotMatch(await words(), /Hill|Mixed colours/);
    await preview.close();
  },
};

const declared: PageTest = {
  name: 'the legend has the operations that a schedule declares, each in the colour of its blocks',
  run: async (browser) => {
    const preview = await browser.open({ width: 420, height: 700 });
    const names = Array.from({ length: 8 }, (_, number) => `work_${number}`);
    const rows = `row(d) = each(j in 0..<microbatches, F[j], ${names.map((name) => `${name}[j]`).join(', ')}, B[j])`;
    const operations = [...names.map((name) => `operation ${name} { time = 3ms }`), 'operation idle {}'].join(' ');
    const { resolution } = analyse(`${edited('= 1f1b', '= mine')}schedule mine { ${operations}  ${rows} }`);
    await preview.post(planMessage(JSON.parse(JSON.stringify(resolution.plan))));
    await preview.drawn();
    await preview.page.getByRole('button', { name: 'Legend' }).click();
    const words = await preview.page.locator('.legend').innerText();
    for (const name of names) assert.match(words, new RegExp(name));
    assert.doesNotMatch(words, /Gradient sync|idle\n/);
    const looks = await preview.page.locator('.legend span').evaluateAll((entries) =>
      entries
        .filter(({ textContent }) => textContent?.startsWith('work_') === true)
        .map(({ firstElementChild: swatch }) => {
          if (swatch === null) return '';
          const { backgroundColor, backgroundImage } = getComputedStyle(swatch);
          return `${backgroundColor} ${backgroundImage}`;
        }),
    );
    assert.equal(new Set(looks).size, 8);
    const theme = themeFrom('dark', () => '');
    assert.ok(looks[7].startsWith(css(theme.kinds[kindOfDeclared(1)])), looks[7]);
    assert.deepEqual(
      looks.map((look) => look.includes('gradient')),
      [false, false, false, false, false, false, true, true],
    );
    await preview.close();
  },
};

export const layoutTests: readonly PageTest[] = [
  ...bars,
  dropped,
  still,
  roomy,
  alone,
  many,
  popovers,
  scale,
  legend,
  hills,
  declared,
];
