/** What every journey does with the editor: files, their text, the lightbulb, and the preview next to them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { Workbench } from '../../host/workbench.ts';
import { eventually } from '../eventually.ts';

export interface Desk extends Workbench {
  /** Folder that is open in the editor. */
  readonly folder: string;
  /** Squiggles of errors in the text. */
  readonly squiggle: Locator;
  /** Opens a file, and the preview to its side. */
  openWithPreview(file: string): Promise<void>;
  openPreview(): Promise<void>;
  /** Waits for a timeline of the text. */
  drawn(): Promise<void>;
  /** The figures above the timeline in one line. */
  figures(): Promise<string>;
  /** Waits until the figures hold this text. */
  shows(text: string): Promise<void>;
  /** Replaces the last characters before the end of the first line that holds `line`. */
  retype(line: string, characters: number, text: string): Promise<void>;
  /** Opens the quick fixes at the cursor. */
  quickFixes(): Promise<Locator>;
  /** Saves the active file and reads it. */
  saved(file: string): Promise<string>;
  /** The text with the focus, its last change undone. */
  undo(): Promise<void>;
  /** Closes everything, changed or not. */
  clear(): Promise<void>;
}

export function deskOf(workbench: Workbench, folder: string): Desk {
  const { page, preview } = workbench;
  const figures = async () => (await preview.locator('.statistics').innerText()).replaceAll(/\s+/g, ' ');
  const focusText = () =>
    page
      .locator('.monaco-editor:visible .view-lines')
      .first()
      .click({ position: { x: 300, y: 8 }, timeout: 5_000 })
      // Its first line may have been scrolled out of view.
      .catch(() => workbench.command('View: Focus First Editor Group'));
  const desk: Desk = {
    ...workbench,
    folder,
    squiggle: page.locator('.squiggly-error'),
    async openWithPreview(file) {
      await workbench.find(file);
      await desk.openPreview();
    },
    async openPreview() {
      await page.locator('.editor-actions a[aria-label*="Open Preview to the Side"]').first().click();
      await preview.locator('header').waitFor();
    },
    drawn: () => preview.locator('.timeline[data-generation]').and(preview.locator(':visible')).waitFor(),
    figures,
    shows: (text) => eventually(`the figures show ${text}`, async () => (await figures()).includes(text)),
    async retype(line, characters, text) {
      await workbench.goToEndOf(line);
      for (let index = 0; index < characters; index += 1) await page.keyboard.press('Backspace');
      await page.keyboard.type(text);
      await page.keyboard.press('Escape');
    },
    async saved(file) {
      await focusText();
      await page.keyboard.press('Control+S');
      await page.locator('.tab.dirty').waitFor({ state: 'detached' });
      const read = () => readFileSync(path.join(folder, file), 'utf8');
      // The editor empties a file before it writes it anew.
      for (let tries = 0; tries < 20 && read() === ''; tries += 1) await page.waitForTimeout(100);
      return read();
    },
    async undo() {
      await focusText();
      await page.keyboard.press('Control+Z');
    },
    async clear() {
      await page.keyboard.press('Escape');
      if (await page.locator('.part.panel').isVisible()) await page.keyboard.press('Control+J');
      await workbench.command('File: Save All Files');
      const tab = page.locator('.tab').first();
      const question = page.locator('.monaco-dialog-box');
      // On a busy machine a file is saved later, and an editor that closes before that asks what to do.
      await page
        .locator('.tab.dirty')
        .first()
        .waitFor({ state: 'detached', timeout: 10_000 })
        .catch(() => undefined);
      await workbench.command('View: Close All Editors');
      await tab
        .or(question)
        .first()
        .waitFor({ state: 'detached', timeout: 10_000 })
        .catch(() => undefined);
      if (await question.isVisible()) await question.getByRole('button', { name: /^Don.t Save/ }).click();
      await tab.waitFor({ state: 'detached' });
    },
  };
  return desk;
}
