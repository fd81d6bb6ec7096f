/**
 * From built sources to the editor: what the engine says of an example, then the real VS Code with the extension installed,
 * opened on `examples/`.
 *
 * `--once`: do all that and end. `--desktop`: the desktop editor instead of the one in the browser. `--port N`: a port of one's
 * own choice. `--no-build`: take `dist/` as it is.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startServer, workbenchUrl, type RunningServer } from '../test/host/server.ts';
import { tempFolder } from '../test/host/tempFolder.ts';
import { build, root } from './build.ts';
import { pack, vsix } from './package.ts';

const { values: options } = parseArgs({
  options: {
    once: { type: 'boolean', default: false },
    desktop: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    port: { type: 'string', default: '0' },
  },
});
const examples = path.join(root, 'examples');

async function main(): Promise<void> {
  if (!options['no-build']) {
    say('Building …');
    await build();
    await pack();
  }
  simulate(path.join(examples, 'quickstart.pipe'));
  if (options.desktop) openDesktop();
  else await serve();
}

/** Findings, figures and timeline, as the command line gives them. Its exit status tells of findings, not of this script. */
function simulate(file: string): void {
  say(`pipewright simulate ${path.relative(root, file)}\n`);
  spawnSync(process.execPath, [path.join(root, 'dist', 'cli.js'), 'simulate', file], { stdio: 'inherit' });
}

function openDesktop(): void {
  const args = [`--extensionDevelopmentPath=${root}`, examples, path.join(examples, 'quickstart.pipe')];
  const { error } = spawnSync('code', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (error !== undefined) throw new Error('The command "code" of the desktop editor is not on the PATH.');
}

async function serve(): Promise<void> {
  const profile = tempFolder('pipewright-start-');
  let server: RunningServer | undefined;
  let ending = false;
  const end = async (status: number): Promise<void> => {
    if (ending) return;
    ending = true;
    await server?.stop();
    profile.remove();
    process.exit(status);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
  try {
    say('\nStarting the editor …');
    // The address names a file to open; a reload of the page brings back what else was open, too.
    const settings = { 'window.restoreWindows': 'preserve' };
    server = await startServer({ profile: profile.path, vsix, settings, port: Number(options.port) });
    const payload = [
      ['openFile', `vscode-remote://127.0.0.1:${server.port}${path.join(examples, 'quickstart.pipe')}`],
    ] as const;
    say(`\n  ${workbenchUrl(server.port, { folder: examples, payload })}\n`);
    if (options.once) return await end(0);
    say(
      'Open this address in a browser. The preview: the button at the top right of a .pipe file, or Ctrl+K V. Ctrl+C ends.',
    );
    const code = await server.exited;
    if (!ending) say(`The editor ended with ${code}.`);
    await end(1);
  } catch (error) {
    if (!ending) console.error(error instanceof Error ? error.message : error);
    await end(1);
  }
}

function say(text: string): void {
  console.log(text);
}

await main();
