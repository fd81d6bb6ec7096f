/** A building block whose operations are moved by pointer and keys. The real server answers. */
import assert from 'node:assert/strict';
import { main, withClient } from '../support/server.ts';
import type { PageTest } from './check.ts';
import { axe, colourRules, type Preview, violations } from './harness.ts';
import { movingExtension } from './moves.ts';
import { themes } from './themeColours.ts';

/** 1F1B over four devices: F in slots 0 to 3, B in slots 7 to 4. */
const block = (backward: string): string => `schedule block {
  period = 2
  slot(F, s) = s
  slot(B, s) = ${backward}
}
expect block { over(devices = 1..4, microbatches = 1..8)  valid }
`;
const first = '2 * devices - 1 - s';

const handle = (operation: string): string => `.stamp-handle[data-operation="${operation}"]`;

const wrong = (page: Preview['page']): Promise<string[]> =>
  page
    .locator('.stamp-handle.wrong')
    .evaluateAll((all) => all.map((node) => node.getAttribute('data-operation') ?? '').toSorted());

export const stampTests: readonly PageTest[] = [
  {
    name: 'a building block: a dragged operation moves its slot, the page says what it writes, and refuses what cannot be',
    run: (browser) =>
      withClient(async (client) => {
        client.open(main, block(first));
        const preview = await browser.open({ width: 700, height: 800 });
        const { page } = preview;
        const editor = movingExtension(preview, client, 'block.pipe', block(first));
        await editor.show();
        await preview.drawn();
        assert.equal(await page.locator('.stamp-handle').count(), 8);
        const status = page.locator('.stamp-status');
        const box = await page.locator(handle('0B')).boundingBox();
        assert.ok(box !== null);
        const [x, y] = [box.x + 10, box.y + 10];
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 26, y);
        await editor.answer();
        // B of stage 0 in slot 8 would meet its next forward.
        assert.match(await status.innerText(), /^Cannot be: .*modulo the period 2/);
        // All backwards move, and each meets the forward of its device.
        assert.deepEqual(await wrong(page), ['0B', '0F', '1B', '1F', '2B', '2F', '3B', '3F']);
        assert.equal(
          await page.locator(handle('0B')).getAttribute('aria-label'),
          '0B, B of stage 0, slot 8, the slot of 0F modulo the period',
        );
        assert.equal(await page.locator('.stamp-ghost.wrong').count(), 24);
        await preview.shot('stamp-700-wrong');
        await page.mouse.move(x + 52, y);
        await editor.answer();
        assert.match(
          await status.innerText(),
          /^Writes slot\(B, s\) = 2 \* devices - 1 - s \+ 2 and moves all stages\. Release/,
        );
        assert.equal(await page.locator(handle('3B')).getAttribute('aria-label'), '3B, B of stage 3, slot 6');
        await preview.shot('stamp-700-moving');
        assert.deepEqual(await wrong(page), []);
        assert.equal(editor.text(), block(first));
        await page.mouse.up();
        await editor.answer();
        assert.equal(editor.text(), block('2 * devices - 1 - s + 2'));
        assert.match(await status.innerText(), /^Written: slot\(B, s\)/);
        assert.equal(await page.locator('.stamp-handle.held').count(), 0);
        assert.deepEqual(preview.problems, []);
        assert.deepEqual(await violations(page), []);
        assert.deepEqual(await axe(page), []);
        await preview.close();
      }),
  },
  {
    name: 'a building block whose slots clash in the text has them marked, and no other',
    run: (browser) =>
      withClient(async (client) => {
        // On device 2 alone, B comes a slot later.
        const text = block(`${first} + if(s == 2, 1, 0)`);
        client.open(main, text);
        const preview = await browser.open({ width: 420, height: 800 });
        const editor = movingExtension(preview, client, 'block.pipe', text);
        await editor.show();
        await preview.page.locator('.stamp-handle').first().waitFor();
        assert.deepEqual(await wrong(preview.page), ['2B', '2F']);
        for (const theme of themes) {
          await preview.setTheme(theme);
          assert.deepEqual(await axe(preview.page, colourRules), [], theme);
          await preview.shot(`stamp-420-clash-${theme}`);
        }
        await preview.close();
      }),
  },
  {
    name: 'keys move one stage of a building block with Shift, Esc leaves it, Enter writes it',
    run: (browser) =>
      withClient(async (client) => {
        client.open(main, block(first));
        const preview = await browser.open({ width: 1400, height: 800 });
        const { page } = preview;
        const editor = movingExtension(preview, client, 'block.pipe', block(first));
        await editor.show();
        await preview.drawn();
        await page.locator(handle('0F')).focus();
        for (let press = 0; press < 4; press += 1) await page.keyboard.press('ArrowDown');
        assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-operation')), '0B');
        await page.keyboard.press('Shift+ArrowRight');
        await page.keyboard.press('Shift+ArrowRight');
        await editor.answer();
        const status = page.locator('.stamp-status');
        assert.match(await status.innerText(), /if\(s == 0, 2, 0\) and moves stage 0 only/);
        await preview.shot('stamp-1400');
        await page.keyboard.press('Escape');
        await editor.answer();
        assert.equal(editor.text(), block(first));
        assert.equal(await page.locator(handle('0B')).getAttribute('aria-label'), '0B, B of stage 0, slot 7');
        await page.keyboard.press('Shift+ArrowRight');
        await page.keyboard.press('Shift+ArrowRight');
        // Enter before the answer: what the answer allows is written.
        await page.keyboard.press('Enter');
        await editor.answer();
        await editor.answer();
        assert.equal(editor.text(), block(`${first} + if(s == 0, 2, 0)`));
        await preview.close();
      }),
  },
  {
    name: 'a building block in every theme, in a narrow page',
    run: (browser) =>
      withClient(async (client) => {
        client.open(main, block(first));
        const preview = await browser.open({ width: 420, height: 800 });
        const editor = movingExtension(preview, client, 'block.pipe', block(first));
        await editor.show();
        await preview.drawn();
        for (const theme of themes) {
          await preview.setTheme(theme, true);
          assert.deepEqual(await axe(preview.page, colourRules), []);
          await preview.shot(`stamp-420-${theme}`);
        }
        await preview.close();
      }),
  },
];
