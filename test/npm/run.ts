/** `dist/pipewright.tgz` as a user gets it: installed with npm in an empty folder, without a network, and run with npx. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { tempFolder } from '../host/tempFolder.ts';
import { runTests, test } from '../support/plainTests.ts';
import { patience } from '../host/patience.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = tempFolder('pipewright-npm-');
const installed = path.join(folder.path, 'node_modules', 'pipewright');

/** As in a terminal outside the repository: the machine's own Node, and no settings of the npm that runs this test. */
const environment = Object.fromEntries(
  Object.entries({ ...process.env, NO_COLOR: '1' })
    .filter(([name]) => !/^(npm_|NODE_OPTIONS$|INIT_CWD$)/i.test(name))
    .map(([name, value]) => [
      name,
      name.toUpperCase() === 'PATH' ? value?.split(path.delimiter).filter(isOutside).join(path.delimiter) : value,
    ]),
);

function isOutside(directory: string): boolean {
  return !path.resolve(directory).startsWith(path.join(root, 'node_modules'));
}

function run(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder.path,
    env: environment,
    encoding: 'utf8',
    timeout: patience(60_000),
    shell: process.platform === 'win32',
  });
  return { status, out: stdout, err: stderr };
}
/** What npx starts, without npx: that takes three times as long as most of these calls. */
const program = path.join('node_modules', '.bin', 'pipewright');
const pipewright = (...args: readonly string[]) => run(program, ...args);

test('it installs offline, and brings nothing else', () => {
  writeFileSync(path.join(folder.path, 'package.json'), '{}');
  cpSync(path.join(root, 'dist', 'pipewright.tgz'), path.join(folder.path, 'pipewright.tgz'));
  for (const name of ['quickstart.pipe', 'broken.pipe', 'llama3-70b.pipe'])
    cpSync(path.join(root, 'examples', name), path.join(folder.path, name));
  const { status, err } = run('npm', 'install', '--offline', '--no-audit', '--no-fund', './pipewright.tgz');
  assert.equal(status, 0, err);
  const modules = readdirSync(path.join(folder.path, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(modules, ['pipewright']);
  assert.deepEqual(readdirSync(installed).toSorted(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist',
    'docs',
    'examples',
    'package.json',
  ]);
  const programs = readdirSync(path.join(installed, 'dist')).filter((name) => !/^shared-\w+\.js$/.test(name));
  assert.deepEqual(programs.toSorted(), [
    'DejaVuSans.LICENSE.txt',
    'DejaVuSans.ttf.br',
    'THIRD_PARTY_NOTICES.txt',
    'cli.js',
    'preview.css',
    'preview.js',
    'rasterThread.js',
    'resvg.wasm.br',
    'runThread.js',
    'thread.js',
    'watchdogThread.js',
  ]);
});

test('npx finds it, and --version is the version of the repository', () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const { status, out, err } = run('npx', '--offline', '--no', '--', 'pipewright', '--version');
  assert.equal(status, 0, err);
  assert.match(out, new RegExp(`\\b${version.replaceAll('.', '\\.')}\\b`));
});

test('check reports the mistakes of a file and exits with 1', () => {
  assert.equal(pipewright('check', 'quickstart.pipe').status, 0);
  const { status, out } = pipewright('check', 'broken.pipe');
  assert.equal(status, 1);
  assert.match(out, /broken\.pipe:\d+:\d+/);
  assert.match(out, /name\/unknown/);
});

test('explain prints the page of a diagnostic', () => {
  const page = readFileSync(path.join(root, 'docs', 'diagnostics', 'memory', 'out-of-memory.md'), 'utf8');
  const { status, out, err } = pipewright('explain', 'memory/out-of-memory');
  assert.equal(status, 0, err);
  assert.equal(out.trim(), page.trim());
});

test('simulate prints the figures of a file, also of one that imports the standard library', () => {
  const { status, out, err } = pipewright('simulate', 'quickstart.pipe');
  assert.equal(status, 0, err);
  assert.match(out, /264(\.\d+)? ms/);
  assert.match(readFileSync(path.join(folder.path, 'llama3-70b.pipe'), 'utf8'), /from "std:|import "std:/);
  const library = pipewright('simulate', 'llama3-70b.pipe');
  assert.equal(library.status, 0, library.err);
});

test('figures and pages are drawn with what is in the package', () => {
  const made = (format: string, name: string): Buffer => {
    const { status, err } = pipewright('simulate', 'quickstart.pipe', '--format', format, '--output', name);
    assert.equal(status, 0, err);
    return readFileSync(path.join(folder.path, name));
  };
  assert.match(made('svg', 'a.svg').toString(), /<\/svg>\n$/);
  assert.equal(made('png', 'a.png').subarray(1, 4).toString(), 'PNG');
  const page = made('html', 'a.html').toString();
  assert.match(page, /<\/html>\n$/);
  assert(page.length < 5_000_000);
});

test('lsp serves an editor, and ends when the editor says so', async () => {
  const child = spawn('npx', ['--offline', '--no', '--', 'pipewright', 'lsp', '--stdio'], {
    cwd: folder.path,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const uri = pathToFileURL(path.join(folder.path, 'broken.pipe')).href;
  const published = new Promise<readonly { readonly code?: string; readonly codeDescription?: { href: string } }[]>(
    (resolve) => {
      connection.onNotification('textDocument/publishDiagnostics', (found: { uri: string; diagnostics: never[] }) => {
        if (found.uri === uri) resolve(found.diagnostics);
      });
    },
  );
  connection.listen();
  await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  await connection.sendNotification('initialized', {});
  const text = readFileSync(path.join(folder.path, 'broken.pipe'), 'utf8');
  await connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'pipe', version: 1, text },
  });
  const diagnostics = await published;
  assert.ok(
    diagnostics.some(({ code }) => code === 'name/unknown'),
    JSON.stringify(diagnostics),
  );
  await connection.sendRequest('shutdown');
  await connection.sendNotification('exit');
  assert.equal(await ended, 0);
  connection.dispose();
});

try {
  await runTests({ chain: true });
} finally {
  folder.remove();
}
