import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const candidates = [
  process.env['CHROMIUM_PATH'],
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Path of a Chromium or Chrome of this machine; undefined where there is none. */
export const findChromium = (): string | undefined =>
  candidates.find((candidate) => candidate !== undefined && existsSync(candidate));

const shell = '/usr/bin/chromium-headless-shell';

/** Chromium without its window, which takes a quarter less of the processors for the same pages; else the one of this machine. */
export function findShell(): string | undefined {
  const chosen = process.env['CHROMIUM_PATH'] ?? process.env['CHROMIUM'];
  return chosen === undefined && existsSync(shell) ? shell : findChromium();
}

export interface OpenBrowser {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
}

/** `executablePath`: another one than tests take. */
export async function openBrowser(
  viewport = { width: 1280, height: 800 },
  executablePath = findShell(),
): Promise<OpenBrowser> {
  if (executablePath === undefined) throw new Error('There is no Chromium here: install it, or set CHROMIUM_PATH.');
  const args = [
    // Roots of containers may not use the sandbox; only pages of our own are opened.
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-dev-shm-usage',
  ];
  const browser = await chromium.launch({ executablePath, headless: true, args });
  const context = await browser.newContext({ viewport });
  return { browser, context, page: await context.newPage() };
}
