import assert from 'node:assert/strict';
import { bytes, share, time } from '../../engine/basics/quantities.ts';
import type { PreviewState } from '../../webview/protocol/messages.ts';
import { groupedLayout } from '../../webview/view/scene/groupedLayout.ts';
import type { Layout } from '../../webview/view/scene/layout.ts';
import { rowShape } from '../../webview/view/scene/rowShape.ts';
import { shownTimeline } from '../../webview/session/shownTimeline.ts';
import type { Browser, PageTest } from './check.ts';
import { axe, colourRules, type Preview, settled, violations } from './harness.ts';
import { type ThemeClass, themes } from './themeColours.ts';
import { GiB, pipeline, plan, planMessage } from './plans.ts';
import { pictureFor } from './scene.ts';

/** Devices in nodes of eight. */
function cluster(devices: number, microbatches: number) {
  const plain = pipeline({ devices, microbatches, memory: 4096 * GiB });
  const names = plain.devices.map((device, at) => ({
    ...device,
    name: `node[${Math.floor(at / 8)}].gpu[${at % 8}]`,
  }));
  return { ...plain, devices: names };
}

async function opened(browser: Browser, devices: number, microbatches: number, theme: ThemeClass = 'vscode-dark') {
  const shownPipeline = cluster(devices, microbatches);
  const picture = pictureFor(shownPipeline);
  const preview = await browser.open({ theme, width: 1320, height: 860 });
  await preview.post(planMessage(plan([shownPipeline])));
  await preview.drawn();
  const box = await preview.page.locator('.timeline').boundingBox();
  assert.ok(box !== null);
  const layoutWith = (names: readonly string[]): Layout =>
    groupedLayout(shownTimeline(shownPipeline, picture), box, true, true, new Set(names));
  return { preview, picture, box, layoutWith };
}

/** What is selected, as the line of figures says it. */
const selected = (preview: Preview): Promise<string> => preview.page.locator('.detail').innerText();
/** What was said last; it is said with a delay. */
async function said(preview: Preview): Promise<string> {
  await preview.page.waitForTimeout(400);
  return preview.page.locator('.unseen[role="status"]').first().innerText();
}
const press = async (preview: Preview, key: string): Promise<void> => {
  await preview.page.keyboard.press(key);
  await settled(preview.page);
};

