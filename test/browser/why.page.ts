import assert from 'node:assert/strict';
import { explainWait } from '../../engine/analyze/waits/explainWait.ts';
import { bytes, share, time } from '../../engine/basics/quantities.ts';
import { sensitivityTo } from '../../engine/analyze/sensitivity.ts';
import type { FromPage, ShownFix } from '../../webview/protocol/messages.ts';
import { microbatchBlocks } from '../../webview/picture/blocks.ts';
import { highest, memoryAfter } from '../../webview/picture/memoryLevel.ts';
import type { ShownTimeline } from '../../webview/session/shownTimeline.ts';
import { groupedLayout } from '../../webview/view/scene/groupedLayout.ts';
import { layoutFor } from '../../webview/view/scene/layout.ts';
import { isShared, rowOf } from '../../webview/view/scene/rowMap.ts';
import { memoryAxis } from '../../webview/view/paint/memoryAxis.ts';
import { bubblesBySize } from '../../webview/picture/bubbles.ts';
import { type PageTest, sameColour } from './check.ts';
import { example } from './example.ts';
import { type Preview, settled, violations } from './harness.ts';
import { pipeline, plan, planMessage } from './plans.ts';
import { themes } from './themeColours.ts';
import { clickBlock, openCard, pictureFor, pointOf } from './scene.ts';

const { analysis, message } = example('quickstart');
const [{ plan: shownPlan, run }] = analysis.pipelines;
if (run === undefined) throw new Error('quickstart does not run');
const picture = pictureFor(shownPlan);
const [longest] = bubblesBySize(picture);
const sideOf = (preview: Preview) => preview.page.locator('.side');
const lastOf = async <T extends FromPage['type']>(preview: Preview, type: T) =>
  (await preview.posted()).filter((each): each is Extract<FromPage, { type: T }> => each.type === type).at(-1);

const effect = { iteration: 0.2, throughput: 40, bubble: 0.1, peak: 5 * 2 ** 30, capacity: 16 * 2 ** 30, fits: true };
const before = { ...effect, iteration: 0.25, throughput: 32 };
const fixes: readonly ShownFix[] = [
  {
    title: 'Too large',
    effect: { ...effect, iteration: 0.1, throughput: 80, peak: 20 * 2 ** 30, fits: false },
    before,
  },
  { title: 'Use zb_h1', effect, before },
];

/** Opens the quickstart and clicks its longest bubble. */
async function opened(browser: Parameters<PageTest['run']>[0], options = {}): Promise<Preview> {
  const preview = await browser.open(options);
  await preview.post(message);
  await preview.drawn();
  const [x, y] = await pointOf(preview, picture, longest.device, (longest.from + longest.to) / 2);
  await preview.page.mouse.click(x, y);
  await settled(preview.page);
  return preview;
}

async function explained(preview: Preview): Promise<void> {
  await preview.page.getByRole('button', { name: 'Why here? (Y)' }).click();
  await sideOf(preview).locator('ol').waitFor();
  await settled(preview.page);
}

const names: PageTest = {
  name: 'who waits for what is whole next to Why here?, and so is an operation, at 420 px',
  run: async (browser) => {
    const renamed = shownPlan.devices.map((device, at) => ({ ...device, name: `node[${at}].gpu[0]` }));
    for (const theme of themes) {
      const preview = await browser.open({ width: 420, height: 700, theme });
      await preview.post({ ...message, plan: { ...message.plan, pipelines: [{ ...shownPlan, devices: renamed }] } });
      await preview.drawn();
      const title = preview.page.locator('.detail .content strong');
      const whole = async (says: RegExp) => {
        assert.match(await title.innerText(), says);
        const over = await title.evaluate((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return range.getBoundingClientRect().width - node.getBoundingClientRect().width;
        });
        assert.ok(over <= 0.02, `${theme}: ${over} px of "${await title.innerText()}" are cut`);
      };
      const [x, y] = await pointOf(preview, picture, longest.device, (longest.from + longest.to) / 2);
      await preview.page.mouse.click(x, y);
      await settled(preview.page);
      await preview.page.getByRole('button', { name: 'Why here? (Y)' }).waitFor();
      await preview.shot(`why-names-${theme}`);
      await whole(/^node\[\d\]\.gpu\[0\] waits .* for \dB\d$/);
      await clickBlock(preview, picture, longest.before, longest.device);
      await settled(preview.page);
      await whole(/^\dB\d on node\[\d\]\.gpu\[0\]$/);
      assert.deepEqual([...preview.problems, ...(await violations(preview.page))], []);
      await preview.close();
    }
  },
};

