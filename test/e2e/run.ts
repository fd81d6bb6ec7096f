/** The packaged extension in the real editor, used as a person would use it. Each test goes on where the one before ended. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tempFolder } from '../host/tempFolder.ts';
import { runTests, test } from '../support/plainTests.ts';
import { eventually } from './eventually.ts';
import { picture, rgb } from './pixels.ts';
import { openWorkbench } from '../host/workbench.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = tempFolder('pipewright-e2e-files-');
const workspace = path.join(folder.path, 'examples');
cpSync(path.join(root, 'examples'), workspace, { recursive: true });
const quickstart = path.join(workspace, 'quickstart.pipe');
// Stages that are written one by one: a cursor in one of them is at some of the blocks. In `balance(4)` it is at all, and marks none.
const stages = Array.from({ length: 4 }, (_, at) => `stage s${at} { layers = block[${2 * at}..${2 * at + 1}] }`);
const text = readFileSync(quickstart, 'utf8').replace(/stages\s*= balance\(4\)/, stages.join('\n  '));
writeFileSync(quickstart, text);
const lines = text.split('\n');
const workbench = await openWorkbench({
  vsix: path.join(root, 'dist', 'pipewright.vsix'),
  folder: workspace,
  settings: {
    'workbench.colorTheme': 'Dark Modern',
    'editor.stickyScroll.enabled': false,
    'editor.minimap.enabled': false,
  },
});
const { page, preview } = workbench;

const squiggle = page.locator('.squiggly-error');
const stage = preview.locator('.timeline');
const figures = preview.locator('.statistics');

const shows = (text: string) =>
  eventually(`the figures show ${text}`, async () =>
    (await figures.innerText()).replaceAll(/\s+/g, ' ').includes(text),
  );
const drawn = () => stage.and(preview.locator('[data-generation]')).waitFor();

test('a file opens from the explorer with colours and without a mistake', async () => {
  await workbench.openFile('quickstart.pipe');
  await page.locator('.codelens-decoration', { hasText: 'iteration' }).waitFor();
  // More than one colour of text: the grammar is at work.
  const classes = await page
    .locator('.view-line span span')
    .evaluateAll((spans) => new Set(spans.map((span) => span.className)).size);
  assert(classes > 3, `${classes} kinds of token`);
  assert.equal(await squiggle.count(), 0);
  await workbench.shot('e2e-1-open');
});

test('a typo shows a squiggle, an entry of the problems panel and a hover', async () => {
  await workbench.goToEndOf('schedule');
  await page.keyboard.type('x');
  await page.keyboard.press('Escape');
  await squiggle.first().waitFor();
  await workbench.command('View: Toggle Problems');
  await page.locator('.markers-panel .monaco-list-row', { hasText: '1f1bx' }).first().waitFor();
  await workbench.shot('e2e-2-problems');
  // The panel may be over the line.
  await workbench.command('View: Toggle Problems');
  // The editor may lay out its lines anew under the pointer (a panel opened, a lens came): then the pointer comes again.
  const hover = page.locator('.monaco-hover-content', { hasText: '1f1bx' }).first();
  let box = await squiggle.first().boundingBox();
  for (let tries = 0; tries < 8 && !(await hover.isVisible()); tries += 1) {
    // Lines that are laid out anew have no box for a moment.
    await squiggle.first().waitFor();
    box = (await squiggle.first().boundingBox()) ?? box;
    if (box === null) continue;
    await page.mouse.move(box.x, box.y + 150);
    await page.mouse.move(box.x + box.width / 2, box.y + 4, { steps: 4 });
    await hover.waitFor({ timeout: 5000 }).catch(() => undefined);
  }
  await hover.waitFor();
  assert(box);
  await workbench.shot('e2e-3-hover');
  await page.mouse.move(box.x, box.y + 150);
  await hover.waitFor({ state: 'hidden' });
});

test('its quick fix mends it', async () => {
  await workbench.goToEndOf('1f1bx');
  await page.keyboard.press('ArrowLeft');
  const fix = (await workbench.quickFixes()).filter({ hasText: '1f1b' }).first();
  await fix.waitFor();
  await workbench.shot('e2e-4-fix');
  await fix.click();
  await squiggle.first().waitFor({ state: 'detached' });
  await page
    .locator('.view-line', { hasText: /schedule\s+=\s+1f1b$/ })
    .first()
    .waitFor();
});

test('the list at a schedule has figures of this file, and a hover leads to the page of a policy', async () => {
  await workbench.goToEndOf('schedule');
  await page.keyboard.press('Control+Space');
  const row = page.locator('.suggest-widget .monaco-list-row', { hasText: '1f1b' }).first();
  await row.waitFor();
  await workbench.shot('e2e-4-schedules');
  assert.match(await row.innerText(), /264\.2 ms · 27\.3 % · 5 GiB/);
  await page.keyboard.press('Escape');
  await workbench.command('Show or Focus Hover');
  const link = page.locator('.monaco-hover-content a', { hasText: 'Definition and drawing' }).first();
  await link.waitFor();
  await link.click();
  const shown = page.locator('.tab', { hasText: 'Preview 1f1b' }).first();
  await shown.waitFor();
  await workbench.shot('e2e-4-page');
  await shown.click({ button: 'middle' });
  await shown.waitFor({ state: 'detached' });
});

test('the title-bar button opens the preview with the figures of the closed form', async () => {
  await page.locator('.editor-actions a[aria-label*="Open Preview to the Side"]').first().click();
  await drawn();
  // (m + p - 1) (F + B) = 11 · 24 ms, bubble (p - 1) / (m + p - 1) = 3/11, but for the latency of transfers.
  await shows('264');
  await shows('27.');
  await workbench.shot('e2e-5-preview');
});

test('the timeline shows forwards and backwards in the proportion of their times', async () => {
  await page.mouse.move(5, 5);
  await eventually('blocks are drawn', async () => (await picture(page, stage)).share(rgb('#2f77c8')) > 0.02);
  const seen = await picture(page, stage);
  const forward = seen.share(rgb('#2f77c8'));
  const backward = seen.share(rgb('#eb964e')) + seen.share(rgb('#7ccaab'));
  // Backwards take twice the time; labels and the critical path cover some of each.
  assert(backward / forward > 1.4 && backward / forward < 2.8, `${backward} to ${forward}`);
});

test('a click on a block puts the cursor of the editor on its line, in the same tab', async () => {
  await workbench.goToEndOf('model toy');
  const tabs = await page.locator('.tab').count();
  // Below the overview and the ruler.
  const place = (await picture(page, stage)).find(rgb('#2f77c8'), 70);
  assert(place, 'a block is seen');
  await stage.click({ position: place });
  const wanted = lines.findIndex((line) => /^\s*stage s0 /.test(line)) + 1;
  await eventually(`the cursor is in line ${wanted}`, async () => (await workbench.cursorLine()) === wanted);
  assert.equal(await page.locator('.tab').count(), tabs);
  await workbench.shot('e2e-6-reveal');
});

test('the cursor in the text rings blocks of the preview', async () => {
  await page.mouse.move(5, 5);
  await workbench.goToEndOf('model toy');
  await delay(500);
  const before = await picture(page, stage);
  await workbench.goToEndOf('stage s1');
  await eventually('the picture changes', async () => {
    const after = await picture(page, stage);
    let changed = 0;
    for (let y = 0; y < after.height; y += 1)
      for (let x = 0; x < after.width; x += 1)
        if (String(after.colourAt(x, y)) !== String(before.colourAt(x, y))) changed += 1;
    return changed > 50;
  });
});

test('a slider tries a value without touching the file', async () => {
  const field = preview.locator('.params input[type=number]').first();
  await field.fill('16');
  await field.press('Enter');
  await preview.locator('.param.tried').waitFor();
  // 19 · 24 ms.
  await shows('456');
  // Time enough for an edit, if Enter made one.
  await delay(500);
  await preview
    .getByRole('button', { name: /^Apply/ })
    .and(preview.locator(':focus'))
    .waitFor();
  await page
    .locator('.view-line', { hasText: /param\s+microbatches\s*=\s*8\s/ })
    .first()
    .waitFor();
  await workbench.shot('e2e-7-trying');
});

test('a link to what is tried leads back to it', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  // The tooltip of the button above would be over the menu.
  await page.mouse.move(5, 5);
  await preview.getByRole('button', { name: 'More' }).click();
  await preview.locator('.menu-item', { hasText: 'Copy link to this view' }).click();
  await page.locator('.statusbar-item', { hasText: 'Copied the link' }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /:\/\/pipewright\.pipewright\/view\/quickstart\.pipe\?pipeline=train&.*set=microbatches:16/);
  await preview
    .getByRole('button', { name: /^Reset/ })
    .first()
    .click();
  await shows('264');
  await workbench.openUrl(link);
  // The editor asks whether the extension may open it.
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Open' }).click();
  await shows('456');
  await preview.locator('.param.tried').waitFor();
});

test('apply writes it as one edit, and undo takes it back', async () => {
  await preview.getByRole('button', { name: /apply/i }).first().click();
  const line = (value: number) =>
    page.locator('.view-line', { hasText: new RegExp(`param\\s+microbatches\\s*=\\s*${value}\\s`) }).first();
  await line(16).waitFor();
  await shows('456');
  await workbench.shot('e2e-8-applied');
  await workbench.goToEndOf('model toy');
  await page.keyboard.press('Control+Z');
  await line(8).waitFor();
  await shows('264');
});

test('typing redraws, and a broken file keeps the last picture with a notice of the error', async () => {
  await workbench.goToEndOf('schedule');
  await page.keyboard.type('x');
  await page.keyboard.press('Escape');
  await preview.locator('header .notice:visible').waitFor();
  const stale = await picture(page, stage);
  // The colours are muted, so that nobody takes the picture for the text's.
  let bluish = 0;
  for (let y = 0; y < stale.height; y += 1)
    for (let x = 0; x < stale.width; x += 1) {
      const [red, , blue] = stale.colourAt(x, y);
      if (blue - red > 30) bluish += 1;
    }
  assert(bluish / (stale.width * stale.height) > 0.02, 'the blocks are still there');
  await shows('264');
  await workbench.shot('e2e-9-broken');
  await page.keyboard.press('Backspace');
  await preview.locator('header .notice').waitFor({ state: 'hidden' });
});

test('a reload of the window brings the preview back', async () => {
  await page.keyboard.press('Control+S');
  await page.locator('.tab.dirty').waitFor({ state: 'detached' });
  // The page writes its state a quarter of a second after a change.
  await delay(600);
  await workbench.reload();
  await drawn();
  // The editor may have kept an older state, in which 16 microbatches were tried: then the page says so.
  const reset = preview.getByRole('button', { name: /^Reset/ });
  if (await reset.isVisible()) await reset.click();
  await shows('264');
});

for (const [name, file, colour] of [
  ['Light Modern', 'light', '#396dbe'],
  ['Dark High Contrast', 'high-contrast', '#3888ec'],
  ['Light High Contrast', 'high-contrast-light', '#2f5cb1'],
] as const) {
  test(`the preview follows the theme ${name}`, async () => {
    await workbench.goToEndOf('model toy');
    await workbench.theme(name);
    await page.mouse.move(5, 5);
    await eventually(`blocks are ${colour}`, async () => (await picture(page, stage)).share(rgb(colour)) > 0.02);
    await workbench.shot(`e2e-theme-${file}`);
  });
}

try {
  await runTests({
    chain: true,
    failed: (name) => workbench.failed(`e2e-failed-${name}`),
  });
} finally {
  await workbench.close();
  folder.remove();
}
