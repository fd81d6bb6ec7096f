/** The exported page, opened from a file as a reader opens it: without a server, an editor or a network. */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { share } from '../../engine/basics/quantities.ts';
import { standaloneHtml } from '../../webview/protocol/standalone.ts';
import { tempFolder } from '../host/tempFolder.ts';
import { pageScript, pageStyle } from './build.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';
import { axe, colourRules, settled, shot } from './harness.ts';
import { pixelOf } from './pixels.ts';
import { patience } from '../host/patience.ts';

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64');

export const standaloneTests: readonly PageTest[] = [
  {
    name: 'an exported page opens from a file, draws and selects, and asks for nothing',
    async run({ chromium }) {
      const { message, analysis } = example('quickstart');
      const evil = '</script><script>document.title="broken"</script>.pipe';
      const html = standaloneHtml(
        { script: await pageScript(), style: await pageStyle(), hash },
        { message: { ...message, title: evil }, state: { uri: message.uri, t0: 0, t1: 0.1 } },
      );
      assert(html.length < 5_000_000, `${html.length} bytes`);
      const folder = tempFolder('pipewright-page-');
      const file = path.join(folder.path, 'page.html');
      writeFileSync(file, html);
      const page = await chromium.newPage({ viewport: { width: 1200, height: 760 } });
      try {
        const problems: string[] = [];
        const requests: string[] = [];
        page.on('pageerror', (error) => problems.push(String(error)));
        page.on('console', (line) => {
          if (line.type() === 'error') problems.push(line.text());
        });
        page.on('request', (request) => requests.push(request.url()));
        await page.goto(pathToFileURL(file).href);
        await page.waitForFunction(
          () => Number(document.querySelector<HTMLElement>('.timeline')?.dataset.generation ?? 0) >= 1,
          undefined,
          { timeout: patience(20_000) },
        );
        await page.waitForTimeout(300);
        const bubble = share(analysis.pipelines[0].run?.report.bubble.makespan ?? 0);
        assert((await page.locator('body').innerText()).includes(bubble), bubble);
        assert.equal(await page.title(), evil);
        assert.equal(await page.locator('input[type=range], vscode-slider, .slider').count(), 0);
        const box = await page.locator('.timeline').boundingBox();
        assert(box !== null);
        // Blocks have colour: not one colour all over.
        const shot = await page.screenshot({ path: process.env['PIPEWRIGHT_SHOT'] });
        assert(shot.length > 10_000);
        await page.locator('.timeline').focus();
        await page.keyboard.press('ArrowRight');
        await page.waitForTimeout(100);
        assert.match(await page.locator('body').innerText(), /Forward|forward|0F0/);
        assert.deepEqual(
          requests.filter((url) => !url.startsWith('blob:')),
          [pathToFileURL(file).href],
        );
        assert.deepEqual(problems, []);
      } finally {
        await page.close();
        folder.remove();
      }
    },
  },
  {
    name: 'an exported page is light or dark as the system is, changes with it, and is clean for axe-core at every width',
    async run({ chromium }) {
      const { message } = example('quickstart');
      const sources = { script: await pageScript(), style: await pageStyle(), hash };
      const folder = tempFolder('pipewright-page-');
      const file = path.join(folder.path, 'page.html');
      writeFileSync(file, standaloneHtml(sources, { message }));
      const brightness = async (page: Page, x: number, y: number): Promise<number> =>
        (await pixelOf(page, x, y)).reduce((sum, part) => sum + part, 0);
      try {
        for (const colorScheme of ['light', 'dark'] as const) {
          const page = await chromium.newPage({ colorScheme, reducedMotion: 'reduce' });
          await page.goto(pathToFileURL(file).href);
          await page.locator('.timeline[data-generation]').waitFor();
          for (const width of [420, 700, 1400]) {
            await page.setViewportSize({ width, height: 760 });
            await page.emulateMedia({ colorScheme });
            await settled(page);
            const name = `${colorScheme} ${width}`;
            // The page, and the canvas between two rows.
            const between = await page.locator('.timeline').boundingBox();
            assert(between !== null);
            const points = [
              [width / 2, 4],
              [between.x + between.width - 3, between.y + 3],
            ] as const;
            for (const [x, y] of points)
              assert.equal((await brightness(page, x, y)) > 380, colorScheme === 'light', `${name} at ${x}, ${y}`);
            await page.locator('[role=gridcell][tabindex="0"]').focus();
            for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
            await settled(page);
            // Names, roles and structure are the same in both.
            const rules = colorScheme === 'light' ? undefined : colourRules;
            assert.deepEqual(await axe(page, rules), [], name);
            assert.equal(await page.locator('.detail .link:visible').count(), 0, 'there is no text to go to');
            await shot(page, `export-${colorScheme}-${width}`);
            for (const opener of ['.figure.bubble', '.legend-button', 'header .icon[aria-label=More]']) {
              await page.locator(opener).click();
              assert.deepEqual(await axe(page, rules), [], `${name} ${opener}`);
              await shot(page, `export-${colorScheme}-${width}-${opener.replaceAll(/[^a-z]/gi, '')}`);
              await page.keyboard.press('Escape');
            }
            await page.emulateMedia({ colorScheme: colorScheme === 'light' ? 'dark' : 'light' });
            for (const [x, y] of points) {
              // The canvas is drawn anew when the browser gets to it.
              let isLight = colorScheme === 'light';
              for (let look = 0; look < 300 && isLight !== (colorScheme === 'dark'); look += 1) {
                await settled(page);
                isLight = (await brightness(page, x, y)) > 380;
              }
              assert.equal(isLight, colorScheme === 'dark', `${name}, turned, at ${x}, ${y}`);
            }
          }
          await page.close();
        }
      } finally {
        folder.remove();
      }
    },
  },
];
