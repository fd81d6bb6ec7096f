import { spawn } from 'node:child_process';
import path from 'node:path';
import { node24, root } from './setup.mjs';

/** Runs a script of this folder under Node 24, with this process's arguments and terminal, and ends as it ends. */
export function run(script) {
  const bin = path.join(root, 'node_modules', '.bin');
  const child = spawn(node24(), [path.join(root, 'scripts', script), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` },
  });
  // A terminal sends Ctrl-C to both: this one waits for the other to clean up. What is sent to this one alone is passed on.
  process.on('SIGINT', () => {});
  for (const name of ['SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}
