/** The playground as a reader opens it: from a file, and from a server of static files. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { budgets } from '../../scripts/budgets.ts';
import { buildPlayground, firstVisit } from '../../scripts/playground.ts';
import { patience } from '../host/patience.ts';
import { tempFolder } from '../host/tempFolder.ts';
import type { Browser, PageTest } from './check.ts';

const waits = { timeout: patience(30_000) };

let built: Promise<string> | undefined;
/** One build for all tests: it takes seconds. */
function playground(): Promise<string> {
  const build = async (): Promise<string> => {
    const folder = tempFolder('pipewright-playground-').path;
    mkdirSync(folder, { recursive: true });
    await buildPlayground(folder);
    return folder;
  };
  return (built ??= build());
}

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

async function served(folder: string): Promise<{ readonly address: string; close(): void }> {
  const server = createServer((request, response) => {
    const name = path.basename(new URL(request.url ?? '', 'http://localhost').pathname);
    try {
      const text = readFileSync(path.join(folder, name === '' ? 'index.html' : name));
      response.writeHead(200, {
        'content-type': `${types[name.split('.').at(-1) ?? ''] ?? 'text/html'}; charset=utf-8`,
      });
      response.end(text);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.html`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Opened {
  readonly page: Page;
  readonly problems: string[];
  readonly requests: string[];
}

async function open(
  { chromium }: Browser,
  address: string,
  options: Parameters<typeof chromium.newPage>[0] = {},
): Promise<Opened> {
  const page = await chromium.newPage({ viewport: { width: 1400, height: 860 }, ...options });
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (line) => {
    if (line.type() === 'error' || /Content Security Policy/i.test(line.text())) problems.push(line.text());
  });
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  return { page, problems, requests };
}

const timeline = (page: Page) => page.frameLocator('#preview').locator('.timeline');
const drawn = (page: Page): Promise<void> =>
  timeline(page).and(page.frameLocator('#preview').locator('[data-generation]')).waitFor(waits);
const caretLine = (page: Page): Promise<string> => page.locator('.cm-activeLine').innerText();

/** Replaces the text as a reader does. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  // Over a selection the browser writes a style for the new text, which the policy refuses.
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

const withDefect = (text: string): string => text.replace('devices      = box', 'devices      = bax');
const quickstart = (): string => readFileSync(new URL('../../examples/quickstart.pipe', import.meta.url), 'utf8');

/** What a reader does first, whatever the address begins with. */
async function visit(browser: Browser, address: string): Promise<void> {
  const { page, problems, requests } = await open(browser, address);
  try {
    await drawn(page);
    assert.match(await page.locator('.cm-content').innerText(), /Eight equal layers/);
    assert.match(await page.locator('#findings').innerText(), /line 23/);

    // A click on a block puts the caret on its line.
    const box = await timeline(page).boundingBox();
    assert(box !== null);
    await page.mouse.click(box.x + 110, box.y + 60);
    await page.waitForFunction(
      () =>
        /schedule|stages|forward|layer/.test(
          document.querySelector('#editor')?.shadowRoot?.querySelector('.cm-activeLine')?.textContent ?? '',
        ),
      undefined,
      waits,
    );

    // A mistake is found at its line, and its fix is applied.
    await write(page, withDefect(quickstart()));
    const finding = page.locator('.finding.error').first();
    await finding.waitFor(waits);
    assert.match(await finding.innerText(), /line 20[^]*bax/);
    await finding.click();
    assert.match(await caretLine(page), /devices\s+= bax/);
    const fix = page.locator('#findings .fix').first();
    await fix.waitFor(waits);
    assert.match(await fix.innerText(), /box/);
    await fix.click();
    await page.locator('.finding.error').waitFor({ state: 'detached', ...waits });
    assert.match(await page.locator('.cm-content').innerText(), /devices\s+= box/);

    // The link has the text.
    await page.locator('.cm-content').press('ControlOrMeta+End');
    await page.keyboard.insertText('// shared\n');
    await page.locator('#share').click();
    await page.waitForFunction(() => location.hash.startsWith('#1.'), undefined, waits);
    const link = page.url();
    await page.goto('about:blank');
    await page.goto(link);
    await drawn(page);
    assert.match(await page.locator('.cm-content').innerText(), /\/\/ shared/);
    assert.equal(await page.locator('#examples').inputValue(), '');

    const start = address.slice(0, address.lastIndexOf('/') + 1);
    assert.deepEqual(
      requests.filter(
        (url) =>
          !url.startsWith('blob:') && !url.startsWith('data:') && !url.startsWith(start) && url !== 'about:blank',
      ),
      [],
    );
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
  }
}

/** The caret in a row of a schedule marks the blocks that the row writes; anywhere else it takes the marks away. */
async function followCaret(browser: Browser, address: string): Promise<void> {
  const { page, problems } = await open(browser, `${address}#example=custom-schedule.pipe`);
  try {
    await drawn(page);
    const line = (text: string) => page.locator('.cm-line', { hasText: text }).first();
    const operations = page.frameLocator('#preview').locator('.status .operations');
    const plain = await operations.innerText();
    await line('row(d) = F').click();
    await waitFor(async () => (await operations.innerText()) !== plain);
    const marked = await timeline(page).screenshot();
    await line('forward         = 4ms').click();
    await waitFor(async () => (await operations.innerText()) === plain);
    assert(!marked.equals(await timeline(page).screenshot()), 'blocks of the row have no marks');
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
  }
}

/** The preview's key for it opens a list of formats in the page; what is chosen is a download. */
async function exportFiles(browser: Browser, address: string): Promise<void> {
  const { page, problems } = await open(browser, address);
  const exported = async (label: string): Promise<{ readonly name: string; readonly bytes: Buffer }> => {
    await timeline(page).click();
    await timeline(page).press('e');
    const dialog = page.locator('#chooser[open]');
    await dialog.waitFor(waits);
    assert.match(await dialog.innerText(), /Export Timeline/);
    const [download] = await Promise.all([
      page.waitForEvent('download', waits),
      dialog.getByRole('button', { name: label }).first().click(),
    ]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  try {
    await drawn(page);
    const svg = await exported('SVG, 7 in two columns');
    assert.match(svg.name, /^quickstart.*\.svg$/);
    assert.match(svg.bytes.toString(), /^<\?xml[^]*iteration 264\.2 ms[^]*<\/svg>\n$/);
    const png = await exported('PNG, 7 in 384 dpi');
    assert.match(png.name, /^quickstart.*\.png$/);
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
    // 7 in of 384 pixels.
    assert.equal(png.bytes.readUInt32BE(16), 2688);
    // A picture of one colour takes a thousandth of a byte for each of its points.
    assert(png.bytes.length > 30_000, `${png.bytes.length} bytes`);
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
  }
}

/** The preview's frame runs in the thread of the page: it may not come before the findings. */
async function findsFirst({ chromium }: Browser, address: string): Promise<void> {
  const page = await chromium.newPage();
  try {
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      const observer = new MutationObserver((changes) => {
        for (const { target } of changes) if (target instanceof HTMLElement && target.id !== '') seen.push(target.id);
      });
      observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['src'] });
    });
    await page.goto(address);
    await drawn(page);
    const seen = await page.evaluate(() => (globalThis as unknown as { readonly seen: readonly string[] }).seen);
    assert.deepEqual(seen.filter((id) => id === 'findings' || id === 'preview').slice(0, 2), ['findings', 'preview']);
  } finally {
    await page.close();
  }
}

async function waitFor(met: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + waits.timeout;
  while (!(await met())) {
    assert(Date.now() < end, 'it does not come');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const playgroundTests: readonly PageTest[] = [
  {
    name: 'playground: the first findings do not wait for the preview',
    run: async (browser) => findsFirst(browser, pathToFileURL(path.join(await playground(), 'index.html')).href),
  },
  {
    name: 'playground: a timeline is exported as SVG and as PNG',
    run: async (browser) => exportFiles(browser, pathToFileURL(path.join(await playground(), 'index.html')).href),
  },
  {
    name: 'playground: the caret in a row marks its blocks',
    run: async (browser) => followCaret(browser, pathToFileURL(path.join(await playground(), 'index.html')).href),
  },
  {
    name: 'playground: opened from a file, it finds, fixes, draws, follows a click and reads its own link',
    async run(browser) {
      await visit(browser, pathToFileURL(path.join(await playground(), 'index.html')).href);
    },
  },
  {
    name: 'playground: the same from a server',
    async run(browser) {
      const server = await served(await playground());
      try {
        await visit(browser, server.address);
      } finally {
        server.close();
      }
    },
  },
  {
    name: 'playground: a first visit loads no more than its budget',
    async run() {
      const size = firstVisit(await playground());
      assert(size <= budgets.playground, `${size} bytes`);
    },
  },
];
