/** How long the server takes to start, against a Node that starts nothing, and the extension to activate. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { build, root } from '../../scripts/build.ts';
import { tempFolder } from '../../test/host/tempFolder.ts';
import { ms, type Row, type Table } from '../rows.ts';

const goals = { initialize: 2.5, findings: 4, activation: 100 };
const rounds = 9;
const uri = 'file:///project/quickstart.pipe';
const text = readFileSync(path.join(root, 'examples', 'quickstart.pipe'), 'utf8');

/** Milliseconds of CPU of a process's main thread: a busy machine does not stretch them as it stretches a clock. Linux only. */
const mainThread = ({ pid }: ChildProcessWithoutNullStreams): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

interface Start {
  readonly initialize: number;
  readonly findings: number;
}

export async function startTable(): Promise<Table> {
  await build();
  const cache = tempFolder('pipewright-start-');
  const bare = await least(bareNode);
  const rows: Row[] = [];
  const programs = [
    ['server.js --stdio', [path.join(root, 'dist', 'server.js'), '--stdio']],
    ['cli.js lsp', [path.join(root, 'dist', 'cli.js'), 'lsp']],
  ] as const;
  for (const [name, args] of programs) {
    const fresh = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
    const kept = { ...process.env, XDG_CACHE_HOME: cache.path };
    const first = await best(() => start(args, fresh));
    // A process that ends leaves its compiled code behind.
    spawnSync(process.execPath, [...args], { env: kept });
    const next = await best(() => start(args, kept));
    for (const what of ['initialize', 'findings'] as const) {
      const ratio = next[what] / bare;
      rows.push({
        cells: [`${name}: ${what}`, ms(first[what]), ms(next[what]), ratio.toFixed(1)],
        goal: { text: `≤ ${goals[what]}`, met: ratio <= goals[what] },
      });
    }
  }
  cache.remove();
  const activated = await least(activation);
  return {
    title: `Starts: CPU of the main thread (a Node that starts nothing: ${ms(bare)})`,
    head: ['', 'first start', 'next start', '× bare Node'],
    rows: [
      ...rows,
      {
        cells: ['activation of the extension', ms(activated), '', ''],
        goal: { text: `≤ ${goals.activation} ms`, met: activated <= goals.activation },
      },
    ],
  };
}

async function least(once: () => number | Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await once());
  return Math.min(...all);
}

async function best(once: () => Promise<Start>): Promise<Start> {
  const all: Start[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await once());
  return {
    initialize: Math.min(...all.map(({ initialize }) => initialize)),
    findings: Math.min(...all.map(({ findings }) => findings)),
  };
}

/** A module that says one word: what every program pays. */
function bareNode(): Promise<number> {
  const program = "process.stdout.write('here'); setInterval(() => {}, 1000);";
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  return new Promise((resolve) => {
    child.stdout.once('data', () => {
      resolve(mainThread(child));
      child.kill();
    });
  });
}

const activation = (): number =>
  Number(execFileSync(process.execPath, [path.join(import.meta.dirname, 'activation.ts')], { encoding: 'utf8' }));

/** To the answer to `initialize`, and to the first findings of a file. */
async function start(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Start> {
  const child = spawn(process.execPath, [...args], { env });
  const client = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  const found = new Promise<number>((resolve) => {
    client.onNotification(PublishDiagnosticsNotification.type, () => resolve(mainThread(child)));
  });
  client.listen();
  await client.sendRequest(InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
  const initialize = mainThread(child);
  await client.sendNotification(InitializedNotification.type, {});
  const textDocument = { uri, languageId: 'pipe', version: 1, text };
  await client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  const findings = await found;
  client.dispose();
  child.kill('SIGKILL');
  return { initialize, findings };
}
