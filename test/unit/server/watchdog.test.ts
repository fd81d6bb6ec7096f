/** A server that never comes back from a text ends with its client. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { looker } from '../../../platform/node/watchdog.ts';
import { patience } from '../../host/patience.ts';

test(
  'a server that is stuck ends once its client is gone',
  async () => {
    const client = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
    // A server that is not watched is ended by another signal.
    const server = spawn(
      process.execPath,
      [fileURLToPath(new URL('stuckServer.ts', import.meta.url)), String(client.pid)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: patience(60_000),
      },
    );
    await once(server.stdout, 'data');
    client.kill('SIGKILL');
    expect(await once(server, 'exit')).toEqual([null, 'SIGKILL']);
  },
  patience(90_000),
);

test('only a main thread that misses five beats is ended, and only without a client', () => {
  let [beats, lives, ended] = [0, true, 0];
  const look = looker(
    () => beats,
    () => lives,
    () => (ended += 1),
  );
  const looks = (times: number, isBeating: boolean): void => {
    for (let time = 0; time < times; time += 1) {
      if (isBeating) beats += 1;
      look();
    }
  };
  looks(20, false);
  expect(ended).toBe(0);
  lives = false;
  looks(20, true);
  expect(ended).toBe(0);
  looks(4, false);
  expect(ended).toBe(0);
  looks(1, false);
  expect(ended).toBe(1);
});
