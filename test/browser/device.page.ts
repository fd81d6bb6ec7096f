import assert from 'node:assert/strict';
import { itemName } from '../../engine/analyze/itemWords.ts';
import type { PipelineReport } from '../../engine/values/report.ts';
import { bytes, moment, share, time } from '../../engine/basics/quantities.ts';
import { layoutFor } from '../../webview/view/scene/layout.ts';
import { smallShare } from '../../webview/session/smallShare.ts';
import type { PageTest } from './check.ts';
import { analyse } from '../support/analyse.ts';
import { example } from './example.ts';
import { type Preview, axe, settled, violations } from './harness.ts';
import { GiB, microbatchParam, pipeline, plan, planMessage } from './plans.ts';
import { allFigures, clickBlock, openCard, pictureFor } from './scene.ts';
import type { Point } from './pixels.ts';

const sheetOf = (preview: Preview) => preview.page.locator('.card');
const rowsOf = (preview: Preview, caption: string): Promise<string[][]> =>
  preview.page
    .locator('.card table', { hasText: caption })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => Array.from(row.children, (cell) => (cell as HTMLElement).innerText.trim())),
    );

/** Clicks the name of a device. */
async function clickName(preview: Preview, device: number, devices: number): Promise<void> {
  const box = await preview.page.locator('.timeline').boundingBox();
  assert.ok(box !== null);
  const { rows } = layoutFor(box.width, box.height, devices, true);
  const height = rows.height / devices;
  await preview.page.mouse.click(box.x + 40, box.y + rows.y + (device + 0.5) * height);
  await settled(preview.page);
}

/** 22 billion parameters over four stages of eight tensor ranks each. */
function wide(): { readonly message: ReturnType<typeof example>['message']; readonly report: PipelineReport } {
  const { analysis, message } = example('gpt-22b');
  const report = analysis.pipelines.find((candidate) => candidate.plan.name === 'wide')?.run?.report;
  assert.ok(report !== undefined);
  return { message: { ...message, pipeline: 'wide' }, report };
}

/** Two devices, the first of which sends its activations to its host. */
const offloading = `
device d { memory = 64GiB  host = 25GB/s }
cluster box { gpu[2] = d  link = 25GB/s }
model toy { layer block[2] { forward = 4ms  backward = 8ms  activation = 100MB } }
schedule mine {
  row(0) = F[0], E[0, to = host], F[1], E[1, to = host], L[0], B[0], L[1], B[1]
  row(1) = F[0], F[1], B[0], B[1]
}
pipeline train { model = toy  devices = box  microbatches = 2  stages = balance(2)  schedule = mine }
`;

const hosts: PageTest = {
  name: 'what a host keeps is drawn under the memory of devices, and is in the card of its device',
  run: async (browser) => {
    const { resolution } = analyse(offloading);
    const preview = await browser.open({ width: 700, height: 760 });
    await preview.post(planMessage(JSON.parse(JSON.stringify(resolution.plan))));
    await preview.drawn();
    const box = await preview.page.locator('.timeline').boundingBox();
    assert.ok(box !== null);
    const { memory, left } = layoutFor(box.width, box.height, 2, true);
    // Half of the chart is under the line of its name: only a drawn level has the colour of the foreground here.
    const foot = box.y + memory.y + memory.height;
    const line = Array.from({ length: 40 }, (_, up): Point => [
      box.x + left + (box.width - left) * 0.4,
      foot - 40 + up,
    ]);
    const colours = new Set((await preview.pixels(line)).map((colour) => colour.join()));
    assert.ok(colours.has('204,204,204'), [...colours].join(' '));
    await clickName(preview, 1, 2);
    await openCard(preview);
    assert.deepEqual(await rowsOf(preview, 'Memory of the host'), []);
    await clickName(preview, 0, 2);
    assert.deepEqual(await rowsOf(preview, 'Memory of the host'), [
      ['Kept at most', '191 MiB'],
      ['Copied there, and as much back', '191 MiB'],
      ['Time of the copies, each direction', '8 ms (20 %)'],
      ['Exposed: the device waits for them', '4 ms (10 %)'],
    ]);
    assert.match(await sheetOf(preview).innerText(), /Host\s+191 MiB at most[\s\S]*Waits for its host\s+4 ms/);
    assert.match(
      await allFigures(preview),
      /Host memory\s+191 MiB on the host of gpu\[0\]\s+exposed copies 2 ms per device/,
    );
    assert.deepEqual(preview.problems, []);
    await preview.close();
  },
};

