import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { eventually } from '../eventually.ts';
import type { Desk } from './desk.ts';
import type { Journey } from './journey.ts';

/** The language server ends again and again: the editor and the page say so, and Restart brings both back. */
export const server: Journey = {
  name: 'server: after five ends the message and the page say so, and Restart in either brings both back',
  files: { 'server.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    const center = page.locator('.notifications-center');
    const notice = center.locator('.notification-list-item', { hasText: 'language server has stopped' });
    await desk.openWithPreview('server.pipe');
    await desk.drawn();
    await endOften(desk);
    await preview.locator('.message', { hasText: 'The language server has stopped.' }).waitFor();
    await desk.command('Notifications: Show Notifications');
    await notice.waitFor();
    await desk.shot('journey-server-1-stopped');
    await desk.command('Notifications: Hide Notifications');
    await desk.shot('journey-server-1-hidden');
    await preview.getByRole('button', { name: 'Restart' }).click();
    await desk.drawn();
    await desk.shows('264.2 ms');
    await desk.command('Notifications: Show Notifications');
    await page.waitForTimeout(500);
    assert.equal(await notice.count(), 0);
    await desk.shot('journey-server-2-restarted');

    // The ends of before are forgotten: the next one is answered with a start, and the limit counts anew.
    await endOften(desk);
    await preview.locator('.message', { hasText: 'The language server has stopped.' }).waitFor();
    await desk.command('Notifications: Show Notifications');
    await notice.locator('a', { hasText: 'Restart' }).click();
    await desk.drawn();
    await desk.shows('264.2 ms');
    await notice.waitFor({ state: 'detached' });

    const item = page.locator('.statusbar-item', { hasText: 'Pipewright' });
    await desk.goToEndOf('model toy');
    await item.locator('.codicon-check').waitFor();
    // The editor tells the extension a little later that the focus has left the preview.
    await eventually(
      'the item names no file while the text has the focus',
      async () => (await item.innerText()).trim() === 'Pipewright',
    );
    await page.locator('.tab', { hasText: 'Preview server.pipe' }).click();
    await eventually('the item names the file of the preview', async () =>
      (await item.innerText()).includes('Pipewright: server.pipe'),
    );
    await desk.shot('journey-server-3-item');
    await desk.find('notes.txt');
    await item.waitFor({ state: 'detached' });
  },
};

/** Five ends in a row: the last is not answered with another start. */
async function endOften(desk: Desk): Promise<void> {
  let ended = 0;
  for (let count = 1; count <= 5; count += 1) {
    await eventually(`server ${count} runs`, () => (serverOf(desk) ?? ended) !== ended);
    ended = serverOf(desk) ?? 0;
    process.kill(ended, 'SIGKILL');
  }
}

/** Process of the language server of this editor. */
function serverOf({ profile }: Desk): number | undefined {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const line = lines.find((text) => text.includes(profile) && /dist\/server\.js/.test(text));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}
