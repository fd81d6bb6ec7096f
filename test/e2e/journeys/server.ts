import { execFileSync } from 'node:child_process';
import { eventually } from '../eventually.ts';
import type { Desk } from './desk.ts';
import type { Journey } from './journey.ts';

/** The language server ends again and again: the editor and the page say so, and Restart brings both back. */
export const server: Journey = {
  name: 'server: after five ends the message and the page say so, and Restart brings it back',
  files: { 'server.pipe': 'quickstart.pipe' },
  async run(desk) {
    const { page, preview } = desk;
    await desk.openWithPreview('server.pipe');
    await desk.drawn();
    let ended = 0;
    for (let count = 1; count <= 5; count += 1) {
      await eventually(`server ${count} runs`, () => (serverOf(desk) ?? ended) !== ended);
      ended = serverOf(desk) ?? 0;
      process.kill(ended, 'SIGKILL');
    }
    await preview.locator('.message', { hasText: 'The language server has stopped.' }).waitFor();
    // The editor takes a message away after some seconds; its list keeps it.
    await desk.command('Notifications: Show Notifications');
    await page.locator('.notification-list-item', { hasText: 'language server has stopped' }).first().waitFor();
    await desk.shot('journey-server-1-stopped');
    await desk.command('Notifications: Hide Notifications');
    await preview.getByRole('button', { name: 'Restart' }).click();
    await desk.drawn();
    await desk.shows('264.2 ms');
    await desk.goToEndOf('model toy');
    await page.locator('.statusbar-item', { hasText: 'Pipewright' }).locator('.codicon-check').waitFor();
    await desk.shot('journey-server-2-restarted');
  },
};

/** Process of the language server of this editor. */
function serverOf({ profile }: Desk): number | undefined {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const line = lines.find((text) => text.includes(profile) && /dist\/server\.js/.test(text));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}