const chain: PageTest = {
  name: 'a bubble is explained by its chain of causes, which the side panel lists and the timeline draws',
  run: async (browser) => {
    const preview = await opened(browser);
    const detail = await preview.page.locator('.detail').innerText();
    assert.ok(detail.includes('gpu[0] waits 48.1 ms for 1B0'), detail);
    const area = await preview.page.locator('.timeline').boundingBox();
    await explained(preview);
    const position = run.program.offsets[0] + (longest.before - picture.columns.offsets[0]);
    const expected = explainWait(shownPlan, run.timeline, { ...longest, before: position });
    assert.equal(await sideOf(preview).locator('h2').innerText(), `Why ${expected.title}`);
    const entries = await sideOf(preview).locator('ol .words').allInnerTexts();
    assert.deepEqual(
      entries,
      expected.steps.map(({ words }) => words),
    );
    // The bars under the timeline stay where they are.
    const after = await preview.page.locator('.timeline').boundingBox();
    assert.equal(after?.y, area?.y);
    assert.equal(after?.height, area?.height);
    // The chain keeps its colour; a block that is not in it fades.
    const { columns } = picture;
    const [first] = expected.steps;
    const block = columns.offsets[1] + (first.position - run.program.offsets[1]);
    const colour = async (device: number, at: number) => {
      const middle = columns.start[at] + (columns.end[at] - columns.start[at]) * 0.2;
      return preview.pixel(...(await pointOf(preview, picture, device, middle, 0.8)));
    };
    const [kept, faded] = [await colour(1, block), await colour(2, columns.offsets[3] - 1)];
    assert.ok(Math.max(...kept) > Math.max(...faded) + 60, `${kept.join()} against ${faded.join()}`);
    assert.deepEqual([...preview.problems, ...(await violations(preview.page))], []);
    await preview.close();
  },
};

const keys: PageTest = {
  name: 'the chain is read, followed and left with the keyboard alone',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    const { page } = preview;
    await page.locator('.grid [tabindex="0"]').first().focus();
    await page.keyboard.press(']');
    await page.keyboard.press('y');
    await sideOf(preview).locator('ol').waitFor();
    await settled(page);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    assert.ok((await focused()).startsWith('gradient from gpu[1], 1B0'), await focused());
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await settled(page);
    const detail = await page.locator('.detail').innerText();
    assert.ok(detail.includes('2B0 on gpu[2]'), detail);
    await page.keyboard.press('Escape');
    await settled(page);
    assert.equal(await sideOf(preview).isVisible(), false);
    assert.ok(await page.evaluate(() => document.activeElement?.closest('.grid') !== null));
    // The next shorter bubble.
    await page.keyboard.press(']');
    await page.keyboard.press(']');
    await settled(page);
    const [, second] = bubblesBySize(picture);
    const words = await page.locator('.detail').innerText();
    assert.ok(words.includes(`waits ${time(second.to - second.from)}`), words);
    await preview.close();
  },
};

const help: PageTest = {
  name: 'fixes are listed in the order of the server, with their effect: those that fit can be shown and applied',
  run: async (browser) => {
    const preview = await opened(browser);
    await explained(preview);
    const asked = await lastOf(preview, 'help');
    assert.deepEqual(asked, { type: 'help', request: asked?.request, pipeline: 'train', about: 'bubble' });
    assert.ok((await sideOf(preview).innerText()).includes('Simulating fixes'));
    await preview.post({ type: 'fixes', request: (asked?.request ?? 0) - 1, fixes: [] });
    await preview.post({ type: 'fixes', request: asked?.request ?? 0, fixes });
    await settled(preview.page);
    const cards = sideOf(preview).locator('.fix');
    assert.deepEqual(await cards.locator('.title').allInnerTexts(), ['Too large', 'Use zb_h1']);
    const [large, fits] = await cards.allInnerTexts();
    assert.ok(
      fits.includes('200 ms (−20 %)') && fits.includes('bubble 10 %') && fits.includes('5 GiB of 16 GiB'),
      fits,
    );
    assert.ok(large.includes('20 GiB: 4 GiB too much') && !large.includes('Apply'), large);
    await sideOf(preview).getByRole('button', { name: 'Show: Use zb_h1' }).click();
    assert.deepEqual(await lastOf(preview, 'showFix'), { type: 'showFix', request: asked?.request, index: 1 });
    await sideOf(preview).getByRole('button', { name: 'Stop showing: Use zb_h1' }).click();
    assert.deepEqual(await lastOf(preview, 'showFix'), { type: 'showFix', request: asked?.request, index: -1 });
    await sideOf(preview).getByRole('button', { name: 'Apply: Use zb_h1' }).click();
    assert.deepEqual(await lastOf(preview, 'applyFix'), { type: 'applyFix', request: asked?.request, index: 1 });
    await preview.close();
  },
};

