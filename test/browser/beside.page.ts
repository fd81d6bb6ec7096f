/** Two files side by side, each planned by the language server. */
import assert from 'node:assert/strict';
import { besideNames, besideRoom, besideRuler } from '../../webview/view/scene/besideScene.ts';
import { exampleText } from '../support/example.ts';
import type { Browser, PageTest } from './check.ts';
import { type Editor, exampleFile, openEditor, type TextFile } from './editor.ts';
import { axe, type Preview, settled, violations } from './harness.ts';
import type { Point } from './pixels.ts';

const text = exampleText('quickstart.pipe');
const quickstart = exampleFile('quickstart.pipe');
const schedule = 'schedule     = 1f1b';
const withSchedule = (next: string): string => text.replace(schedule, next);
const other = (content: string): TextFile => ({
  uri: quickstart.uri.replace('quickstart', 'other'),
  text: content,
});
const slow = other(withSchedule(`${schedule}\n  slow(device = 2) = 1.2`));

async function shown(
  browser: Browser,
  below: TextFile | undefined,
  work: (preview: Preview, editor: Editor) => Promise<void>,
  { width = 1100, own = quickstart }: { readonly width?: number; readonly own?: TextFile } = {},
): Promise<void> {
  const preview = await browser.open({ width, height: 700, reducedMotion: true });
  const editor = await openEditor(preview, own);
  try {
    await editor.show();
    if (below !== undefined) await editor.beside(below, { pair: 1 });
    await work(preview, editor);
    assert.deepEqual([...preview.problems, ...(await violations(preview.page))], []);
  } finally {
    editor.close();
    await preview.close();
  }
}

const line = ({ page }: Preview, side: 'upper' | 'lower') =>
  page.locator('.beside-line').filter({ has: page.locator(`.beside-key.${side}`) });
const says = (preview: Preview, words: string | RegExp) =>
  preview.page.locator('.beside-sentence').filter({ hasText: words }).waitFor();
const iteration = async (preview: Preview, side: 'upper' | 'lower') =>
  (await line(preview, side).getByRole('cell').first().locator('span').first().innerText()).trim();

const figures: PageTest = {
  name: 'two files side by side: figures, the causes of the difference, and what differs block by block',
  run: (browser) =>
    shown(browser, slow, async (preview) => {
      await says(preview, /51 of 64 operations differ by more than 1 % of the iteration \(2\.64 ms\)/);
      const { page } = preview;
      const words = await page.locator('.beside-sentence').innerText();
      assert.match(
        words,
        /^other\.pipe: train is 33\.5 ms \(12\.7 %\) longer than quickstart\.pipe: train at the same peak\./,
      );
      assert.match(words, /Largest cause: imbalance, \+20\.4 ms per device on average\./);
      assert.match(words, /The first is 2B0 on gpu\[2\] at 48\.06 ms\.$/);
      assert.equal(await iteration(preview, 'upper'), '264.2 ms');
      assert.match(await line(preview, 'lower').innerText(), /297\.7 ms\s*\+12\.7 %/);
      // Fewer differences are larger, and more are smaller.
      await page.getByRole('button', { name: '5 %', exact: true }).click();
      await says(preview, /\d+ of 64 operations differ by more than 5 % of the iteration \(13\.2 ms\)/);
      await page.getByRole('button', { name: '0.1 %', exact: true }).click();
      await settled(page);
      assert.match(await page.locator('.beside-sentence').innerText(), /The first is 2F0 on gpu\[2\] at 16\.03 ms\./);
    }),
};

const outlines: PageTest = {
  name: 'blocks that differ are outlined, on the axis that both share',
  run: (browser) =>
    shown(browser, slow, async (preview) => {
      await says(preview, 'The first is');
      await settled(preview.page);
      const canvas = await preview.page.locator('.beside-scroll canvas').boundingBox();
      assert.ok(canvas);
      const { pitch, plot, band } = besideRoom(canvas.width, canvas.height, 4);
      const longest = 0.29771;
      /** Whether the block that starts then has a white edge, in a band of a device. */
      const outlined = async (device: number, lower: boolean, start: number) => {
        const x = canvas.x + besideNames(canvas.width) + (start / longest) * plot + 1.5;
        const y = canvas.y + besideRuler + device * pitch + 2 + (lower ? band + 1 : 0) + band / 2;
        const edge = [x - 1, x, x + 1].map((at): Point => [Math.round(at), Math.round(y)]);
        return (await preview.pixels(edge)).some((colour) => colour.every((part) => part > 200));
      };
      assert.equal(await outlined(2, false, 0.04806), true, '2B0 takes longer below');
      assert.equal(await outlined(2, true, 0.04966), true, 'and is outlined there too');
      assert.equal(await outlined(0, false, 0), false, '0F0 is as it was');
      assert.equal(await outlined(0, true, 0), false);
    }),
};