const many: readonly PageTest[] = [256, 2048].map((devices): PageTest => ({
  name: `${devices} devices share rows that all fit, and a point of a row belongs to one of them`,
  run: async (browser) => {
    const { preview, picture, box, layoutWith } = await opened(browser, devices, 16);
    const layout = layoutWith([]);
    const { map } = layout;
    assert.ok(map.grouped !== undefined && map.rows < devices);
    assert.ok(layout.fittedRow >= 10, `rows of ${layout.fittedRow} px`);
    assert.ok(layout.rows.y + map.rows * layout.fittedRow <= box.height);
    assert.equal(layout.all.height, 44);
    const { offsets, start, end, makespan } = picture.columns;
    const height = layout.fittedRow;
    const inGroup = devices / map.rows;
    for (const device of [0, 3, 100, devices - 1]) {
      // The last block of a device lies far from those of others.
      const block = offsets[device + 1] - 1;
      const x = layout.left + ((start[block] + end[block]) / 2 / makespan) * layout.plot;
      const y = layout.rows.y + ((device + 0.5) / inGroup) * height;
      await preview.page.mouse.click(box.x + x, box.y + y);
      await settled(preview.page);
      const text = await selected(preview);
      const { name } = cluster(devices, 1).devices[device];
      assert.ok(text.includes(`on ${name}`), `device ${device}: ${text}`);
    }
    await preview.page.mouse.move(box.x + layout.left + 20, box.y + layout.rows.y + 5);
    await preview.page.mouse.wheel(0, 400);
    await preview.page.waitForTimeout(350);
    const state = await preview.page.evaluate(() => (globalThis as unknown as { kept?: PreviewState }).kept);
    assert.equal(state?.scroll ?? 0, 0, 'all rows are in sight: nothing is left to scroll');
    assert.deepEqual(await violations(preview.page), []);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
}));

const carets: PageTest = {
  name: 'a caret and G open a group, and the rows after it move down',
  run: async (browser) => {
    const { preview, box, layoutWith } = await opened(browser, 256, 16);
    const closed = layoutWith([]);
    const path = async () => (await preview.posted()).findLast((message) => message.type === 'reveal')?.path;
    await preview.page.mouse.click(box.x + 8, box.y + closed.rows.y + 1.5 * closed.fittedRow);
    await settled(preview.page);
    assert.match(await said(preview), /node\[1\], 8 devices, open/);
    const open = layoutWith(['node[1]']);
    assert.equal(open.map.rows, 39);
    assert.deepEqual(open.rows, closed.rows, 'opening a group moves no part of the page');
    const height = Math.max(12, open.rows.height / open.map.rows);
    assert.ok(rowShape(height, true).bandHeight >= 11);
    // Row 0 is the first node, rows 1 to 8 are the devices of the second.
    await preview.page.mouse.click(box.x + 40, box.y + open.rows.y + 5.5 * height);
    await settled(preview.page);
    assert.equal(await path(), 'train/device:12');
    await press(preview, 'g');
    assert.match(await said(preview), /node\[1\], 8 devices, closed/);
    await preview.page.mouse.click(box.x + 40, box.y + closed.rows.y + 5.5 * closed.fittedRow);
    await settled(preview.page);
    assert.match(await said(preview), /node\[5\], 8 devices, open/);
    await press(preview, '0');
    await press(preview, 'Shift+G');
    assert.match(await said(preview), /All groups open/);
    await preview.close();
  },
};

const keys: PageTest = {
  name: 'arrow keys go from device to device, through closed groups too',
  run: async (browser) => {
    const { preview } = await opened(browser, 64, 8);
    await preview.page.locator('.grid [tabindex="0"]').focus();
    await press(preview, 'Home');
    for (let step = 0; step < 9; step += 1) await press(preview, 'ArrowDown');
    assert.match(await selected(preview), /on node\[1\]\.gpu\[1\]/);
    assert.equal(await preview.page.locator('.grid').getAttribute('aria-rowcount'), '64');
    assert.equal(await preview.page.locator('.grid [role="row"]').getAttribute('aria-rowindex'), '10');
    await preview.close();
  },
};

/** Devices 1 and 2 run two stages of equal times, one next to the other; the second holds more. */
function branches(microbatches: number) {
  const chain = pipeline({
    devices: 4,
    microbatches,
    schedule: { kind: 'policy', name: 'gpipe', args: {} },
  });
  const ends = [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
  ] as const;
  return {
    ...chain,
    stages: chain.stages.map((stage, at) => (at === 2 ? { ...stage, weights: 12 * GiB } : stage)),
    edges: ends.map(([from, to]) => ({ from, to, bytes: 16 * 2 ** 20 })),
    routes: ends
      .flatMap(([from, to]) => [
        [from, to],
        [to, from],
      ])
      .map(([from, to], channel) => ({ from, to, bandwidth: 50e9, latency: 20e-6, channel })),
  };
}

const copies: PageTest = {
  name: 'devices with exactly the same timeline share a row that fits, with the least and the most peak',
  run: async (browser) => {
    for (const [width, height] of [
      [420, 900],
      [700, 700],
      [1400, 800],
    ] as const) {
      const shownPipeline = branches(6);
      const picture = pictureFor(shownPipeline);
      const [, one, other] = picture.report.devices;
      assert.ok(one.busy === other.busy && one.peak < other.peak);
      const preview = await browser.open({ width, height });
      await preview.post(planMessage(plan([shownPipeline])));
      await preview.drawn();
      const box = await preview.page.locator('.timeline').boundingBox();
      assert.ok(box !== null);
      const layoutWith = (names: readonly string[]) =>
        groupedLayout(shownTimeline(shownPipeline, picture), box, true, true, new Set(names));
      const closed = layoutWith([]);
      assert.deepEqual([closed.map.rows, closed.map.mixed, closed.all.height], [3, false, 0]);
      assert.ok(closed.fittedRow >= 40, 'as high as other rows');
      const name = [box.x + 30, box.y + closed.rows.y + 1.5 * closed.fittedRow] as const;
      await preview.page.mouse.move(...name);
      await settled(preview.page);
      const text = await preview.page.locator('.tooltip').innerText();
      const busy = share(one.busy / picture.report.iteration);
      const idle = 1 - one.busy / picture.report.iteration;
      const peaks = `${bytes(one.peak).split(' ')[0]}–${bytes(other.peak)}, most on gpu[2]`;
      for (const wanted of [
        'gpu[1–2], 2 devices',
        'gpu[1] – gpu[2]',
        `Busy\n${busy}`,
        `Idle\n${share(idle)}, ${time(idle * picture.report.iteration)}`,
        `Peak\n${peaks}`,
        'press G',
      ])
        assert.ok(text.includes(wanted), `${width} px: ${wanted} in ${text}`);
      // The blocks of the row can be seen: its upper and its lower part are the first device.
      const { offsets, start, end, makespan } = picture.columns;
      const block = offsets[1] + 2;
      const x = box.x + closed.left + ((start[block] + end[block]) / 2 / makespan) * closed.plot;
      const shape = rowShape(closed.fittedRow);
      for (const part of [0.1, 0.9]) {
        await preview.page.mouse.click(
          x,
          box.y + closed.rows.y + closed.fittedRow + shape.bandTop + part * shape.bandHeight,
        );
        await settled(preview.page);
        assert.match(await selected(preview), /on gpu\[1\]/);
      }
      await preview.shot(`copies-${width}`);
      await press(preview, 'g');
      assert.match(await said(preview), /gpu\[1–2\], 2 devices, open/);
      const open = layoutWith(['gpu[1–2]']);
      assert.equal(open.map.rows, 4);
      assert.deepEqual(open.rows, closed.rows, 'opening a group moves no part of the page');
      await preview.page.mouse.click(box.x + 30, box.y + open.rows.y + (2.5 * open.rows.height) / 4);
      await settled(preview.page);
      const reveal = (await preview.posted()).findLast((message) => message.type === 'reveal');
      assert.equal(reveal?.path, 'train/device:2');
      await preview.shot(`copies-open-${width}`);
      await preview.close();
    }
  },
};

const expanded = (preview: Preview) => preview.page.locator('.grid [role="rowheader"]').getAttribute('aria-expanded');

const kept: PageTest = {
  name: 'open groups stay open over an edit and a reload, and Show everything closes them',
  run: async (browser) => {
    for (const [keys, wanted] of [
      [['g'], ['node[0]']],
      [['Shift+G'], 'all'],
    ] as const) {
      const { preview } = await opened(browser, 64, 16);
      await preview.page.locator('.grid [tabindex="0"]').focus();
      assert.equal(await expanded(preview), 'false');
      for (const key of keys) await press(preview, key);
      assert.equal(await expanded(preview), 'true');
      await preview.post(planMessage(plan([cluster(64, 18)]), 2));
      await preview.drawn();
      assert.equal(await expanded(preview), 'true', 'after an edit');
      await preview.page.waitForTimeout(350);
      const state = await preview.page.evaluate(() => (globalThis as unknown as { kept?: PreviewState }).kept);
      assert.deepEqual(state?.openGroups, wanted);
      await preview.close();
      const again = await browser.open({ width: 1320, height: 860, state });
      await again.post(planMessage(plan([cluster(64, 18)])));
      await again.drawn();
      assert.equal(await expanded(again), 'true', 'after a reload');
      await again.page.locator('.grid [tabindex="0"]').focus();
      await press(again, '0');
      assert.equal(await expanded(again), 'false');
      await again.page.waitForTimeout(350);
      const after = await again.page.evaluate(() => (globalThis as unknown as { kept?: PreviewState }).kept);
      assert.equal(after?.openGroups, undefined);
      await again.close();
    }
  },
};

const headers: PageTest = {
  name: 'rows name their group to a screen reader; Enter on the name and G open and close it, and it is announced',
  run: async (browser) => {
    const { preview } = await opened(browser, 64, 8);
    const { page } = preview;
    await page.locator('.grid [tabindex="0"]').focus();
    const row = page.locator('.grid [role="row"]');
    assert.equal(await row.getAttribute('aria-label'), 'node[0].gpu[0], in node[0], 8 devices, closed');
    await press(preview, 'Home');
    await press(preview, 'ArrowLeft');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('role'));
    assert.equal(await focused(), 'rowheader');
    assert.match(await selected(preview), /node\[0\]\.gpu\[0\]/);
    await press(preview, 'Enter');
    assert.match(await said(preview), /node\[0\], 8 devices, open/);
    assert.equal(await focused(), 'rowheader', 'the name keeps the focus');
    assert.equal(await expanded(preview), 'true');
    assert.deepEqual(await axe(page), []);
    await press(preview, 'Enter');
    assert.match(await said(preview), /node\[0\], 8 devices, closed/);
    await press(preview, 'ArrowRight');
    assert.equal(await focused(), 'gridcell');
    await press(preview, 'g');
    assert.match(await said(preview), /node\[0\], 8 devices, open/);
    assert.equal(await expanded(preview), 'true');
    await preview.close();
  },
};