/** Presses Tab until something of the card has the focus whose text is `label`. */
async function tabTo(preview: Preview, label: string): Promise<void> {
  for (let presses = 0; presses < 12; presses += 1) {
    await preview.page.keyboard.press('Tab');
    const reached = await preview.page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.closest('.card') === null ? '' : (activeElement?.textContent ?? '');
    });
    if (reached === label) return;
  }
  assert.fail(`Tab does not reach ${label}`);
}

const folded: PageTest = {
  name: 'in a side panel the chain folds, so that the first fix can be applied without scrolling',
  run: async (browser) => {
    const preview = await opened(browser, { width: 700, height: 800 });
    await explained(preview);
    const asked = await lastOf(preview, 'help');
    // As the engine ranks them: what fits is first.
    await preview.post({ type: 'fixes', request: asked?.request ?? 0, fixes: fixes.toReversed() });
    await settled(preview.page);
    const side = sideOf(preview);
    const box = await side.boundingBox();
    const apply = await side.getByRole('button', { name: 'Apply: Use zb_h1' }).boundingBox();
    assert.ok(box !== null && apply !== null);
    assert.ok(apply.y + apply.height <= box.y + box.height, `${apply.y} in ${box.y} + ${box.height}`);
    await preview.shot('why-folded-700');
    const inSight = side.locator('ol li:visible');
    const all = await side.locator('ol li').count();
    assert.ok(all > 4);
    assert.equal(await inSight.count(), 3);
    const more = side.getByRole('button', { name: `Show ${all - 3} more steps` });
    assert.equal(await more.innerText(), `… ${all - 3} more`);
    await more.press('Enter');
    assert.equal(await inSight.count(), all);
    assert.equal(await more.count(), 0);
    // The focus goes on with the first step that was folded.
    const fourth = await side.locator('ol button').nth(3).innerText();
    assert.equal(await preview.page.evaluate(() => (document.activeElement as HTMLElement).innerText), fourth);
    assert.deepEqual([...preview.problems, ...(await violations(preview.page))], []);
    await preview.close();
  },
};

/** A file with a stage on each of so many devices. */
const staged = (devices: number) => pipeline({ devices, microbatches: 16 });

const narrow: PageTest = {
  name: 'in a narrow page the chain has rows of its own: the card gives way, then the memory, and 60 % is timeline',
  run: async (browser) => {
    for (const [devices, tall, memory] of [
      [4, 820, true],
      [16, 760, false],
      [64, 800, true],
    ] as const) {
      const preview = await browser.open({ width: 420, height: tall });
      const { page } = preview;
      await preview.post(planMessage(plan([staged(devices)])));
      await preview.drawn();
      await page.locator('.grid [tabindex="0"]').focus();
      for (const key of [']', 'Enter']) await page.keyboard.press(key);
      await page.locator('.card').waitFor();
      await page.keyboard.press('y');
      await sideOf(preview).locator('ol').waitFor();
      await settled(page);
      assert.ok(await page.locator('.card').isHidden(), 'the card gives way');
      const box = await page.locator('.timeline').boundingBox();
      assert.ok(box !== null && box.height >= tall * 0.6 - 1, `${devices}: ${box?.height} of ${tall}`);
      await preview.shot(`why-${devices}-420`);
      const chained = pictureFor(staged(devices));
      const [gap] = bubblesBySize(chained);
      const scene = groupedLayout(
        { plan: staged(devices), picture: chained } as ShownTimeline,
        box,
        true,
        true,
        new Set(),
        { devices: new Set([gap.device]), overMemory: true },
      );
      assert.equal(scene.memory.height > 0, memory, `${devices} devices`);
      assert.ok(!isShared(scene.map, rowOf(scene.map, gap.device)), 'the device has a row of its own');
      await page.keyboard.press('Escape');
      await settled(page);
      assert.ok(await page.locator('.card').isVisible(), 'the card is back');
      assert.deepEqual(preview.problems, []);
      await preview.close();
    }
  },
};