const items: PageTest = {
  name: 'the card of a device says what fills it, what is left, and what it exchanges',
  run: async (browser) => {
    const { message, report } = wide();
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    const before = await preview.page.locator('.timeline').boundingBox();
    await clickName(preview, 1, 4);
    assert.deepEqual(await preview.page.locator('.timeline').boundingBox(), before, 'a click moves nothing');
    assert.equal(await sheetOf(preview).isVisible(), false);
    await openCard(preview);
    const device = report.devices[1];
    const text = await sheetOf(preview).innerText();
    assert.ok(text.includes(`${device.kind} · s1 · tensor 8: 8 devices`), text);
    assert.ok(
      new RegExp(`Peak\\s+${bytes(device.peak)} of ${bytes(device.capacity)} at ${moment(device.peak_at)}`).test(text),
      text,
    );
    const memory = await rowsOf(preview, 'Memory at the peak');
    assert.equal(memory.length, device.memory_items.length + 1);
    for (const [index, item] of device.memory_items.entries()) {
      assert.ok(memory[index][0].startsWith(itemName(item, device)), memory[index][0]);
      assert.deepEqual(memory[index].slice(1), [bytes(item.bytes), smallShare(item.bytes / device.capacity)]);
    }
    const left = device.capacity - device.peak;
    assert.deepEqual(memory.at(-1), ['Left', bytes(left), share(left / device.capacity)]);
    // A context and two communicators: neighbours, tensor ranks.
    assert.match(text, /Of 79\.1 GiB, 2\.5 GiB are reserved: context 1\.5 GiB, communicators 1 GiB\./);
    const tensor = report.stages[1].traffic?.tensor;
    assert.ok(tensor !== undefined);
    const waited = `${time(tensor.exposed)} (${share(tensor.exposed / report.iteration)})`;
    assert.deepEqual(await rowsOf(preview, 'Exchanged in one iteration'), [
      ['tensor ranks', bytes(tensor.bytes), time(tensor.time), waited],
    ]);
    assert.deepEqual(await violations(preview.page), []);
    assert.deepEqual(preview.problems, []);
    await preview.shot('device-sheet');
    await preview.page.getByRole('button', { name: 'Close the details' }).click();
    await settled(preview.page);
    assert.equal(await sheetOf(preview).isVisible(), false);
    assert.deepEqual(await preview.page.locator('.timeline').boundingBox(), before);
    await preview.close();
  },
};

const bars: PageTest = {
  name: 'bars of memory are as long as their shares, and over the limit the excess is shown',
  run: async (browser) => {
    // 40 GiB of weights, gradients and state, and four microbatches of 4.2 GiB on the first of four devices.
    const shownPipeline = pipeline({ devices: 4, microbatches: 8, memory: 50 * GiB });
    const preview = await browser.open();
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    await clickName(preview, 0, 4);
    await openCard(preview);
    const rows = await rowsOf(preview, 'Memory at the peak');
    assert.deepEqual(
      rows.map(([, size, part]) => [size, part]),
      [
        ['8 GiB', '16 %'],
        ['8 GiB', '16 %'],
        ['24 GiB', '48 %'],
        ['16.8 GiB', '33.6 %'],
        ['6.8 GiB', '13.6 %'],
      ],
    );
    assert.equal(rows[4][0], 'Over the limit');
    const lengths = await sheetOf(preview)
      .locator('tbody .bar:has(i)')
      .evaluateAll((all) =>
        all.map(
          (bar) => (bar.firstElementChild?.getBoundingClientRect().width ?? 0) / bar.getBoundingClientRect().width,
        ),
      );
    const whole = 56.8;
    for (const [index, size] of [8, 8, 24, 16.8].entries())
      assert.ok(Math.abs(lengths[index] - size / whole) < 0.01, lengths.join());
    await preview.close();
  },
};

