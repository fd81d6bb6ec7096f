import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../host/browser.ts';

const shell = '/usr/bin/chromium-headless-shell';

/** Chromium without its window, which takes a quarter less of the processors for the same pages; else the one of this machine. */
const findShell = (): string | undefined => {
  const chosen = process.env['CHROMIUM_PATH'] ?? process.env['CHROMIUM'];
  return chosen === undefined && existsSync(shell) ? shell : findChromium();
};

/** Starts the browser for tests of pages. Nothing in it reaches further than this machine. */
export function startChromium(args: readonly string[] = [], executablePath = findShell()): Promise<Browser> {
  if (executablePath === undefined) throw new Error('There is no Chromium here: install it, or set CHROMIUM_PATH.');
  return chromium.launch({
    executablePath,
    args: [
      // Roots of containers may not use the sandbox; only pages of our own are opened.
      '--no-sandbox',
      '--font-render-hinting=none',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ...args,
    ],
  });
}