const cardButtons: PageTest = {
  name: 'the card of a block leads by keyboard to why its device waited, and along its microbatch',
  run: async (browser) => {
    const preview = await browser.open({ width: 420, height: 760 });
    const { page } = preview;
    const actions = page.locator('.card-actions vscode-button:visible');
    await preview.post(message);
    await preview.drawn();
    await page.locator('[role=gridcell][tabindex="0"]').focus();
    // 0F1 follows 0F0 at once: there is nothing to explain.
    for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    assert.deepEqual(await actions.allInnerTexts(), ['Follow microbatch 1']);
    // 0B0 ends the longest wait.
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    assert.deepEqual(await actions.allInnerTexts(), ['Why here?', 'Follow microbatch 0']);
    await tabTo(preview, 'Follow microbatch 0');
    await page.keyboard.press('Enter');
    await settled(page);
    const blocks = microbatchBlocks(picture, 0).sort((a, b) => a - b);
    const place = blocks.indexOf(longest.before) + 1;
    assert.equal(await page.locator('.search input').inputValue(), 'mb:0');
    assert.equal(await page.locator('.search .found').innerText(), `${place} of ${blocks.length}`);
    await page.keyboard.press('n');
    assert.equal(await page.locator('.search .found').innerText(), `${place + 1} of ${blocks.length}`);
    await page.keyboard.press('Shift+N');
    await tabTo(preview, 'Why here?');
    await page.keyboard.press('Enter');
    await sideOf(preview).locator('ol').waitFor();
    assert.ok((await sideOf(preview).locator('h2').innerText()).includes('gpu[0] waits'));
    assert.deepEqual([...preview.problems, ...(await violations(page))], []);
    await preview.close();
  },
};

const stacked: PageTest = {
  name: 'what fills memory never reaches above the memory held',
  run: async (browser) => {
    const preview = await opened(browser);
    await preview.page.keyboard.press('k');
    await sideOf(preview).locator('.peak table').waitFor();
    await settled(preview.page);
    // The last microbatch is alone at the end; three others were below it when it came.
    const box = await preview.page.locator('.timeline').boundingBox();
    assert.ok(box !== null);
    const { columns } = picture;
    const layout = layoutFor(box.width, box.height, columns.rows, true);
    const { bytes: most } = highest(picture.memory[0]);
    const axis = memoryAxis(most, run.report.devices[0].capacity, layout.memory);
    const last = columns.offsets[1] - 1;
    const x = box.x + layout.left + (columns.start[last] / columns.makespan) * layout.plot + 4;
    const level = memoryAfter(picture.memory[0], columns.start[last]);
    const heights = [level - 2 ** 29, most - 2 ** 29, level + 2 ** 29];
    const [below, above, ground] = await preview.pixels(heights.map((held) => [x, box.y + axis.y(held)] as const));
    sameColour(above, ground, 'above the memory held');
    assert.ok(Math.abs(below[2] - ground[2]) > 60, `${below.join()} against ${ground.join()}`);
    await preview.close();
  },
};

const peak: PageTest = {
  name: 'K shows what fills memory at the peak, independent of the selection, and Esc leaves it',
  run: async (browser) => {
    const preview = await opened(browser);
    await explained(preview);
    await preview.page.keyboard.press('k');
    await sideOf(preview).locator('.peak table').waitFor();
    await settled(preview.page);
    const device = run.report.devices[0];
    const rows = await sideOf(preview).locator('.peak tbody tr').allInnerTexts();
    assert.equal(rows.length, device.memory_items.length + 1);
    for (const [index, item] of device.memory_items.entries())
      assert.ok(rows[index].includes(bytes(item.bytes)), rows[index]);
    assert.ok(rows.at(-1)?.includes(bytes(device.capacity - device.peak)), rows.at(-1));
    assert.equal(await sideOf(preview).locator('ol').isVisible(), true);
    const asked = await lastOf(preview, 'help');
    assert.equal(asked?.about, 'memory');
    assert.equal(asked?.device, 0);
    await preview.post({ type: 'fixes', request: asked.request, fixes: [] });
    await settled(preview.page);
    const free = share(1 - device.peak / device.capacity);
    const words = await sideOf(preview).locator('.fixes').innerText();
    assert.ok(words.includes(`gpu[0] has ${free} of its memory free: nothing needs to be freed.`), words);
    // Another selection changes neither.
    await clickBlock(preview, picture, picture.columns.offsets[0], 0);
    await settled(preview.page);
    assert.equal(await sideOf(preview).locator('.peak').isVisible(), true);
    await preview.page.keyboard.press('Escape');
    await settled(preview.page);
    assert.equal(await sideOf(preview).isVisible(), false);
    await preview.close();
  },
};

const faster: PageTest = {
  name: 'a block says what its stage would bring if it were 10 % faster, as simulated',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    await clickBlock(preview, picture, picture.columns.offsets[1], 1);
    await openCard(preview);
    const { faster: gain } = sensitivityTo(shownPlan, run.timeline, { kind: 'stage', index: 1 });
    assert.ok(gain > 0);
    const line = preview.page.locator('.detail .pair', { hasText: 's1 10 % faster' });
    await line.waitFor();
    assert.ok((await line.innerText()).includes(`−${time(gain)}`), await line.innerText());
    await preview.close();
  },
};

export const whyTests: readonly PageTest[] = [
  narrow,
  names,
  chain,
  keys,
  help,
  folded,
  cardButtons,
  stacked,
  peak,
  faster,
];
