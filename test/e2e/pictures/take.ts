/** Takes the pictures of the real editor for the documentation, `docs/images/editor*`: all of them, or those whose names are given. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { contactSheet } from '../../browser/contactSheet.ts';
import { build } from '../../../scripts/build.ts';
import { pack, vsix } from '../../../scripts/package.ts';
import { noteFigures } from '../../browser/pictureFigures.ts';
import { findChromium } from '../../host/browser.ts';
import { tempFolder } from '../../host/tempFolder.ts';
import { openWorkbench } from '../../host/workbench.ts';
import { deskOf } from '../journeys/desk.ts';
import { animation, type Frame } from './animation.ts';
import { editorFigures, type EditorScene, editorScenes } from './scenes.ts';

const root = path.join(import.meta.dirname, '../../..');
const settings = {
  'workbench.colorTheme': 'Dark Modern',
  'workbench.layoutControl.enabled': false,
  'editor.minimap.enabled': false,
  'editor.fontSize': 13,
};
/** A small window shows the text and little else, and no list opens until it is asked for. */
const small = {
  'workbench.activityBar.location': 'hidden',
  'workbench.statusBar.visible': false,
  'breadcrumbs.enabled': false,
  'editor.stickyScroll.enabled': false,
  'editor.fontSize': 12,
  'editor.scrollbar.vertical': 'hidden',
  'editor.overviewRulerLanes': 0,
  'editor.wordWrap': 'on',
  'editor.lightbulb.enabled': 'off',
  'editor.quickSuggestions': false,
  'editor.suggestOnTriggerCharacters': false,
};

async function take(scene: EditorScene): Promise<void> {
  const [width, height] = scene.size;
  const alone = tempFolder('pipewright-picture-');
  const folder = scene.folder === undefined ? path.join(alone.path, 'tutorial') : path.join(root, scene.folder);
  if (scene.folder === undefined) {
    mkdirSync(folder);
    writeFileSync(path.join(folder, scene.file), scene.text);
  }
  const workbench = await openWorkbench({
    executablePath: findChromium(),
    vsix,
    folder,
    settings: scene.folder === undefined ? { ...settings, ...small } : settings,
    viewport: { width, height },
  });
  try {
    if (scene.folder === undefined) await workbench.command('View: Toggle Primary Side Bar Visibility');
    const taken = await scene.take(deskOf(workbench, folder));
    const picture = await encoded(scene.name, taken, await workbench.page.context().newPage());
    writeFileSync(path.join(root, 'docs/images', scene.name), picture);
    console.log(`docs/images/${scene.name}`);
  } catch (error) {
    await workbench.failed(`picture-${scene.name}`);
    throw error;
  } finally {
    await workbench.close();
    alone.remove();
  }
}

/** In the format of the file's name; `page` has a canvas. */
async function encoded(name: string, taken: Buffer | readonly Frame[], page: Page): Promise<Buffer> {
  if (!Buffer.isBuffer(taken)) return animation(page, taken);
  return name.endsWith('.png') ? taken : contactSheet(page, [[taken]], 1, 0.8);
}

const names = process.argv.slice(2);
const chosen = editorScenes.filter(({ name }) => names.length === 0 || names.some((wanted) => name.includes(wanted)));
await build();
await pack();
for (const scene of chosen) await take(scene);
noteFigures(chosen.map((scene) => [scene.name, editorFigures(scene)]));
