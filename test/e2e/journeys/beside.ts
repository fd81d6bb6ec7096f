import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { patience } from '../../host/patience.ts';
import { eventually } from '../eventually.ts';
import type { Journey } from './journey.ts';

/** What has changed, and why is it slower? A version and another file come under the timeline, and edits of both are followed. */
export const beside: Journey = {
  name: 'side by side: a commit, then another file under the timeline, which follows its edits until it is deleted',
  files: { 'upper.pipe': 'quickstart.pipe', 'lower.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    const folder = path.join(desk.folder, 'history');
    const file = path.join(folder, 'upper.pipe');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    renameSync(path.join(desk.folder, 'upper.pipe'), file);
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com', ...args], { cwd: folder });
    git('init', '--quiet');
    const original = readFileSync(file, 'utf8');
    for (const [schedule, subject] of [
      ['gpipe', 'Run all forwards first'],
      ['1f1b', 'Alternate forwards and backwards'],
    ]) {
      writeFileSync(file, original.replace('schedule     = 1f1b', `schedule     = ${schedule}`));
      git('add', 'upper.pipe');
      git('commit', '--quiet', '-m', subject);
    }
    // With its folder: for a moment the editor still offers the place that the file had before.
    await desk.openWithPreview('history/upper.pipe');
    await desk.drawn();

    const list = page.locator('.quick-input-list .monaco-list-row');
    const lower = preview.locator('.beside-line').last();
    const sentence = preview.locator('.beside-sentence');
    // The editor finds the repository of a file a moment after it opens.
    await eventually('the commits are offered', async () => {
      await desk.ask('Pipewright: Compare Preview with…');
      await list.filter({ hasText: 'lower.pipe' }).waitFor({ timeout: patience(2_000) });
      if ((await list.filter({ hasText: 'Run all forwards first' }).count()) > 0) return true;
      await page.keyboard.press('Escape');
      return false;
    });
    await desk.shot('journey-beside-1-choice');
    await list.filter({ hasText: 'Run all forwards first' }).click();
    await sentence.filter({ hasText: /^commit [0-9a-f]{7}: train is .* than upper\.pipe: train/ }).waitFor();
    await lower.getByText('Run all forwards first').waitFor();
    await desk.shot('journey-beside-2-commit');

    await preview.getByRole('button', { name: 'Choose another …' }).click();
    await list.filter({ hasText: 'lower.pipe' }).click();
    await sentence.filter({ hasText: 'No operation differs' }).waitFor();
    // Its edits are followed, also while they are wrong.
    await desk.command('View: Focus First Editor Group');
    await desk.find('lower.pipe');
    await desk.retype('schedule     =', 4, 'gpip');
    await lower.getByText('Its last valid timeline stays.').waitFor();
    await page.keyboard.type('e');
    await sentence.filter({ hasText: /lower\.pipe: train is .* than upper\.pipe: train/ }).waitFor();
    await page.keyboard.press('Escape');
    await desk.shot('journey-beside-3-edited');
    await desk.saved('lower.pipe');
    await page.getByRole('treeitem', { name: 'lower.pipe' }).click();
    await page.keyboard.press('Delete');
    await lower.getByText('lower.pipe was renamed or deleted.').waitFor();
    await preview.getByRole('button', { name: 'Back to the timeline' }).click();
    await desk.drawn();
    rmSync(folder, { recursive: true });
  },
};