const keys: PageTest = {
  name: 'I tells of the device that the keyboard is at, and arrows and Escape lead back',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 8 })], [microbatchParam(8)])));
    await preview.drawn();
    const { page } = preview;
    await page.locator('.grid [role=gridcell][tabindex="0"]').focus();
    for (const key of ['ArrowRight', 'ArrowDown', 'i']) await page.keyboard.press(key);
    await settled(page);
    assert.equal(await sheetOf(preview).locator('strong').first().innerText(), 'gpu[1]');
    // Said a moment later: of texts in quick succession only the last.
    await page.waitForFunction(() =>
      /^gpu\[1\], .*Peak/.test(document.querySelector('.unseen[role=status]')?.textContent ?? ''),
    );
    // Another timeline of the same devices: the sheet stays, with its figures.
    const tall = await rowsOf(preview, 'Memory at the peak');
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 2 })], [microbatchParam(2)]), 2));
    await preview.drawn();
    assert.equal(await sheetOf(preview).isVisible(), true);
    assert.notDeepEqual(await rowsOf(preview, 'Memory at the peak'), tall);
    await page.keyboard.press('i');
    await settled(page);
    assert.equal(await sheetOf(preview).locator('table').count(), 0);
    assert.match(await page.locator('.detail').innerText(), /on gpu\[1\]/);
    await clickName(preview, 2, 4);
    assert.equal(await sheetOf(preview).locator('strong').first().innerText(), 'gpu[2]');
    await page.keyboard.press('ArrowRight');
    await settled(page);
    assert.match(await page.locator('.detail').innerText(), /2F0 on gpu\[2\]/);
    await page.keyboard.press('i');
    await page.keyboard.press('Escape');
    await settled(page);
    assert.match(await page.locator('.summary').innerText(), /Click a block/);
    assert.equal(await sheetOf(preview).isVisible(), true, 'the card stays as it was left');
    await preview.close();
  },
};

const fromTable: PageTest = {
  name: 'a row of the table of devices leads to the same',
  run: async (browser) => {
    const preview = await browser.open();
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 8 })])));
    await preview.drawn();
    const { page } = preview;
    await page.locator('.grid [role=gridcell][tabindex="0"]').focus();
    await page.keyboard.press('t');
    await page.getByRole('button', { name: 'Devices' }).click();
    await page.locator('.cells .lines [role=row]').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await settled(page);
    assert.match(await page.locator('.summary').innerText(), /gpu\[1\]\s+· stages stage 1/);
    await page.keyboard.press('Escape');
    await settled(page);
    assert.match(await page.locator('.summary').innerText(), /Click a block/);
    await preview.close();
  },
};

const sorting: PageTest = {
  name: 'the table of devices is sorted by its headers, with the keyboard too',
  run: async (browser) => {
    const shownPipeline = pipeline({ devices: 4, microbatches: 8 });
    const { devices } = pictureFor(shownPipeline).report;
    const preview = await browser.open();
    await preview.post(planMessage(plan([shownPipeline])));
    await preview.drawn();
    const { page } = preview;
    await page.locator('.grid [role=gridcell][tabindex="0"]').focus();
    await page.keyboard.press('t');
    await page.getByRole('button', { name: 'Devices' }).click();
    const names = () => page.locator('.cells .lines [role=row] > :first-child').allInnerTexts();
    const all = devices.map(({ name }) => name);
    assert.deepEqual(await names(), all);
    assert.ok(devices[0].peak > devices[3].peak);
    const peak = page.getByRole('columnheader', { name: 'Peak', exact: true });
    await page.getByRole('button', { name: 'Peak', exact: true }).press('Enter');
    assert.equal(await peak.getAttribute('aria-sort'), 'descending');
    assert.deepEqual(await names(), all);
    await page.keyboard.press('Enter');
    assert.equal(await peak.getAttribute('aria-sort'), 'ascending');
    assert.deepEqual(await names(), all.toReversed());
    // The row that is chosen is the device that it names.
    await page.locator('.cells .lines [role=row]').first().click();
    await settled(page);
    assert.match(await page.locator('.summary').innerText(), /gpu\[3\]/);
    assert.deepEqual(await axe(page), []);
    await preview.close();
  },
};

