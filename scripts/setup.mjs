/** Installs what a fresh clone lacks. Plain JavaScript for any Node from 20 on: it runs before anything is installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');
const host = path.join(root, 'test', 'host');

/** A Node that runs TypeScript as it stands: that of npm's package, else this one where it is new enough. */
export function node24() {
  const bundled = path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  if (existsSync(bundled)) return bundled;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  fail(
    `Node ${process.versions.node} is too old and npm has no newer one for ${process.platform}-${process.arch}: install Node 24.`,
  );
}

/**
 * npm packages, and Debian's packages where `debian` names some. Says what it does, in one line each.
 * @param {{ debian?: readonly { command: string, files: readonly string[], packages: string, why: string }[] }} [needs]
 */
export function setup({ debian = [] } = {}) {
  for (const [folder, what] of [
    [root, 'the packages of package.json'],
    [host, 'the editor (test/host/package.json)'],
  ]) {
    if (upToDate(folder)) continue;
    console.log(`Installing ${what} …`);
    // The machine's own npm and Node: the newer ones come with this install.
    const result = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    if (result.status !== 0)
      fail(`npm ci failed in ${folder}:\n${result.stdout ?? ''}${result.stderr ?? ''}${result.error ?? ''}`);
  }
  for (const need of debian) {
    if (!need.files.some((file) => existsSync(file))) installDebian(need);
  }
}

/** Whether `node_modules` holds every package of the lock file, in its version; those of other platforms aside. */
function upToDate(folder) {
  try {
    const read = (file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')).packages;
    const installed = read('node_modules/.package-lock.json');
    return Object.entries(read('package-lock.json')).every(
      ([name, { version, optional }]) =>
        name === '' || installed[name]?.version === version || (optional && installed[name] === undefined),
    );
  } catch {
    return false;
  }
}

function installDebian({ command, packages, why }) {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const available = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  if (!available('apt-get', '--version') || (asRoot.length > 0 && !available('sudo', '-n', 'true'))) {
    console.error(`${command} is missing (${why}); install it, for example: sudo apt-get install ${packages}`);
    return;
  }
  console.log(`Installing ${packages} (${why}) …`);
  const apt = (...args) => {
    const [program, ...rest] = [...asRoot, 'apt-get', ...args];
    return spawnSync(program, rest, { encoding: 'utf8', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  const install = () => apt('install', '-y', '-qq', '--no-install-recommends', ...packages.split(' '));
  let result = install();
  if (result.status !== 0) {
    apt('update', '-qq');
    result = install();
  }
  if (result.status !== 0) console.error(`apt-get could not install ${packages}:\n${result.stderr}`);
}

/** @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}
