/** The exported page, opened from a file as a reader opens it: without a server, an editor or a network. */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { share } from '../../engine/quantities.ts';
import { standaloneHtml } from '../../webview/protocol/standalone.ts';
import { tempFolder } from '../host/tempFolder.ts';
import { pageScript, pageStyle } from './build.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';
import { axe } from './harness.ts';

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64');

export const standaloneTests: readonly PageTest[] = [
  {
    name: 'an exported page opens from a file, draws and selects, asks for nothing, and axe-core finds nothing in it',
    async run() {
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
      const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox'],
      });
      try {
        const page = await browser.newPage({ viewport: { width: 1200, height: 760 } });
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
          { timeout: 20_000 },
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
        for (const width of [420, 1400]) {
          await page.setViewportSize({ width, height: 760 });
          assert.deepEqual(await axe(page), [], `${width} px`);
        }
        assert.deepEqual(
          requests.filter((url) => !url.startsWith('blob:')),
          [pathToFileURL(file).href],
        );
        assert.deepEqual(problems, []);
      } finally {
        await browser.close();
        folder.remove();
      }
    },
  },
];