const keys: PageTest = {
  name: 'side by side by keyboard: step through what differs, zoom, go to the source, and back to the timeline',
  run: (browser) =>
    shown(browser, slow, async (preview, editor) => {
      await says(preview, 'The first is');
      const { page } = preview;
      const at = page.locator('.beside-at');
      const focused = () => page.evaluate(() => document.activeElement?.className);
      assert.equal(await focused(), 'beside-scroll');
      assert.match(await at.innerText(), /^N: next difference/);
      await page.keyboard.press('n');
      const first = await at.innerText();
      assert.match(first, /^2B0 on gpu\[2\] in quickstart\.pipe: train starts at 48\.06 ms and takes 16 ms\./);
      assert.match(first, /In other\.pipe: train it starts 1\.6 ms later and takes 3\.2 ms longer\.$/);
      await page.keyboard.press('Enter');
      assert.deepEqual((await preview.posted()).at(-1), {
        type: 'reveal',
        path: 'train/stage:2',
        preserveFocus: false,
      });
      await page.keyboard.press('n');
      assert.notEqual(await at.innerText(), first);
      await page.keyboard.press('Shift+N');
      assert.equal(await at.innerText(), first);
      await page.keyboard.press('w');
      await page.keyboard.press('w');
      await settled(page);
      await preview.shot('beside-zoomed');
      // The next one that lies outside comes into sight.
      await page.keyboard.press('Shift+N');
      assert.match(await at.innerText(), /^0B7 on gpu\[0\]/);
      await page.keyboard.press('0');
      // The cell of the other file leads to its text.
      const canvas = await page.locator('.beside-scroll canvas').boundingBox();
      assert.ok(canvas);
      const { pitch, plot, band } = besideRoom(canvas.width, canvas.height, 4);
      const x = besideNames(canvas.width) + (0.055 / 0.29771) * plot;
      await page.mouse.dblclick(canvas.x + x, canvas.y + besideRuler + 2 * pitch + band * 1.5);
      assert.deepEqual((await preview.posted()).at(-1), { type: 'revealBeside', path: 'train/stage:2' });
      await page.keyboard.press('Escape');
      assert.ok(await page.locator('.beside').isHidden());
      assert.deepEqual((await preview.posted()).at(-1), { type: 'endBeside', pair: 1 });
      assert.ok(
        await page.evaluate(() => document.activeElement?.closest('.grid') !== null),
        'the timeline has the focus',
      );
      // From the menu of the page.
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name: 'Side by side…' }).click();
      assert.deepEqual((await preview.posted()).at(-1), { type: 'chooseBeside' });
      await editor.beside(slow, { pair: 2, note: 'Use a slow device, 2026-11-20' });
      await says(preview, 'The first is');
      assert.match(await line(preview, 'lower').innerText(), /Use a slow device, 2026-11-20/);
      // Another comparison takes its place.
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      await page.locator('.race').waitFor();
      assert.equal(await page.locator('.beside').count(), 0);
      assert.ok((await preview.posted()).some((message) => message.type === 'endBeside' && message.pair === 2));
    }),
};

const follows: PageTest = {
  name: 'side by side follows edits of both texts, keeps the zoom, and never shows an old timeline as a new one',
  run: (browser) =>
    shown(browser, slow, async (preview, editor) => {
      const { page } = preview;
      await says(preview, 'The first is');
      await page.keyboard.press('w');
      await editor.beside(other(withSchedule('schedule     = gpipe')), { pair: 1 });
      await says(preview, /other\.pipe: train is .* shorter than/);
      await preview.post({ type: 'besideLate', late: true });
      await line(preview, 'lower').getByText('Planning the newest text …').waitFor();
      assert.equal(await page.locator('.beside.outdated').count(), 1);
      await preview.post({ type: 'besideLate', late: false });
      assert.equal(await page.locator('.beside.outdated').count(), 0);
      // An error: the last timeline stays, and is marked.
      await editor.beside(other(withSchedule('schedule     = gpope')), { pair: 1 });
      await line(preview, 'lower').getByText('Its last valid timeline stays.').waitFor();
      assert.equal(await page.locator('.beside.outdated').count(), 1);
      assert.notEqual(await iteration(preview, 'lower'), '');
      await editor.beside(other(text), { pair: 1 });
      await says(preview, 'No operation differs by more than 1 % of the iteration (2.64 ms).');
      assert.equal(await page.locator('.beside.outdated').count(), 0);
      assert.equal(await iteration(preview, 'lower'), '264.2 ms');
      // The file above: a value that is tried.
      await page.getByRole('button', { name: 'Params' }).click();
      const slider = page.locator('.popover input[type=range], .param input[type=range]').first();
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      await editor.answer();
      await line(preview, 'upper').getByText('as tried').waitFor();
      await says(preview, 'operations differ');
      assert.notEqual(await iteration(preview, 'upper'), '264.2 ms');
    }),
};

