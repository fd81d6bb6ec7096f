/**
 * Gives the VS Code server in the package `code-server` the few modules that it needs. That package's own install script
 * wants a compiler, Kerberos headers and 400 MB more.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);

/** Native modules that are replaced: rotating log files (the log is the server's output), and a watchdog (the host polls its parent itself). */
const stubs: Readonly<Record<string, string>> = {
  '@vscode/spdlog': [
    'const nothing = () => {};',
    'const names = ["trace", "debug", "info", "warn", "error", "critical", "setLevel", "setPattern", "clearFormatters", "flush", "drop"];',
    'const logger = Object.fromEntries(names.map((name) => [name, nothing]));',
    'exports.setFlushOn = nothing;',
    'exports.createRotatingLogger = exports.createAsyncRotatingLogger = async () => logger;',
  ].join('\n'),
  '@vscode/native-watchdog': 'exports.start = () => {};',
  // The git extension asks for it when it copies working trees.
  '@vscode/fs-copyfile': 'exports.cloneFile = async () => { throw new Error("not here"); };',
};

/** Served to the browser out of the server's own `node_modules`, where npm does not put them. */
const linked = ['vscode-oniguruma', 'vscode-textmate'];

/** Built-in extensions that want accounts, the network, or modules that are not installed. */
const leftOut =
  /^(copilot|git|github|microsoft-authentication|tunnel-forwarding|ms-vscode\..*|mermaid-.*|typescript-language-features|simple-browser|terminal-suggest)$/;

export interface Prepared {
  readonly vscodeRoot: string;
  /** Folder of the built-in extensions to load. */
  readonly builtinDir: string;
}

/** May run any number of times. `git`: with the editor's own git extension. */
export function prepare(git = false): Prepared {
  const vscodeRoot = path.join(path.dirname(require.resolve('code-server/package.json')), 'lib', 'vscode');
  const modules = path.join(vscodeRoot, 'node_modules');
  for (const [name, code] of Object.entries(stubs)) {
    const folder = path.join(modules, name);
    if (existsSync(path.join(folder, 'package.json'))) continue;
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'index.js'), `${code}\n`);
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, version: '0.0.0', main: 'index.js' }));
  }
  for (const name of linked) link(path.dirname(require.resolve(`${name}/package.json`)), path.join(modules, name));
  const builtinDir = path.join(vscodeRoot, git ? 'extensions-with-git' : 'extensions-for-tests');
  mkdirSync(builtinDir, { recursive: true });
  for (const entry of readdirSync(path.join(vscodeRoot, 'extensions'), { withFileTypes: true })) {
    if (!entry.isDirectory() || (leftOut.test(entry.name) && !(git && entry.name === 'git'))) continue;
    link(path.join(vscodeRoot, 'extensions', entry.name), path.join(builtinDir, entry.name));
  }
  return { vscodeRoot, builtinDir };
}

function link(target: string, at: string): void {
  if (existsSync(at)) return;
  // What is left of a link to somewhere that is gone.
  rmSync(at, { force: true });
  mkdirSync(path.dirname(at), { recursive: true });
  try {
    symlinkSync(target, at, 'junction');
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(at)) throw error;
  }
}
