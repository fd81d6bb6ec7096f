/** Journeys through the packaged extension in the real editor. Each begins with no editor open; `run.ts NAME` runs those whose name holds it. */
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from '../../host/browser.ts';
import { openWorkbench } from '../../host/workbench.ts';
import { tempFolder } from '../../host/tempFolder.ts';
import { runTests, test } from '../../support/plainTests.ts';
import { authoring } from './authoring.ts';
import { beginning } from './beginning.ts';
import { compare } from './compare.ts';
import { deadlock } from './deadlock.ts';
import { deskOf } from './desk.ts';
import { beside } from './beside.ts';
import { bubble } from './bubble.ts';
import { figure } from './figure.ts';
import type { Journey } from './journey.ts';
import { long } from './long.ts';
import { memory } from './memory.ts';
import { newFile } from './newFile.ts';
import { docked, maximised, narrow } from './places.ts';
import { quickFixes } from './quickFixes.ts';
import { order } from './order.ts';
import { planModel } from './planModel.ts';
import { plans } from './plans.ts';
import { reveal } from './reveal.ts';
import { rename } from './rename.ts';
import { segment } from './segment.ts';
import { server } from './server.ts';
import { tryFix } from './tryFix.ts';
import { patience } from '../../host/patience.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const [wanted = ''] = process.argv.slice(2);
const all = [
  ...[
    memory,
    bubble,
    tryFix,
    quickFixes,
    order,
    planModel,
    plans,
    deadlock,
    compare,
    newFile,
    beginning,
    figure,
    rename,
  ],
  ...[authoring, maximised, docked, narrow, reveal, long, segment, beside, server],
];
const journeys = all.filter(({ name }) => name.includes(wanted));

const folder = tempFolder('pipewright-journeys-');
/** The files of a journey as they are at its start. */
function lay({ files }: Journey): void {
  for (const [file, content] of Object.entries(files)) {
    const target = path.join(folder.path, file);
    if (content.endsWith('.pipe')) cpSync(path.join(root, 'examples', content), target);
    else writeFileSync(target, content);
  }
}
for (const journey of journeys) lay(journey);
// The explorer has something to show from the start.
writeFileSync(path.join(folder.path, 'notes.txt'), 'Files of journeys.\n');

const workbench = await openWorkbench({
  // Not all of them end in the headless shell.
  executablePath: findChromium(),
  vsix: path.join(root, 'dist', 'pipewright.vsix'),
  folder: folder.path,
  git: true,
  settings: {
    'workbench.colorTheme': 'Dark Modern',
    'editor.stickyScroll.enabled': false,
    'editor.minimap.enabled': false,
    'explorer.confirmDelete': false,
    'files.enableTrash': false,
    'git.enabled': true,
    'git.openRepositoryInParentFolders': 'never',
  },
});
const desk = deskOf(workbench, folder.path);
let begun = false;
for (const journey of journeys)
  test(journey.name, async () => {
    if (begun) await desk.clear();
    begun = true;
    try {
      await journey.run(desk);
    } catch (error) {
      // Windows of the editor come and go on a busy machine: a journey that fails twice in a row does not lead there.
      console.log(`once more: ${journey.name}\n${error instanceof Error ? error.message : String(error)}`);
      await desk.failed(`journey-once-${journey.name}`);
      await desk.clear();
      lay(journey);
      await desk.command('Pipewright: Restart Language Server');
      await journey.run(desk);
    }
  });

try {
  await runTests({
    // Both tries: a body that is given up would go on in the middle of the next journey.
    limitMs: patience(300_000),
    failed: (name) => desk.failed(`journey-failed-${name}`),
  });
} finally {
  await workbench.close();
  folder.remove();
}
