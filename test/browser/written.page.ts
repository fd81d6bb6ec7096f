import assert from 'node:assert/strict';
import { B, F } from '../../engine/values/program.ts';
import { planOf } from '../support/resolve.ts';
import { type PageTest } from './check.ts';
import { exampleFile } from './editor.ts';
import { settled } from './harness.ts';
import { blockOf, clickBlock, openCard, pictureFor, pointOf } from './scene.ts';
import { visit } from './scenes.ts';

/** Interleaved 1F1B on four devices with two chunks. */
const text = `device d { memory = 32GiB }
cluster box { gpu[4] = d  link = 25GB/s + 5us }
model toy { layer block[8] { forward = 4ms  backward = 8ms  activation = 64MiB } }
schedule mine {
  param chunks = 2 in 1..16
  placement = loop(chunks)
  let groups  = microbatches / devices
  let ahead   = each(g in 0..<groups, each(c in 0..<chunks, F[g*devices..<(g+1)*devices, chunk = c]))
  let back    = each(g in 0..<groups, each(c in chunks-1..0 step -1, B[g*devices..<(g+1)*devices, chunk = c]))
  let warm(d) = 2*(devices-1-d) + (chunks-1)*devices
  row(d)      = take(warm(d), ahead), zip(drop(warm(d), ahead), back)
}
pipeline train { model = toy  devices = box  microbatches = 8  stages = balance(8)  schedule = mine }
`;
const scene = { name: 'written', file: exampleFile('schedules/interleaved.pipe', text), size: [1320, 860] } as const;
const picture = pictureFor(planOf(text));
const middle = (block: number): number => (picture.columns.start[block] + picture.columns.end[block]) / 2;

const cursor: PageTest = {
  name: 'the cursor in a segment of a row marks its blocks, on all devices, and the last line counts them',
  run: (browser) =>
    visit(browser, scene, { width: 1320, height: 860 }, async (preview, editor) => {
      const operations = preview.page.locator('.status .operations');
      const plain = await operations.innerText();
      assert.equal(plain, '128 operations');
      for (const [before, expected] of [
        // The warm-up of device d takes 2 (3 − d) + 4 forwards.
        ['take(warm', '28 of 128 operations'],
        ['F[g*devices', '64 of 128 operations'],
        ['zip(drop', '100 of 128 operations'],
        ['back)', '64 of 128 operations'],
      ] as const) {
        await editor.cursor(before);
        await settled(preview.page);
        assert.equal(await operations.innerText(), expected, before);
      }
      const block = blockOf(picture, 3, F, 0);
      const [x, y] = await pointOf(preview, picture, 3, picture.columns.start[block], 0);
      await editor.cursor('param chunks');
      await settled(preview.page);
      assert.equal(await operations.innerText(), plain);
      const before = await preview.pixel(Math.round(x) + 2, Math.round(y));
      await editor.cursor('take(warm');
      await settled(preview.page);
      assert.notDeepEqual(await preview.pixel(Math.round(x) + 2, Math.round(y)), before);
      await preview.shot('written-cursor');
    }),
};

const card: PageTest = {
  name: 'a block says which text wrote it with which numbers, under the pointer and on its card, and leads to that text',
  run: (browser) =>
    visit(browser, scene, { width: 1320, height: 860 }, async (preview, editor) => {
      const block = blockOf(picture, 1, B, 4);
      await preview.page.mouse.move(...(await pointOf(preview, picture, 1, middle(block))));
      await preview.page.waitForTimeout(300);
      await editor.answer();
      const tip = preview.page.locator('.tooltip');
      await tip.getByText('Written by').waitFor();
      const said = (await tip.innerText()).replaceAll(/\s+/g, ' ');
      assert.match(said, /Written by B\[g\*devices\.\.<\(g\+1\)\*devices, chunk = c\]/);
      assert.match(said, /In row\(1\) › zip\(drop\(warm\(d\), ahead\), back\) › back/);
      assert.match(said, /With d = 1, g = 1, c = 1, groups = 2, chunks = 2/);
      await preview.shot('written-tooltip');
      await clickBlock(preview, picture, block, 1);
      const reveal = (await preview.posted()).findLast((message) => message.type === 'reveal');
      assert.match(reveal?.type === 'reveal' ? reveal.path : '', /^train\/row:1\/item:1\/operation:1\.\d\.4$/);
      await editor.answer();
      await openCard(preview);
      await preview.page.locator('.card').getByText('Written by').waitFor();
      await preview.shot('written-card');
      // Keys lead to the next block, whose text is another one.
      await preview.page.keyboard.press('Escape');
      await preview.page.locator('[role=gridcell][tabindex="0"]').focus();
      await preview.page.keyboard.press('Home');
      await editor.answer();
      await preview.page.locator('.card').getByText('F[g*devices').first().waitFor();
    }),
};

export const writtenTests: readonly PageTest[] = [cursor, card];
