/** The picture of the real editor for the documentation, taken on `examples/`: `docs/images/editor.png`. */
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
  await workbench.goToEndOf('pipeline train');
  await page.mouse.move(2, 300);
  // Overlays fade for a fifth of a second after the pointer has left.
  await delay(1000);
  await page.screenshot({ path: path.join(images, 'editor.png'), animations: 'disabled' });
  console.log(path.join('docs', 'images', 'editor.png'));
} finally {
  await workbench.close();
}
