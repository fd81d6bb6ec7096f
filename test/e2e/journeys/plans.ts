import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

const quickstart = readFileSync(path.join(import.meta.dirname, '../../../examples/quickstart.pipe'), 'utf8');
const search = `
search train {
  pipeline in [1, 2, 4]
  schedule in [1f1b, gpipe, zb_h1]
  recompute in [none, full]
}
`;

/** Which settings are fastest? The results outlast a preview that is hidden, a row that is written, and a comment. */
export const plans: Journey = {
  name: 'plans: results stay while the preview is hidden, after a row is written, and under a comment',
  files: { 'plans.pipe': `${quickstart}${search}` },
  async run(desk) {
    const { page, preview } = desk;
    const original = readFileSync(path.join(desk.folder, 'plans.pipe'), 'utf8');
    await desk.openWithPreview('plans.pipe');
    await desk.drawn();
    const card = preview.locator('.plan-card');
    const certificate = preview.locator('.plan-certificate');
    const ended = () =>
      eventually('the search has ended', async () =>
        (await certificate.innerText()).startsWith('No other of the 18 rows fits'),
      );
    await desk.goToEndOf('search train');
    await page.locator('.codelens-decoration a', { hasText: 'Find the fastest plan' }).first().click();
    await preview.locator('.plan').waitFor();
    // Another editor covers the preview, which the editor then throws away.
    await page.keyboard.press('Control+2');
    await desk.find('notes.txt');
    await preview.locator('.plan').waitFor({ state: 'hidden' });
    await page.waitForTimeout(1500);
    await page.locator('.tab', { hasText: 'Preview plans.pipe' }).click();
    await ended();
    await desk.shot('journey-plans-1-again');

    await card.locator('vscode-button', { hasText: 'Write this plan' }).click();
    await eventually('the row is in the file', async () => /schedule\s+= zb_h1/.test(await desk.saved('plans.pipe')));
    await eventually('the row is marked', async () => /this file is this plan/i.test(await card.innerText()));
    assert.match(await certificate.innerText(), /^No other of the 18 rows fits/);
    await desk.goToEndOf('device v100');
    await page.keyboard.type(' // a comment');
    await desk.saved('plans.pipe');
    await page.waitForTimeout(500);
    assert.match(await card.innerText(), /this file is this plan/i);
    assert.match(await certificate.innerText(), /^No other of the 18 rows fits/);
    await desk.shot('journey-plans-2-written');

    // An edit that matters, and its undo.
    await page.keyboard.press('Home');
    await page.keyboard.type('let spare = 1\n');
    await eventually('the results are old', async () =>
      (await certificate.innerText()).startsWith('The file has been edited since this search'),
    );
    // Words are undone one by one.
    const isOld = async () => (await certificate.innerText()).startsWith('The file has been edited');
    for (let tries = 0; tries < 8 && (await isOld()); tries += 1) {
      await desk.undo();
      await page.waitForTimeout(500);
    }
    await ended();
    for (let tries = 0; tries < 6 && (await desk.saved('plans.pipe')) !== original; tries += 1) await desk.undo();
    assert.equal(await desk.saved('plans.pipe'), original);
    await eventually('no row is marked', async () => !/this file is this plan/i.test(await card.innerText()));
  },
};
