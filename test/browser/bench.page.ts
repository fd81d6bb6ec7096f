/** A schedule that is shown without a pipeline: its shape, and the shapes that its test has. */
import assert from 'node:assert/strict';
import type { ToPage } from '../../webview/protocol/messages.ts';
import { methods, type Overrides, type PlanAnswer } from '../../webview/protocol/requests.ts';
import { main, withClient } from '../support/server.ts';
import type { PageTest } from './check.ts';
import { axe, colourRules, settled, violations } from './harness.ts';
import { themes } from './themeColours.ts';

/** 1F1B by hand. With fewer microbatches than devices it names some that are not there; three are refused. */
const library = `/// One forward, one backward.
schedule mine {
  /// Forwards more than needed.
  param extra = 0 in 0..2
  require microbatches != 3
  let warm(d) = devices - d + extra
  row(d) = F[0..<warm(d)], zip(B[0..<microbatches-warm(d)], F[warm(d)..<microbatches]), B[microbatches-warm(d)..<microbatches]
}
expect mine { over(devices = 1..6, microbatches = 1..12)  valid }
/// Every device waits for the other.
schedule stuck { row(0) = B[0], F[0..<microbatches], B[1..<microbatches]  row(d) = F[0..<microbatches], B[0..<microbatches] }
`;

/** What the extension posts for the library, with these numbers. */
async function messages(all: readonly Overrides[]): Promise<readonly ToPage[]> {
  return withClient(async (client) => {
    client.open(main, library);
    await client.diagnostics(main);
    const found: ToPage[] = [];
    for (const [version, overrides] of all.entries()) {
      const { plan, options, schedules } = await client.request<PlanAnswer>(methods.plan, { uri: main, overrides });
      assert.ok(plan !== undefined);
      found.push({ type: 'plan', uri: main, title: 'mine.pipe', version, plan, overrides, options, schedules });
    }
    return found;
  });
}

const cell = (p: number, m: number): string => `.shapes tbody tr:nth-child(${p}) td:nth-child(${m + 1}) button`;

export const benchTests: readonly PageTest[] = [
  {
    name: 'a schedule without a pipeline: sliders and the table of tested shapes choose its shape',
    run: async (browser) => {
      const [first, second, refused] = await messages([
        {},
        { 'mine.devices': 5, 'mine.microbatches': 12 },
        { 'mine.devices': 5, 'mine.microbatches': 3 },
      ]);
      const preview = await browser.open({ width: 700, height: 700 });
      const { page } = preview;
      await preview.post(first);
      await preview.drawn();
      assert.match(await page.locator('.bench-summary').innerText(), /^72 shapes: \d+ pass, \d+ fail, 6 refused$/);
      assert.deepEqual(
        await page.locator(`${cell(4, 8)}[aria-pressed=true]`).getAttribute('aria-label'),
        '4 devices, 8 microbatches: passes',
      );
      assert.equal(await page.locator('.shape-cell[aria-pressed=true]').count(), 1);
      assert.equal(await page.locator(cell(4, 3)).innerText(), '–');
      assert.equal(await page.locator(cell(4, 2)).innerText(), '✕');
      // (m + p − 1)(F + B) = 11 · 3 s.
      assert.equal(await page.locator('[data-figure=iteration]').innerText(), '33 s');
      await page.locator(cell(4, 12)).click();
      await settled(page);
      assert.deepEqual((await preview.posted()).at(-1), {
        type: 'try',
        overrides: { 'mine.devices': 4, 'mine.microbatches': 12 },
      });
      await page.keyboard.press('ArrowDown');
      await settled(page);
      assert.deepEqual((await preview.posted()).at(-1), {
        type: 'try',
        overrides: { 'mine.devices': 5, 'mine.microbatches': 12 },
      });
      await preview.post(second);
      await preview.drawn();
      assert.equal(await page.locator('[data-figure=iteration]').innerText(), '48 s');
      assert.equal(await page.locator(cell(5, 12)).evaluate((node) => node === document.activeElement), true);
      assert.equal(await page.getByRole('slider', { name: 'devices of mine', exact: true }).inputValue(), '5');
      await preview.shot('bench-700');
      await preview.post(refused);
      await page.locator('.cover .message', { hasText: 'p = 5, m = 3' }).waitFor();
      assert.match(await page.locator('.cover .message').innerText(), /refuses/);
      assert.ok(await page.locator('header vscode-dropdown').isVisible());
      await preview.shot('bench-700-refused');
      assert.deepEqual(await axe(page), []);
      assert.deepEqual(preview.problems, []);
      assert.deepEqual(await violations(page), []);
      await preview.close();
    },
  },
  {
    name: 'a schedule of a library is chosen by its name, and a deadlock on equal stages is drawn',
    run: async (browser) => {
      const [first] = await messages([{}]);
      const preview = await browser.open({ width: 1400, height: 800 });
      const { page } = preview;
      await preview.post(first);
      await preview.drawn();
      await preview.shot('bench-1400');
      await page.locator('header vscode-dropdown').click();
      await page.locator('vscode-option', { hasText: 'stuck' }).click();
      await page.locator('.stall').waitFor();
      assert.equal(await page.locator('.bench-summary').innerText(), 'Not tested');
      await preview.shot('bench-1400-stuck');
      await preview.close();
    },
  },
  {
    name: 'the table of tested shapes in every theme, in a narrow page',
    run: async (browser) => {
      const [first] = await messages([{}]);
      const preview = await browser.open({ width: 420, height: 760 });
      await preview.post(first);
      await preview.drawn();
      for (const theme of themes) {
        await preview.setTheme(theme, true);
        assert.deepEqual(await axe(preview.page, colourRules), []);
        await preview.shot(`bench-420-${theme}`);
      }
      await preview.close();
    },
  },
];
