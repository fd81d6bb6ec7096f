/**
 * Ends every process that works in or with a folder, and removes the folder, as soon as standard input ends: whatever ends the tests,
 * nothing of them stays. It runs in a group of its own.
 */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '../host/processesWith.ts';

const [folder = ''] = process.argv.slice(2);
if (folder === '') throw new Error('Name the folder.');

process.stdin.resume();
process.stdin.on('end', () => void clean());

async function clean(): Promise<void> {
  for (let found = processesWith(folder); found.length > 0; found = processesWith(folder)) {
    for (const { pid } of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    await sleep(50);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
