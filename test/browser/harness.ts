import { mkdirSync, readFileSync } from 'node:fs';
import { type Browser, type Page, chromium } from 'playwright-core';
import { previewHtml } from '../../webview/protocol/page.ts';
import type { FromPage, ToPage } from '../../webview/protocol/messages.ts';
import { nodePath, pageScript, pageStyle } from './build.ts';
import { type ThemeClass, themeColours, themes } from './themeColours.ts';
import { patience } from '../host/patience.ts';

const origin = 'https://preview.test';
const shots = new URL('../../out/shots/', import.meta.url).pathname;

export interface Preview {
  readonly page: Page;
  post(message: ToPage): Promise<void>;
  /** Waits until a run newer than the last one that was waited for is drawn. */
  drawn(generation?: number): Promise<void>;
  posted(): Promise<FromPage[]>;
  /** What broke the security policy, and errors that nothing caught. */
  readonly problems: string[];
  /** The editor changes its theme while the page is open. `repainted`: waits until the timeline has the new colours. */
  setTheme(theme: ThemeClass, repainted?: boolean): Promise<void>;
  /** Colour of a pixel of the page, as shown. */
  pixel(x: number, y: number): Promise<readonly [number, number, number]>;
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

/** A browser with the page's files behind an address of their own; nothing reaches the network. */
export async function launch(): Promise<{ open(options?: OpenOptions): Promise<Preview>; close(): Promise<void> }> {
  const script = await pageScript();
  const style = await pageStyle();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--font-render-hinting=none'],
  });
  mkdirSync(shots, { recursive: true });
  return { open: (options = {}) => open(browser, script, style, options), close: () => browser.close() };
}

async function open(browser: Browser, script: string, style: string, options: OpenOptions): Promise<Preview> {
  const { theme = 'vscode-dark', scale = 1, width = 1320, height = 860 } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    reducedMotion: options.reducedMotion ? 'reduce' : 'no-preference',
    forcedColors: options.forcedColors ? 'active' : 'none',
  });
  // Soon enough that a failure tells which step it was, before the test itself is given up.
  context.setDefaultTimeout(patience(15_000));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy|content-security-policy/i.test(message.text()))
      problems.push(message.text());
  });
  const html = previewHtml({
    nonce: 'test-nonce',
    cspSource: origin,
    scriptUri: `${origin}/preview.js`,
    styleUri: `${origin}/preview.css`,
  });
  await page.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/preview.js') return route.fulfill({ contentType: 'text/javascript', body: script });
    if (pathname === '/preview.css') return route.fulfill({ contentType: 'text/css', body: style });
    if (pathname === '/')
      return route.fulfill({ contentType: 'text/html', body: html.replace('<body>', `<body class="${theme}">`) });
    return route.fulfill({ status: 404, body: '' });
  });
  const variables = { ...variablesOf(theme), ...options.colours };
  await page.addInitScript(
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
  if (options.before !== undefined) await page.addInitScript(options.before);
  await page.goto(`${origin}/`);
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
    pixel: (x, y) => pixelOf(page, x, y),
    shot: async (name) => {
      await page.screenshot({ path: `${shots}${name}.png` });
    },
    close: () => context.close(),
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
      ...(only === undefined ? {} : { runOnly: [...only] }),
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
    );
  }, rules);
}

export const violations = (page: Page): Promise<string[]> =>
  page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations);

/** Colour of a pixel of a page, as shown. */
export async function pixelOf(page: Page, x: number, y: number): Promise<readonly [number, number, number]> {
  const png = await page.screenshot({ clip: { x: Math.floor(x), y: Math.floor(y), width: 1, height: 1 } });
  return page.evaluate(async (base64) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]));
    const ink = new OffscreenCanvas(1, 1).getContext('2d');
    ink?.drawImage(image, 0, 0);
    const [red, green, blue] = ink?.getImageData(0, 0, 1, 1).data ?? [0, 0, 0];
    return [red, green, blue] as const;
  }, png.toString('base64'));
}
