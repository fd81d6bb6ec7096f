/** The editor's window as a person uses it: keys, mouse, and what is on the screen. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
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
  /** Follows a link of the editor's scheme, as if it were clicked on a page. */
  openUrl(link: string): Promise<void>;
  /** Puts the cursor at the end of the first line that holds a text. */
  goToEndOf(text: string): Promise<void>;
  /** Number of the line that the cursor is in. */
  cursorLine(): Promise<number>;
  theme(name: string): Promise<void>;
  reload(): Promise<void>;
  shot(name: string): Promise<void>;
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
}

export async function openWorkbench({ vsix, folder, settings, git, viewport }: WorkbenchRequest): Promise<Workbench> {
  mkdirSync(shots, { recursive: true });
  const profile = tempFolder('pipewright-e2e-');
  const server = await startServer({ profile: profile.path, vsix, settings, git });
  const { browser, page } = await openBrowser(viewport ?? { width: 1400, height: 900 });
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
  const quickInput = page.locator('.quick-input-widget:visible input');
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
      await page.keyboard.press('Control+P');
      await quickInput.waitFor();
      await quickInput.fill(name);
      await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name }).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.tab.active', { hasText: name }).waitFor();
      await page.locator('.monaco-editor .view-line').first().waitFor();
    },
    async command(title) {
      await page.keyboard.press('F1');
      await quickInput.waitFor();
      await quickInput.fill(`>${title}`);
      await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title.split(': ').at(-1) }).waitFor();
      await page.keyboard.press('Enter');
      await quickInput.waitFor({ state: 'hidden' });
    },
    async openUrl(link) {
      await page.keyboard.press('F1');
      await quickInput.waitFor();
      await quickInput.fill('>Open URL');
      await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Open URL' }).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.quick-input-list .monaco-list-row').first().waitFor({ state: 'hidden' });
      await quickInput.fill(link);
      await page.keyboard.press('Enter');
    },
    async goToEndOf(text) {
      await page.locator('.view-line', { hasText: text }).first().click();
      await page.keyboard.press('End');
    },
    async cursorLine() {
      return Number(await page.locator('.line-numbers.active-line-number').first().innerText());
    },
    async theme(name) {
      await page.keyboard.press('Control+K');
      await page.keyboard.press('Control+T');
      await quickInput.waitFor();
      await quickInput.fill(name);
      await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name }).waitFor();
      await page.keyboard.press('Enter');
      await quickInput.waitFor({ state: 'hidden' });
    },
    async reload() {
      await page.reload();
      await started();
    },
    async shot(name) {
      await page.screenshot({ path: path.join(shots, `${name}.png`) });
    },
    close,
  };
  try {
    await page.goto(workbenchUrl(server.port, { folder, payload: [['skipWelcome', 'true']] }));
    await started();
    return workbench;
  } catch (error) {
    await workbench.shot('editor-did-not-start').catch(() => undefined);
    await close();
    throw error;
  }
}
