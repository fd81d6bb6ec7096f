/**
 * Pictures of the preview's page for the documentation, in `docs/images/`: every scene at its own size, and on one sheet at three widths in
 * four themes. Arguments choose scenes by name.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Page, chromium } from 'playwright-core';
import { type ThemeClass, launch, themes } from './harness.ts';
import { type Scene, enter, scenes } from './scenes.ts';
import { findChromium } from '../host/browser.ts';

type Launched = Awaited<ReturnType<typeof launch>>;

const panels = [
  [420, 760],
  [700, 760],
  [1400, 800],
] as const;
/** Of the sheet, against the page. */
const scale = 0.5;

async function pictures(folder: string, wanted: readonly string[]): Promise<void> {
  const browser = await launch();
  const darkroom = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  const page = await darkroom.newPage();
  const write = (name: string, bytes: Buffer): void => {
    writeFileSync(path.join(folder, name), bytes);
    console.log(path.join('docs', 'images', name));
  };
  try {
    for (const scene of scenes.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      write(`page-${scene.name}.webp`, await webp(page, [[await picture(browser, scene, scene.size)]], 1, 0.92));
      const rows: Buffer[][] = [];
      for (const theme of themes) {
        const row: Buffer[] = [];
        for (const size of panels) row.push(await picture(browser, scene, size, theme));
        rows.push(row);
      }
      write(`sheet-${scene.name}.webp`, await webp(page, rows, scale, 0.8));
    }
  } finally {
    await darkroom.close();
    await browser.close();
  }
}

async function picture(
  browser: Launched,
  scene: Scene,
  [width, height]: readonly [number, number],
  theme: ThemeClass = 'vscode-dark',
): Promise<Buffer> {
  const preview = await browser.open({ theme, width, height, reducedMotion: true });
  const editor = await enter(preview, scene);
  try {
    await preview.page.mouse.move(2, 2);
    // What follows a change of the picture: announcements, figures that are simulated.
    await preview.page.waitForTimeout(400);
    return await preview.page.screenshot();
  } finally {
    editor.close();
    await preview.close();
  }
}

/** Rows of pictures in one WebP, a small gap between them. */
async function webp(
  page: Page,
  rows: readonly (readonly Buffer[])[],
  scaled: number,
  quality: number,
): Promise<Buffer> {
  const sources = rows.map((row) => row.map((bytes) => bytes.toString('base64')));
  const made = await page.evaluate(
    async ([pictures, factor, kept]) => {
      const decode = async (base64: string) =>
        createImageBitmap(new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]));
      const images = await Promise.all(pictures.map((row) => Promise.all(row.map(decode))));
      const gap = 8;
      const wide = (row: readonly ImageBitmap[]) =>
        row.reduce((sum, { width }) => sum + Math.round(width * factor) + gap, -gap);
      const tall = (row: readonly ImageBitmap[]) => Math.round(Math.max(...row.map(({ height }) => height)) * factor);
      const canvas = document.createElement('canvas');
      canvas.width = Math.max(...images.map(wide));
      canvas.height = images.reduce((sum, row) => sum + tall(row) + gap, -gap);
      const ink = canvas.getContext('2d');
      if (ink === null) throw new Error('no canvas');
      ink.fillStyle = '#808080';
      if (images.length > 1) ink.fillRect(0, 0, canvas.width, canvas.height);
      ink.imageSmoothingQuality = 'high';
      let y = 0;
      for (const row of images) {
        let x = 0;
        for (const image of row) {
          ink.drawImage(image, x, y, Math.round(image.width * factor), Math.round(image.height * factor));
          x += Math.round(image.width * factor) + gap;
        }
        y += tall(row) + gap;
      }
      return canvas.toDataURL('image/webp', kept);
    },
    [sources, scaled, quality] as const,
  );
  return Buffer.from(made.slice(made.indexOf(',') + 1), 'base64');
}

const images = path.join(import.meta.dirname, '../../docs/images');
mkdirSync(images, { recursive: true });
await pictures(images, process.argv.slice(2));