const loupe: PageTest = {
  name: 'a pointer that rests on a shared row gets a loupe, in the corner away from it',
  run: async (browser) => {
    const { preview, box, layoutWith } = await opened(browser, 256, 16);
    const layout = layoutWith([]);
    const shown = preview.page.locator('.loupe');
    assert.equal(await shown.isVisible(), false);
    const [x, y] = [box.x + layout.left + 60, box.y + layout.rows.y + 0.3 * layout.fittedRow];
    await preview.page.mouse.move(x, y);
    await shown.waitFor({ state: 'visible' });
    assert.match(await shown.innerText(), /node\[0\]\.gpu\[1\] – gpu\[4\]/);
    const place = await shown.boundingBox();
    assert.ok(place !== null && place.x > x + 200 && place.y > y + 100, JSON.stringify(place));
    await preview.page.mouse.move(x + 3, y);
    assert.equal(await shown.isVisible(), false);
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const longNames: PageTest = {
  name: 'the loupe is as wide as its picture, whatever the devices are called',
  run: async (browser) => {
    const plain = cluster(256, 16);
    const devices = plain.devices.map((device) => ({ ...device, name: `rack_of_the_second_hall[3].${device.name}` }));
    for (const width of [420, 1320]) {
      const preview = await browser.open({ width, height: 760 });
      await preview.post(planMessage(plan([{ ...plain, devices }])));
      await preview.drawn();
      const box = await preview.page.locator('.timeline').boundingBox();
      assert.ok(box !== null);
      await preview.page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.3);
      const shown = preview.page.locator('.loupe');
      await shown.waitFor({ state: 'visible' });
      const wide = await shown.evaluate((loupe) => [
        loupe.getBoundingClientRect().width - (loupe.querySelector('canvas')?.getBoundingClientRect().width ?? 0),
        ...[...loupe.querySelectorAll('.head > *')].map((part) => part.scrollWidth - part.clientWidth),
        (loupe.querySelector('.head')?.scrollWidth ?? 0) - (loupe.querySelector('.head')?.clientWidth ?? 0),
      ]);
      assert.ok(wide[0] <= 20 && wide.slice(1).every((over) => over <= 0), `${width}: ${wide.join()}`);
      assert.match(await shown.locator('strong').innerText(), /\d+\.\d – \d+\.\d|…/);
      await preview.shot(`loupe-names-${width}`);
      assert.deepEqual(preview.problems, []);
      await preview.close();
    }
  },
};

const accessible: PageTest = {
  name: 'groups and their loupe are clean for axe-core',
  run: async (browser) => {
    const { preview, box, layoutWith } = await opened(browser, 256, 16, themes[0]);
    const { left, rows, fittedRow } = layoutWith([]);
    const check = async (shown: string): Promise<void> => {
      for (const [index, theme] of themes.entries()) {
        await preview.setTheme(theme);
        assert.deepEqual(await axe(preview.page, index === 0 ? undefined : colourRules), [], `${shown}, ${theme}`);
        await preview.shot(`${shown}-${theme}`);
      }
      await preview.setTheme(themes[0]);
    };
    await preview.page.mouse.move(box.x + left + 60, box.y + rows.y + 0.3 * fittedRow);
    await preview.page.locator('.loupe').waitFor({ state: 'visible' });
    await check('loupe');
    assert.ok(await preview.page.locator('.loupe').isVisible());
    await preview.page.mouse.click(box.x + 8, box.y + rows.y + 5);
    await settled(preview.page);
    assert.match(await said(preview), /open/);
    await check('groups');
    await preview.close();
  },
};

export const groupTests: readonly PageTest[] = [
  ...many,
  carets,
  keys,
  copies,
  kept,
  headers,
  loupe,
  longNames,
  accessible,
];