const inside: PageTest = {
  name: 'the card of a device is as wide as its page, and nothing in it is wider',
  run: async (browser) => {
    const preview = await browser.open({ width: 540, height: 700 });
    await preview.post(wide().message);
    await preview.drawn();
    await clickName(preview, 0, 4);
    await openCard(preview);
    assert.equal(await sheetOf(preview).isVisible(), true);
    assert.ok(await sheetOf(preview).evaluate((sheet) => sheet.scrollWidth <= sheet.clientWidth));
    await preview.close();
  },
};

const flops: PageTest = {
  name: 'model FLOPs are told where they are known, and only there',
  run: async (browser) => {
    const { message, report } = wide();
    const preview = await browser.open();
    await preview.post(message);
    await preview.drawn();
    const figure = preview.page.locator('[data-figure=mfu]');
    const { utilisation = 0 } = report.model_flops ?? {};
    assert.ok(utilisation > 0.2 && utilisation < 0.55);
    assert.equal(await figure.innerText(), share(utilisation));
    // Tensor ranks within operations, and the gradients of the matrix that the first stage and the last one share.
    const gradients = report.devices.map(({ sync }) => sync.exposed);
    assert.ok(gradients[0] > 0 && gradients[1] === 0 && gradients[2] === 0 && gradients[3] > 0);
    const inOperations = report.stages.map(({ traffic }) => traffic?.tensor?.exposed ?? 0);
    const among = [...inOperations, ...gradients].reduce((sum, seconds) => sum + seconds, 0);
    const communication = await allFigures(preview);
    // Transfers between stages are in the figure, too.
    const [, exposed = ''] = /Exposed communication\s+([\d.]+) %\s+mostly tensor ranks/.exec(communication) ?? [];
    assert.ok(Number(exposed) >= (100 * among) / 4 / report.iteration - 0.05, communication);
    assert.match((await preview.page.locator('canvas.over').getAttribute('aria-label')) ?? '', /MFU \d/);
    await preview.post(planMessage(plan([pipeline({ devices: 4, microbatches: 8 })]), 2));
    await preview.drawn();
    assert.equal(await figure.count(), 0);
    await preview.post(message);
    await preview.drawn();
    assert.equal(await figure.count(), 1);
    await preview.close();
  },
};

const exchange: PageTest = {
  name: 'a selected block tells what the ranks of its stage exchange for a microbatch',
  run: async (browser) => {
    const shownPipeline = pipeline({ devices: 2, microbatches: 4 });
    const stages = shownPipeline.stages.map((stage) => ({
      ...stage,
      traffic: { tensor: { bytes: 2 ** 20, time: 4e-3, exposed: 1.5e-3 } },
    }));
    const with_ = { ...shownPipeline, stages };
    const preview = await browser.open();
    await preview.post(planMessage(plan([with_])));
    await preview.drawn();
    await clickBlock(preview, pictureFor(with_), 0, 0);
    await settled(preview.page);
    await openCard(preview);
    assert.match(await preview.page.locator('.card').innerText(), /tensor ranks, all passes\s*4 ms, 1\.5 ms exposed/);
    await preview.close();
  },
};

export const deviceTests: readonly PageTest[] = [items, hosts, bars, keys, fromTable, sorting, inside, flops, exchange];
