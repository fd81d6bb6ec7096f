import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExitNotification,
  FoldingRangeRequest,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { percentile } from '../measure.ts';
import { ms, type Row, type Table } from '../rows.ts';

const root = path.join(import.meta.dirname, '../..');
/** Milliseconds between two requests. */
const apart = 20;
/** Milliseconds without a publication after which the server is taken to be done, and at most. */
const quiet = 10_000;
const most = 120_000;

/** Options of a process that notes its turns. */
const withTurns = ['--import', pathToFileURL(path.join(import.meta.dirname, 'busyTurns.ts')).href];

/** A document that needs nothing, and is asked about all the time. */
const asked = 'file:///project/asked.pipe';

const several = [
  ...['cluster', 'custom-schedule', 'data-parallel', 'deepseek-v3', 'fsdp-only', 'gpt-175b', 'gpt-22b'],
  ...['llama3-70b', 'long-context', 'lora-ethernet', 'mixture-of-experts', 'nvlink-hops', 'offload'],
  ...['packed-sequences', 'planners', 'profile-vgg16', 'quickstart', 'search', 'vision-language'],
  'published/megatron_bridge',
].map((name) => `examples/${name}.pipe`);

/** A server at work, and what a person in another document feels of it. The server is a process that looks for everything ahead of requests. */
export async function busyTable(): Promise<Table> {
  const rows: Row[] = [];
  for (const [title, files] of [
    ['megatron_bridge.pipe', ['examples/published/megatron_bridge.pipe']],
    ['20 files', several],
  ] as const) {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'pipewright-busy-'));
    const busy = await opened(files, folder);
    const checked = cpuOfCheck(files, folder);
    rmSync(folder, { recursive: true });
    const [longest = 0] = busy.longest;
    const p95 = percentile(busy.times, 0.95);
    rows.push({
      cells: [
        title,
        ms(percentile(busy.times, 0.5)),
        ms(p95),
        ms(longest),
        `${busy.over}`,
        ...[busy.firsts, busy.last, busy.main, busy.all, checked].map((each) => `${(each / 1000).toFixed(1)} s`),
      ],
      goal: { text: 'p95 ≤ 20 ms', met: p95 <= 20 },
    });
  }
  return {
    title: 'Requests while files are worked on',
    head: [
      'opened',
      'p50',
      'p95',
      'longest piece',
      '> 8 ms',
      'all shown',
      'last shown',
      'main thread',
      'CPU',
      'check: CPU',
    ],
    rows,
  };
}

interface Busy {
  /** Milliseconds until the answer of each request. */
  readonly times: readonly number[];
  /** Milliseconds until each file has diagnostics, and until the last ones came. */
  readonly firsts: number;
  readonly last: number;
  /** Milliseconds of CPU of the longest pieces of work of the main thread, the longest first. */
  readonly longest: readonly number[];
  readonly over: number;
  readonly main: number;
  readonly all: number;
}

async function opened(files: readonly string[], folder: string): Promise<Busy> {
  const figures = path.join(folder, 'turns.json');
  const child = spawn(process.execPath, [...withTurns, path.join(root, 'platform/node/main.ts'), '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PIPEWRIGHT_TURNS: figures },
  });
  const client = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  const shown = new Map<string, number>();
  let last = 0;
  client.onNotification(PublishDiagnosticsNotification.type, ({ uri }) => {
    last = performance.now();
    if (!shown.has(uri)) shown.set(uri, last);
  });
  client.listen();
  const capabilities = { textDocument: { codeAction: {} } };
  await client.sendRequest(InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities });
  await client.sendNotification(InitializedNotification.type, {});
  const open = (uri: string, text: string) =>
    client.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'pipe', version: 1, text },
    });
  await open(asked, 'let a = 1\n');
  while (!shown.has(asked)) await sleep(apart);
  await sleep(1_000);
  // What the process needs to start is no delay of a request.
  child.kill('SIGUSR2');
  const begun = performance.now();
  last = begun;
  for (const file of files)
    void open(pathToFileURL(path.join(root, file)).href, readFileSync(path.join(root, file), 'utf8'));
  const times: number[] = [];
  const pending = new Set<Promise<void>>();
  const isBusy = (now: number): boolean => shown.size <= files.length || now < last + quiet;
  for (let now = begun; now < begun + most && isBusy(now); now = performance.now()) {
    const sent = performance.now();
    const answer = client
      .sendRequest(FoldingRangeRequest.type, { textDocument: { uri: asked } })
      .then(() => void times.push(performance.now() - sent))
      .finally(() => pending.delete(answer));
    pending.add(answer);
    await sleep(apart);
  }
  await Promise.all(pending);
  await ended(child, async () => {
    await client.sendRequest(ShutdownRequest.type);
    await client.sendNotification(ExitNotification.type);
  });
  return { ...figuresIn(figures), times, firsts: Math.max(...shown.values()) - begun, last: last - begun };
}

async function ended(child: ChildProcess, end: () => Promise<void>): Promise<void> {
  const gone = once(child, 'exit');
  await end();
  await gone;
}

/** Milliseconds of CPU of `pipewright check` of the same files. */
function cpuOfCheck(files: readonly string[], folder: string): number {
  const figures = path.join(folder, 'check.json');
  const env = { ...process.env, PIPEWRIGHT_TURNS: figures };
  spawnSync(process.execPath, [...withTurns, path.join(root, 'cli/main.ts'), 'check', ...files], { cwd: root, env });
  return figuresIn(figures).all;
}

type Figures = Pick<Busy, 'longest' | 'over' | 'main' | 'all'>;

const figuresIn = (file: string): Figures => JSON.parse(readFileSync(file, 'utf8')) as Figures;
