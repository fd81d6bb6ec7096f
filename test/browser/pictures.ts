/**
 * Pictures of the preview's page for the documentation, in `docs/images/`: every scene at its size, and on one sheet at three widths in
 * four themes; every journey as `after-…`, beside the pictures `before-…` that stay. Arguments choose scenes and journeys by name. A scene that fails does not stop the others: all failures are listed at the end.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Browser } from './check.ts';
import { contactSheet } from './contactSheet.ts';
import { launch } from './harness.ts';
import { figuresOf, noteFigures } from './pictureFigures.ts';
import { type Journey, journeys } from './journeys.ts';
import { type ThemeClass, themes } from './themeColours.ts';
import { type Scene, scenes, visit } from './scenes.ts';
import { findChromium } from '../host/browser.ts';

const panels = [
  [420, 760],
  [700, 760],
  [1400, 800],
] as const;
/** Of a sheet, against the page. */
const scale = 0.5;
const quality = { page: 0.9, sheet: 0.62, journey: 0.75 } as const;
/** Of a journey, against the page: two of them stand side by side. */
const journeyScale = (width: number): number => (width > 1000 ? 0.5 : 0.6);
/** Scenes that are taken at the same time. */
const atOnce = 3;
const images = path.join(import.meta.dirname, '../../docs/images');

/** The scene in one size, in each of the themes. */
async function taken(
  browser: Browser,
  scene: Scene,
  [width, height]: readonly [number, number],
  wanted: readonly ThemeClass[],
): Promise<readonly Buffer[]> {
  const pictures: Buffer[] = [];
  await visit(browser, scene, { theme: wanted[0], width, height }, async (preview) => {
    await preview.page.mouse.move(2, 2);
    // What follows a change of the picture: announcements, figures that are simulated.
    await preview.page.waitForTimeout(400);
    for (const theme of wanted) {
      if (theme !== wanted[0]) await preview.setTheme(theme, true);
      pictures.push(await preview.page.screenshot());
    }
  });
  return pictures;
}

function write(name: string, bytes: Buffer): void {
  writeFileSync(path.join(images, name), bytes);
  console.log(path.join('docs', 'images', name));
}

async function journeyPicture(browser: Browser, darkroom: Page, journey: Journey): Promise<void> {
  const { name, theme, size } = journey;
  const [width, height] = size;
  await visit(browser, journey, { theme, width, height }, async ({ page }) => {
    await page.waitForTimeout(400);
    const sheet = await contactSheet(darkroom, [[await page.screenshot()]], journeyScale(width), quality.journey);
    write(`after-${name}.webp`, sheet);
  });
}

async function pictures(browser: Browser, darkroom: Page, scene: Scene): Promise<void> {
  const single = await taken(browser, scene, scene.size, ['vscode-dark']);
  write(`page-${scene.name}.webp`, await contactSheet(darkroom, [single], 1, quality.page));
  if (scene.light === true) {
    const light = await taken(browser, scene, scene.size, ['vscode-light']);
    write(`page-${scene.name}-light.webp`, await contactSheet(darkroom, [light], 1, quality.page));
  }
  if (scene.paper === true) return;
  const columns: (readonly Buffer[])[] = [];
  for (const size of panels) columns.push(await taken(browser, scene, size, themes));
  const rows = themes.map((_, row) => columns.map((column) => column[row]));
  write(`sheet-${scene.name}.webp`, await contactSheet(darkroom, rows, scale, quality.sheet));
}

/** Takes what is wanted, and lists what failed. */
async function takeAll(wanted: readonly (Scene | Journey)[]): Promise<readonly string[]> {
  const browser = await launch(findChromium());
  const failures: string[] = [];
  const done: (Scene | Journey)[] = [];
  const queue = [...wanted];
  try {
    const darkroom = await browser.chromium.newPage();
    const work = async (): Promise<void> => {
      for (let scene = queue.shift(); scene !== undefined; scene = queue.shift()) {
        try {
          if ('theme' in scene) await journeyPicture(browser, darkroom, scene);
          else await pictures(browser, darkroom, scene);
          done.push(scene);
        } catch (error) {
          failures.push(`${scene.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await browser.close();
    noteFigures(done.map(({ name, file }) => [name, figuresOf(file)]));
  }
  return failures;
}

mkdirSync(images, { recursive: true });
const names = process.argv.slice(2);
const all: readonly (Scene | Journey)[] = [...scenes, ...journeys];
const unknown = names.filter((name) => !all.some((scene) => scene.name === name));
const chosen = all.filter(({ name }) => names.length === 0 || names.includes(name));
const failures = [...unknown.map((name) => `${name}: there is no such scene`), ...(await takeAll(chosen))];
// Pictures of scenes that are gone.
if (names.length === 0)
  for (const file of readdirSync(images)) {
    const [, name] = /^(?:page|sheet)-(.+?)(?:-light)?\.webp$/.exec(file) ?? [];
    if (name !== undefined && !scenes.some((scene) => scene.name === name)) rmSync(path.join(images, file));
  }
for (const failure of failures) console.error(`✗ ${failure}`);
console.log(`${chosen.length - failures.length + unknown.length} scenes taken, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
