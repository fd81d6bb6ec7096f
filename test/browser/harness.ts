import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import type { FromPage, ToPage } from '../../webview/protocol/messages.ts';
import { nodePath } from './build.ts';
import { startChromium } from './chromium.ts';
import { type PagePool, pagePool } from './pagePool.ts';
import { type Colour, pixelOf, pixelsOf, type Point } from './pixels.ts';
import { servePage } from './pageServer.ts';
import { type ThemeClass, themeColours, themes } from './themeColours.ts';
import { patience } from '../host/patience.ts';

const shots = new URL('../../out/shots/', import.meta.url).pathname;

/** A picture for people, if `SHOTS` asks for some: no test reads it. */
export async function shot(page: Page, name: string): Promise<void> {
  if (process.env['SHOTS'] !== undefined) await page.screenshot({ path: `${shots}${name}.png` });
}

export interface Preview {
  readonly page: Page;
  post(message: ToPage): Promise<void>;
  /** Waits until a run newer than the last one that was waited for is drawn. */
  drawn(generation?: number): Promise<void>;
  posted(): Promise<FromPage[]>;
  /** What broke the security policy, and errors that nothing caught. */
  readonly problems: string[];
  /** The reader makes the page wider, lower, or what else. */
  resize(width: number, height: number): Promise<void>;
  /** The editor changes its theme while the page is open. `repainted`: waits until the timeline has the new colours. */
  setTheme(theme: ThemeClass, repainted?: boolean): Promise<void>;
  /** Colour of a pixel of the page, as shown. */
  pixel(x: number, y: number): Promise<Colour>;
  /** Of several at one moment: each picture costs as much as a whole page. */
  pixels(points: readonly Point[]): Promise<readonly Colour[]>;
  /** A picture in `out/shots` for people, if `SHOTS` asks for some. */
  shot(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly theme?: ThemeClass;
  readonly scale?: number;
  readonly width?: number;
  readonly height?: number;
  readonly state?: unknown;
  readonly reducedMotion?: boolean;
  readonly forcedColors?: boolean;
  /** Runs in the page before its own script. */
  readonly before?: () => void;
  readonly colours?: Readonly<Record<string, string>>;
}

function variablesOf(theme: ThemeClass): Readonly<Record<string, string>> {
  const colours = Object.entries(themeColours[theme]).map(([name, colour]) => [`--vscode-${name}`, colour]);
  return { ...Object.fromEntries(colours), '--vscode-font-family': 'DejaVu Sans, sans-serif' };
}

/**
 * A browser with the page's files behind an address of their own. `executablePath`: another one than tests take; `args`: what it is
 * started with beside the rest.
 */
export async function launch(
  executablePath?: string,
  args: readonly string[] = [],
): Promise<{
  readonly chromium: Browser;
  open(options?: OpenOptions): Promise<Preview>;
  close(): Promise<void>;
}> {
  const server = await servePage();
  const chromium = await startChromium(args, executablePath);
  const pool = pagePool(chromium, server.nothing);
  return {
    chromium,
    open: (options = {}) => open(pool, server.preview, options),
    async close() {
      server.close();
      await chromium.close();
    },
  };
}

async function open(pool: PagePool, address: string, options: OpenOptions): Promise<Preview> {
  const { theme = 'vscode-dark', scale = 1, width = 1320, height = 860 } = options;
  const { reducedMotion = false, forcedColors = false } = options;
  const page = await pool.take({ scale, width, height, reducedMotion, forcedColors });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy|content-security-policy/i.test(message.text()))
      problems.push(message.text());
  });
  const variables = { ...variablesOf(theme), ...options.colours };
  const editor = await page.addInitScript(
    ({ state, properties }) => {
      const scope = globalThis as unknown as {
        posted: unknown[];
        kept: unknown;
        violations: string[];
        acquireVsCodeApi: unknown;
      };
      scope.posted = [];
      scope.kept = state;
      scope.violations = [];
      document.addEventListener('securitypolicyviolation', (event) =>
        scope.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
      );
      scope.acquireVsCodeApi = () => ({
        postMessage: (message: unknown) => scope.posted.push(structuredClone(message)),
        getState: () => scope.kept,
        setState: (value: unknown) => void (scope.kept = structuredClone(value)),
      });
      new MutationObserver((_, observer) => {
        if (document.documentElement === null) return;
        observer.disconnect();
        for (const [name, value] of Object.entries(properties)) document.documentElement.style.setProperty(name, value);
      }).observe(document, { childList: true });
    },
    { state: options.state, properties: variables },
  );
  const before = options.before === undefined ? undefined : await page.addInitScript(options.before);
  await page.goto(`${address}?theme=${theme}`);
  let last = 0;
  return {
    page,
    problems,
    post: (message) => page.evaluate((data) => window.postMessage(data, '*'), message),
    drawn: async (generation = last + 1) => {
      await page.waitForFunction(
        (wanted) => Number(document.querySelector<HTMLElement>('.timeline')?.dataset.generation ?? 0) >= wanted,
        generation,
        { timeout: patience(20_000) },
      );
      last = Number(await page.locator('.timeline').getAttribute('data-generation'));
      await settled(page);
    },
    posted: () => page.evaluate(() => (globalThis as unknown as { posted: FromPage[] }).posted),
    setTheme: async (next, wait = false) => {
      await page.evaluate(
        ([name, all, properties, awaited]) => {
          const timeline = document.querySelector<HTMLElement>('.timeline');
          const repainted = new Promise<void>((resolve) => {
            // A page without a timeline in sight has nothing to repaint.
            if (!awaited || timeline?.dataset.generation === undefined || timeline.getClientRects().length === 0)
              return resolve();
            const drawn = { attributes: true, attributeFilter: ['data-milliseconds'] };
            new MutationObserver(() => resolve()).observe(timeline, drawn);
          });
          document.body.classList.remove(...all);
          document.body.classList.add(name);
          // As the editor does: a colour that the new theme does not have is gone.
          const { style } = document.documentElement;
          for (const property of [...style]) if (property.startsWith('--vscode-')) style.removeProperty(property);
          for (const [property, value] of Object.entries(properties)) style.setProperty(property, value);
          // Buttons of the toolkit take their new colours in the next frame.
          const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
          return repainted.then(frame).then(frame);
        },
        [next, themes, { ...variablesOf(next), ...options.colours }, wait] as const,
      );
      if (wait) await settled(page);
    },
    resize: async (...[nextWidth, nextHeight]) => {
      await page.setViewportSize({ width: nextWidth, height: nextHeight });
      await settled(page);
    },
    pixel: (x, y) => pixelOf(page, x, y),
    pixels: (points) => pixelsOf(page, points),
    shot: (name) => shot(page, name),
    async close() {
      await Promise.all([editor.dispose(), before?.dispose()]);
      await pool.give(page);
    },
  };
}

/** Two frames without anything left to do. */
export const settled = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => resolve())), 60);
      }),
  );

const axeSource = readFileSync(nodePath('axe-core/axe.min.js'), 'utf8');
/** Rules whose verdict a theme can change. */
export const colourRules: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** What axe-core has to say against the page; `rules`: only these. */
export async function axe(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(async (only) => {
    const scope = globalThis as unknown as {
      axe: {
        run(
          options: unknown,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await scope.axe.run({
      resultTypes: ['violations'],
      selectors: false,
      ...(only === undefined ? {} : { runOnly: [...only] }),
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
    );
  }, rules);
}

export const violations = (page: Page): Promise<string[]> =>
  page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations);
