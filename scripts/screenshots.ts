/** Pictures for the documentation, taken of the real editor on `examples/`: `docs/images/`. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openWorkbench } from '../test/host/workbench.ts';
import { build, root } from './build.ts';
import { pack, vsix } from './package.ts';

const images = path.join(root, 'docs', 'images');
const settings = {
  'workbench.colorTheme': 'Dark Modern',
  'editor.minimap.enabled': false,
  'editor.fontSize': 13,
  'workbench.layoutControl.enabled': false,
};

await build();
await pack();
mkdirSync(images, { recursive: true });
const workbench = await openWorkbench({
  vsix,
  folder: path.join(root, 'examples'),
  settings,
  viewport: { width: 1600, height: 960 },
});
const { page, preview } = workbench;
try {
  await workbench.openFile('quickstart.pipe');
  await page.locator('.codelens-decoration', { hasText: 'iteration' }).waitFor();
  await page.locator('.editor-actions a[aria-label*="Open Preview to the Side"]').first().click();
  const stage = preview.locator('.timeline[data-generation]');
  await stage.waitFor();
  await preview.locator('.statistics').getByText('ms').first().waitFor();
  const shot = async (name: string, whole: boolean): Promise<void> => {
    await page.mouse.move(2, 300);
    // Overlays fade for a fifth of a second after the pointer has left.
    await delay(1000);
    const target = whole ? page : page.locator('.editor-group-container').last();
    await target.screenshot({ path: path.join(images, `${name}.png`), animations: 'disabled' });
    console.log(path.join('docs', 'images', `${name}.png`));
  };
  await workbench.goToEndOf('pipeline train');
  await shot('editor', true);
  await workbench.command('View: Close Primary Side Bar').catch(() => page.keyboard.press('Escape'));
  await shot('preview', false);
  for (const [theme, name] of [
    ['Light Modern', 'preview-light'],
    ['Dark High Contrast', 'preview-high-contrast'],
    ['Light High Contrast', 'preview-high-contrast-light'],
  ] as const) {
    await workbench.theme(theme);
    await shot(name, false);
  }
  await workbench.theme('Dark Modern');
  await workbench.command('View: Close All Editors');
  await workbench.find('dualpipe.pipe');
  await page.locator('.codelens-decoration', { hasText: 'iteration' }).first().waitFor();
  await page.locator('.editor-actions a[aria-label*="Open Preview to the Side"]').first().click();
  await preview.locator('.policy', { hasText: 'dualpipe' }).waitFor();
  await stage.waitFor();
  await shot('preview-dualpipe', false);
  await workbench.command('View: Close All Editors');
  await workbench.find('long-context.pipe');
  await page.locator('.codelens-decoration', { hasText: 'iteration' }).first().waitFor();
  await page.locator('.editor-actions a[aria-label*="Open Preview to the Side"]').first().click();
  await preview.locator('.policy', { hasText: 'interleaved_1f1b' }).waitFor();
  await stage.waitFor();
  // The name of the first device.
  await stage.click({ position: { x: 40, y: 85 } });
  await preview.getByRole('button', { name: 'Open the details' }).click();
  await shot('preview-device', false);
} finally {
  await workbench.close();
}
