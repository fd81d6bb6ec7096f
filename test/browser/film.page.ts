/** An exported film in a page, as readers see it: an image. */
import { strict as assert } from 'node:assert';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { filmSvg } from '../../engine/drawing/filmSvg.ts';
import { startChromium } from './chromium.ts';
import { pixelOf } from './pixels.ts';
import { tempFolder } from '../host/tempFolder.ts';
import type { PageTest } from './check.ts';
import { example } from './example.ts';

/** Pictures of a second and a half, and the colour of the paper. */
async function seen(scheme: 'dark' | 'light', flags: readonly string[] = []) {
  const [{ plan, run }] = example('quickstart').analysis.pipelines;
  assert(run !== undefined);
  const folder = tempFolder('pipewright-film-');
  const svg = filmSvg(plan, run, { file: 'a.pipe', version: '1', width: '7in', playing: { seconds: 3 } });
  writeFileSync(path.join(folder.path, 'a.svg'), svg);
  const page = path.join(folder.path, 'a.html');
  writeFileSync(page, '<meta name="color-scheme" content="light dark"><body style="margin:0"><img src="a.svg">');
  const browser = await startChromium(flags);
  try {
    const shown = await browser.newPage({ viewport: { width: 672, height: 240 }, colorScheme: scheme });
    await shown.goto(pathToFileURL(page).href);
    const pictures: string[] = [];
    for (let shot = 0; shot < 5; shot += 1) {
      // A busy machine may have no frame to take yet.
      pictures.push((await shown.screenshot().catch(() => shown.screenshot())).toString('base64'));
      await shown.waitForTimeout(300);
    }
    return { different: new Set(pictures).size, paper: await pixelOf(shown, 1, 1) };
  } finally {
    await browser.close();
    folder.remove();
  }
}

export const filmTests: readonly PageTest[] = [
  {
    name: 'a film plays in an image of a page, on dark and on light paper',
    async run() {
      const light = await seen('light');
      assert(light.different >= 4, `${light.different} different pictures of 5`);
      assert.deepEqual(light.paper, [255, 255, 255]);
      const dark = await seen('dark');
      assert.deepEqual(dark.paper, [27, 31, 36]);
    },
  },
  {
    name: 'a film stands still for a reader who wants no motion',
    async run() {
      assert.equal((await seen('light', ['--force-prefers-reduced-motion'])).different, 1);
    },
  },
];
