/** The editor's window as a person uses it: keys, mouse, and what is on the screen. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { startServer, workbenchUrl } from './server.ts';
import { tempFolder } from './tempFolder.ts';
import { patience } from './patience.ts';

export interface Workbench {
  readonly page: Page;
  /** Folder of the editor's own files, extensions among them. */
  readonly profile: string;
  /** The page inside the preview's panel. */
  readonly preview: FrameLocator;
  /** Opens a file by a double click in the explorer. */
  openFile(name: string): Promise<void>;
  /** Opens a file of any folder by its name. */
  find(name: string): Promise<void>;
  /** Runs a command through the palette. */
  command(title: string): Promise<void>;
  /** Runs a command that asks something: its list or field takes the place of the palette's. */
  ask(title: string): Promise<void>;
  /** Follows a link of the editor's scheme, as if it were clicked on a page. */
  openUrl(link: string): Promise<void>;
  /** Puts the cursor at the end of the first line that holds a text. */
  goToEndOf(text: string): Promise<void>;
  /** Opens the list of what mends or changes the text at the cursor; gives its rows. */
  quickFixes(): Promise<Locator>;
  /** Number of the line that the cursor is in. */
  cursorLine(): Promise<number>;
  theme(name: string): Promise<void>;
  reload(): Promise<void>;
  /** A picture in `out/shots` for people, if `SHOTS` asks for some: no test reads it. */
  shot(name: string): Promise<void>;
  /** A picture of what went wrong, whether or not anybody asks. */
  failed(name: string): Promise<void>;
  close(): Promise<void>;
}

const shots = path.resolve(import.meta.dirname, '../../out/shots');

export interface WorkbenchRequest {
  readonly vsix: string;
  /** Folder to open. */
  readonly folder: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** With the editor's own git extension. */
  readonly git?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Another browser than tests take. */
  readonly executablePath?: string | undefined;
}

export async function openWorkbench(request: WorkbenchRequest): Promise<Workbench> {
  const { vsix, folder, settings, git, viewport, executablePath } = request;
  mkdirSync(shots, { recursive: true });
  const profile = tempFolder('pipewright-e2e-');
  const server = await startServer({ profile: profile.path, vsix, settings, git });
  const { browser, page } = await openBrowser(viewport ?? { width: 1400, height: 900 }, executablePath);
  page.setDefaultTimeout(patience(45_000));
  const close = async (): Promise<void> => {
    await browser.close();
    await server.stop();
    profile.remove();
  };
  const started = async (): Promise<void> => {
    await page.locator('.monaco-workbench').waitFor();
    await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  };
  const picture = async (name: string): Promise<void> => {
    await page.screenshot({ path: path.join(shots, `${name}.png`) });
  };
  const quickInput = page.locator('.quick-input-widget:visible input');
  /** Opens a list by its keys, narrows it down by a text, and takes the row that has the focus then. */
  const choose = async (keys: readonly string[], text: string, row: string): Promise<void> => {
    const focused = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: row });
    const isThere = async (): Promise<boolean> => {
      for (const key of keys) await page.keyboard.press(key);
      try {
        await quickInput.fill(text, { timeout: patience(2_000) });
        await focused.waitFor({ timeout: patience(5_000) });
        return true;
      } catch {
        return false;
      }
    };
    // A page that comes up just now takes the focus, which closes the list. Without one, Escape would close what the page shows.
    for (let tries = 0; tries < 3 && !(await isThere()); tries += 1)
      if (await quickInput.isVisible()) await page.keyboard.press('Escape');
    await focused.waitFor();
    await page.keyboard.press('Enter');
  };
  const workbench: Workbench = {
    page,
    profile: profile.path,
    preview: page.frameLocator('iframe.webview.ready').frameLocator('#active-frame'),
    async openFile(name) {
      await page.getByRole('treeitem', { name }).first().dblclick();
      await page.locator('.tab.active', { hasText: name }).waitFor();
      await page.locator('.monaco-editor .view-line').first().waitFor();
    },
    async find(name) {
      const shown = path.posix.basename(name);
      await choose(['Control+P'], name, shown);
      await page.locator('.tab.active', { hasText: shown }).waitFor();
      await page.locator('.monaco-editor .view-line').first().waitFor();
    },
    ask: (title) => choose(['F1'], `>${title}`, title.split(': ').at(-1) ?? title),
    async command(title) {
      await workbench.ask(title);
      await quickInput.waitFor({ state: 'hidden' });
    },
    async openUrl(link) {
      await workbench.ask('Open URL');
      await page.locator('.quick-input-list .monaco-list-row').first().waitFor({ state: 'hidden' });
      await quickInput.fill(link);
      await page.keyboard.press('Enter');
    },
    async goToEndOf(text) {
      await page.locator('.view-line', { hasText: text }).first().click();
      await page.keyboard.press('End');
    },
    async quickFixes() {
      const fixes = page.locator('.action-widget .monaco-list-row.action');
      // The editor looks for fixes a quarter of a second after a move of the cursor, and then forgets an earlier question.
      for (let tries = 0; tries < 4 && (await fixes.count()) === 0; tries += 1) {
        await page.waitForTimeout(600);
        await page.keyboard.press('Control+.');
        await fixes
          .first()
          .waitFor({ timeout: patience(1000) })
          .catch(() => undefined);
      }
      await fixes.first().waitFor();
      return fixes;
    },
    async cursorLine() {
      return Number(await page.locator('.line-numbers.active-line-number').first().innerText());
    },
    async theme(name) {
      await choose(['Control+K', 'Control+T'], name, name);
      await quickInput.waitFor({ state: 'hidden' });
    },
    async reload() {
      await page.reload();
      await started();
    },
    async shot(name) {
      if (process.env['SHOTS'] !== undefined) await picture(name);
    },
    failed: (name) => picture(name.replaceAll(/\W+/g, '-').slice(0, 60)),
    close,
  };
  try {
    await page.goto(workbenchUrl(server.port, { folder, payload: [['skipWelcome', 'true']] }));
    await started();
    return workbench;
  } catch (error) {
    await workbench.failed('editor-did-not-start').catch(() => undefined);
    await close();
    throw error;
  }
}
