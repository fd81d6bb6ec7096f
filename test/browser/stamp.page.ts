/** A building block whose operations are moved by pointer and keys. The real server answers. */
import assert from 'node:assert/strict';
import type { FromPage } from '../../webview/protocol/messages.ts';
import { methods, type MoveSlotAnswer, type PlanAnswer } from '../../webview/protocol/requests.ts';
import { applyEdits, type Client, main, withClient } from '../support/server.ts';
import type { PageTest } from './check.ts';
import { axe, colourRules, type Preview, settled, violations } from './harness.ts';
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

/** The part of the extension between a page and the server. */
function extension(preview: Preview, client: Client, text: string) {
  let version = 0;
  let seen = 0;
  let file = text;
  let tried: MoveSlotAnswer | undefined;

  async function show(): Promise<void> {
    version += 1;
    const trial =
      tried === undefined || tried.problem !== undefined ? undefined : { version: tried.version, edits: [tried.edit] };
    const answer = await client.request<PlanAnswer>(methods.plan, { uri: main, trial });
    const { plan, options, schedules } = answer;
    assert.ok(plan !== undefined, answer.problem?.message);
    await preview.post({
      type: 'plan',
      uri: main,
      title: 'block.pipe',
      version,
      plan,
      overrides: {},
      options,
      schedules,
    });
    await settled(preview.page);
  }
  async function answer(message: FromPage): Promise<void> {
    if (message.type === 'moveSlot') {
      const { type: _, request, ...move } = message;
      const found = await client.request<MoveSlotAnswer | null>(methods.moveSlot, { uri: main, ...move });
      tried = found ?? undefined;
      const { text: written, stages = [], problem } = found ?? {};
      await preview.post({ type: 'slotMoved', request, text: written, stages, problem });
      await show();
    }
    if (message.type !== 'endMove') return;
    if (message.write && tried !== undefined) {
      file = applyEdits(file, [tried.edit]);
      client.change(main, file);
    }
    tried = undefined;
    await show();
  }
  return {
    show,
    /** Answers all that the page has posted since the last call. */
    async answer(): Promise<void> {
      await settled(preview.page);
      const posted = await preview.posted();
      const news = posted.slice(seen);
      seen = posted.length;
      for (const message of news) await answer(message);
      await settled(preview.page);
    },
    text: () => file,
  };
}

const handle = (operation: string): string => `.stamp-handle[data-operation="${operation}"]`;

export const stampTests: readonly PageTest[] = [
  {
    name: 'a building block: a dragged operation moves its slot, the page says what it writes, and refuses what cannot be',
    run: (browser) =>
      withClient(async (client) => {
        client.open(main, block(first));
        const preview = await browser.open({ width: 700, height: 800 });
        const { page } = preview;
        const editor = extension(preview, client, block(first));
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
        assert.equal(await page.locator(`${handle('0B')}.wrong`).count(), 1);
        await preview.shot('stamp-700-wrong');
        await page.mouse.move(x + 52, y);
        await editor.answer();
        assert.match(
          await status.innerText(),
          /^Writes slot\(B, s\) = 2 \* devices - 1 - s \+ 2 and moves all stages\. Release/,
        );
        assert.equal(await page.locator(handle('3B')).getAttribute('aria-label'), '3B, B of stage 3, slot 6');
        await preview.shot('stamp-700-moving');
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
    name: 'keys move one stage of a building block with Shift, Esc leaves it, Enter writes it',
    run: (browser) =>
      withClient(async (client) => {
        client.open(main, block(first));
        const preview = await browser.open({ width: 1400, height: 800 });
        const { page } = preview;
        const editor = extension(preview, client, block(first));
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
        const editor = extension(preview, client, block(first));
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
