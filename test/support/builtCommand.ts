/** The command as it is shipped, made from the sources once for all tests of a worker: each start is three times as fast. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { threadId } from 'node:worker_threads';
import { buildCommand } from '../../scripts/build.ts';
import { commandFolder } from './commandFolder.ts';

let made: Promise<string> | undefined;

async function make(): Promise<string> {
  const folder = path.join(commandFolder, String(threadId));
  mkdirSync(folder, { recursive: true });
  await buildCommand(folder);
  return path.join(folder, 'dist');
}

/** Path of `cli.js` or `server.js`. */
export const builtCommand = async (name: 'cli.js' | 'server.js' = 'cli.js'): Promise<string> =>
  path.join(await (made ??= make()), name);
