/** The real VS Code as a web server on this machine's loopback address. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { prepare } from './prepare.ts';
import { patience } from './patience.ts';

const require = createRequire(import.meta.url);
const startLimitMs = patience(60_000);
const stopLimitMs = 5_000;

export interface ServerOptions {
  /** Everything that the server writes goes under this folder. */
  readonly profile: string;
  /** User settings over the quiet ones below. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** A packaged extension to install first. */
  readonly vsix?: string;
  /** With the editor's own git extension. */
  readonly git?: boolean | undefined;
  /** Lets a test suite run in the extension host. */
  readonly testDriver?: boolean;
  readonly port?: number;
  readonly log?: (text: string) => void;
}

export interface RunningServer {
  readonly port: number;
  /** Settles when the server ends, for whatever reason. */
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

/** No tips, no accounts, no updates, no question of trust: what is open is what the caller put there. */
const quiet = {
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'security.workspace.trust.enabled': false,
  'git.enabled': false,
  'chat.disableAIFeatures': true,
  'window.menuBarVisibility': 'classic',
  // A cursor that blinks has the whole window drawn again, twice a second.
  'editor.cursorBlinking': 'solid',
  // On by default in the browser, and it would rewrite fixtures.
  'files.autoSave': 'off',
};

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const folders = {
    user: path.join(options.profile, 'user'),
    data: path.join(options.profile, 'server'),
    extensions: path.join(options.profile, 'extensions'),
    // Its sockets stay behind there, not in the system's folder.
    tmp: path.join(options.profile, 'tmp'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  const settings = path.join(folders.user, 'User', 'settings.json');
  if (!existsSync(settings)) {
    mkdirSync(path.dirname(settings), { recursive: true });
    writeFileSync(settings, JSON.stringify({ ...quiet, ...options.settings }, null, 2));
  }
  const { vscodeRoot, builtinDir } = prepare(options.git === true);
  const main = path.join(vscodeRoot, 'out', 'server-main.js');
  const env = { ...process.env, TMPDIR: folders.tmp, EXTENSIONS_GALLERY: '{"serviceUrl":""}', ...options.env };
  const common = [
    '--accept-server-license-terms',
    '--server-data-dir',
    folders.data,
    '--extensions-dir',
    folders.extensions,
  ];
  if (options.vsix !== undefined) await install(main, options.vsix, common, env);

  const args = [
    ...['--host', '127.0.0.1', '--port', String(options.port ?? 0), '--without-connection-token', ...common],
    ...['--telemetry-level', 'off', '--disable-telemetry', '--disable-experiments', '--disable-update-check'],
    ...['--disable-workspace-trust', '--disable-getting-started-override', '--user-data-dir', folders.user],
    ...['--builtin-extensions-dir', builtinDir],
    ...(options.testDriver ? ['--enable-smoke-test-driver'] : []),
  ];
  // A group of its own, so that Ctrl-C reaches this process first and it can end the server in order.
  const child = spawn(node24(), [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // already gone
    }
  };
  let output = '';
  const listening = new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      const text = chunk.toString();
      options.log?.(text);
      if (output.length < 100_000) output += text;
      const port = /Extension host agent listening on (\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve(Number(port));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The VS Code server ended with ${code}:\n${output}`)));
    setTimeout(() => reject(new Error(`The VS Code server did not start:\n${output}`)), startLimitMs).unref();
  });
  const stop = async (): Promise<void> => {
    signal('SIGTERM');
    const timer = setTimeout(() => signal('SIGKILL'), stopLimitMs);
    await exited;
    clearTimeout(timer);
    // The server does not always take its extension hosts with it.
    signal('SIGKILL');
  };
  try {
    return { port: await listening, exited, stop };
  } catch (error) {
    signal('SIGKILL');
    throw error;
  }
}

async function install(main: string, vsix: string, common: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { stdout, stderr } = await promisify(execFile)(node24(), [main, '--install-extension', vsix, ...common], {
    env,
  });
  if (!/successfully installed/i.test(stdout)) throw new Error(`${vsix} was not installed:\n${stdout}${stderr}`);
}

/** The server needs Node 24 exactly; npm brings it where there is a package for the platform. */
function node24(): string {
  try {
    const manifest = require.resolve(`node-${process.platform}-${process.arch}/package.json`);
    return path.join(path.dirname(manifest), 'bin', 'node');
  } catch {
    return process.execPath;
  }
}

export interface WorkbenchOptions {
  readonly folder?: string;
  readonly workspace?: string;
  /** Key and value pairs, as the desktop editor takes them on its command line. */
  readonly payload?: readonly (readonly [string, string])[];
}

/** Address of the editor, opened on a folder or workspace file. */
export function workbenchUrl(port: number, { folder, workspace, payload = [] }: WorkbenchOptions): string {
  const query = [
    ...(folder === undefined ? [] : [`folder=${encodeURI(folder)}`]),
    ...(workspace === undefined ? [] : [`workspace=${encodeURI(workspace)}`]),
    ...(payload.length === 0 ? [] : [`payload=${encodeURIComponent(JSON.stringify(payload))}`]),
  ];
  return `http://127.0.0.1:${port}/?${query.join('&')}`;
}

/** Uri of a file of the server's machine, as the editor in the browser calls it. */
export const remoteUri = (port: number, file: string): string =>
  `vscode-remote://127.0.0.1:${port}${encodeURI(path.resolve(file))}`;