const deadlocked = `${text.replace(schedule, 'schedule     = mine')}
schedule mine {
  row(0) = B[0..<microbatches], F[0..<microbatches]
  row(d) = F[0..<microbatches], B[0..<microbatches]
}
`;
const shapes = 'schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches] }\n';

/** What is wrong below, and what is said of it. */
const wrongBelow: readonly (readonly [name: string, text: string, words: RegExp])[] = [
  ['an error', withSchedule('schedule     = gpope'), /Unknown/],
  ['a deadlock', deadlocked, /Deadlock|wait/],
  ['no pipeline', 'device gpu { memory = 16GiB }\n', /other\.pipe has no pipeline\./],
  ['an empty text', '', /other\.pipe has no pipeline\./],
  ['other units', shapes, /They have no common axis\./],
];

const states: PageTest = {
  name: 'side by side says what is wrong below or above, draws the other one, and comes back',
  run: (browser) =>
    shown(browser, undefined, async (preview, editor) => {
      const { page } = preview;
      for (const [index, [name, content, words]] of wrongBelow.entries()) {
        await editor.beside(other(content), { pair: index + 1 });
        await line(preview, 'lower').getByText(words).waitFor();
        await line(preview, 'upper').getByText('264.2 ms').waitFor();
        assert.equal(await iteration(preview, 'lower'), '', name);
        assert.doesNotMatch(await page.locator('.beside').innerText(), /stays|operations differ/, name);
        assert.deepEqual(await axe(page), [], name);
      }
      const gone = {
        type: 'beside',
        pair: 9,
        title: 'other.pipe',
        problem: 'other.pipe was renamed or deleted.',
      } as const;
      await preview.post(gone);
      await line(preview, 'lower').getByText(gone.problem).waitFor();
      await editor.beside(other(text), { pair: 9 });
      await says(preview, 'No operation differs');
      // The file above has a deadlock, is empty, gone, and there again.
      await editor.replace(deadlocked);
      await line(preview, 'upper')
        .getByText(/Deadlock|wait/)
        .waitFor();
      await line(preview, 'lower').getByText('264.2 ms').waitFor();
      await preview.shot('beside-deadlock');
      await editor.replace('');
      await line(preview, 'upper').getByText('quickstart.pipe has no pipeline.').waitFor();
      await editor.replace(text);
      await says(preview, 'No operation differs');
      const { uri } = quickstart;
      await preview.post({ type: 'gone', uri, title: 'quickstart.pipe', version: 50 });
      await line(preview, 'upper').getByText('quickstart.pipe was renamed or deleted.').waitFor();
      // What has waited below the comparison is shown without it.
      await page.keyboard.press('Escape');
      await page.locator('.message').getByText('quickstart.pipe was renamed or deleted.').waitFor();
    }),
};

const devices: PageTest = {
  name: 'devices that only one file has are said, and their rows have a place',
  run: (browser) =>
    shown(browser, other(text.replace('gpu[4]', 'gpu[2]').replace('balance(4)', 'balance(2)')), async (preview) => {
      await says(preview, 'Only quickstart.pipe: train has gpu[2] and gpu[3].');
      await preview.shot('beside-devices');
    }),
};

const fits: PageTest = {
  name: 'side by side fits into a side panel, and axe finds nothing',
  run: async (browser) => {
    for (const width of [320, 420, 700, 1400])
      await shown(
        browser,
        slow,
        async (preview) => {
          const { page } = preview;
          await says(preview, 'The first is');
          await page.keyboard.press('n');
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${width}: ${over} px too wide`);
          const drawing = await page.locator('.beside-scroll').boundingBox();
          assert.ok(drawing !== null && drawing.height >= 0.4 * 700, `${width}: ${drawing?.height} px of drawing`);
          assert.deepEqual(await axe(page), [], String(width));
          // A low panel has room for the devices, too.
          await page.setViewportSize({ width, height: 480 });
          await settled(page);
          const low = await page.locator('.beside-scroll').boundingBox();
          assert.ok(low !== null && low.height >= 0.4 * 480, `${width} × 480: ${low?.height} px of drawing`);
          await preview.shot(`beside-low-${width}`);
        },
        { width },
      );
  },
};

export const besideTests: readonly PageTest[] = [figures, outlines, keys, follows, states, devices, fits];
