import type { Browser, Page } from 'playwright-core';
import { patience } from '../host/patience.ts';

/** How a page is shown, before anything is loaded. */
export interface Look {
  readonly scale: number;
  readonly width: number;
  readonly height: number;
  readonly reducedMotion: boolean;
  readonly forcedColors: boolean;
}

export interface PagePool {
  take(look: Look): Promise<Page>;
  /** The page is no longer needed. */
  give(page: Page): Promise<void>;
}

/** Pages of a browser, used again: a new one costs more than the start of the preview in it. `nothing`: address of an empty page. */
export function pagePool(browser: Browser, nothing: string): PagePool {
  const idle = new Map<number, Page[]>();
  const scales = new WeakMap<Page, number>();

  async function add(scale: number): Promise<Page> {
    const context = await browser.newContext({ deviceScaleFactor: scale });
    // Soon enough that a failure tells which step it was, before the test itself is given up.
    context.setDefaultTimeout(patience(15_000));
    const page = await context.newPage();
    await page.goto(nothing);
    scales.set(page, scale);
    return page;
  }

  return {
    async take({ scale, width, height, reducedMotion, forcedColors }) {
      const page = idle.get(scale)?.pop() ?? (await add(scale));
      await page.setViewportSize({ width, height });
      await page.emulateMedia({
        reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
        forcedColors: forcedColors ? 'active' : 'none',
      });
      return page;
    },
    async give(page) {
      page.removeAllListeners();
      // A new document: nothing of the one before is left to run, and no pointer rests on the next one.
      await page.goto(nothing);
      await page.mouse.move(-1, -1);
      const scale = scales.get(page) ?? 1;
      idle.set(scale, [...(idle.get(scale) ?? []), page]);
    },
  };
}
