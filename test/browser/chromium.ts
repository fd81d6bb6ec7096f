import { type Browser, chromium } from 'playwright-core';
import { findShell } from '../host/browser.ts';

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
