import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createConnection,
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { burst } from '../../server/documents/documents.ts';
import { nodePlatform } from '../../platform/node/platform.ts';
import { startServer } from '../../server/server.ts';
import { percentile, threadMs } from '../measure.ts';
import { ms, type Row, type Table } from '../rows.ts';
import { uri } from '../workloads/analysis.ts';
import { longFile } from '../workloads/files.ts';

const strokes = 60;
const warmup = 20;
/** A person's strokes are at least this far apart: milliseconds. The server puts off the check of faster ones. */
const rest = burst + 10;
/** A burst is a held key, or a word typed ahead of the editor. */
const inBurst = { strokes: 10, apart: 10 };

/**
 * From the notification of an edit to the first diagnostics of that version, through the real server over streams in this process. Of a
 * burst, the last edit counts. Goals are for the CPU time of the server's thread, which a busy machine changes less than the time.
 */
export async function keystrokeTable(): Promise<Table> {
  const rows: Row[] = [];
  for (const { lines, devices, microbatches, goal } of [
    { lines: 200, devices: 16, microbatches: 128, goal: 10 },
    { lines: 1_000, devices: 64, microbatches: 512, goal: 30 },
    { lines: 10_000, devices: 128, microbatches: 1024, goal: 50 },
  ]) {
    const text = longFile(lines, { devices, microbatches, schedule: '1f1b' });
    const operations = (2 * devices * microbatches).toLocaleString('en-US');
    for (const edit of ['cost', 'comment'] as const)
      rows.push(await row([lines.toLocaleString('en-US'), operations], text, edit, goal));
    rows.push(await row([lines.toLocaleString('en-US'), operations], text, 'burst'));
  }
  const text = readFileSync(path.join(import.meta.dirname, '../../examples/schedules/interleaved.pipe'), 'utf8');
  for (const edit of ['cost', 'row'] as const) rows.push(await row(['interleaved.pipe', '32,768'], text, edit, 16));
  rows.push(await row(['interleaved.pipe', '32,768'], text, 'burst'));
  return {
    title: 'Key stroke → diagnostics',
    head: ['lines', 'operations', 'edit', 'first', 'p50', 'p95', 'thread p50', 'thread p95', 'CPU'],
    rows,
  };
}

async function row(cells: readonly string[], text: string, edit: Edit, goal?: number): Promise<Row> {
  const { first, times, own, cpu } = await type(text, edit);
  const figures = [times, own].flatMap((each) => [percentile(each, 0.5), percentile(each, 0.95)]);
  const p95 = percentile(own, 0.95);
  return {
    cells: [...cells, edit, ms(first), ...figures.map(ms), ms(cpu)],
    took: p95,
    ...(goal === undefined ? {} : { goal: { text: `thread p95 ≤ ${goal} ms`, met: p95 <= goal } }),
  };
}

type Edit = 'cost' | 'comment' | 'row' | 'burst';

/** What is written, and what each edit makes of it. */
const changes: Readonly<Record<Edit, { readonly written: string; readonly edited: (edit: number) => string }>> = {
  // One digit of a cost goes up and down, or a comment grows and shrinks by a letter.
  cost: inTurn('forward = ', 'forward = 1'),
  // Below the pipeline.
  comment: inTurn('bubble < 99% }\n', 'bubble < 99% }\n//a'),
  // Each row is new, because rows of an earlier text are not expanded again.
  row: { written: '2 * (devices - 1 - d)', edited: (edit) => `2 * (devices - 1 - d) + ${edit}` },
  // Costs, without a rest between them.
  burst: inTurn('forward = ', 'forward = 1'),
};

function inTurn(written: string, changed: string) {
  return { written, edited: (edit: number) => (edit % 2 === 0 ? written : changed) };
}

/**
 * Milliseconds until diagnostics: of the opened text, and of each edit. `own`: of these, CPU of the thread of server and client. `cpu`: of
 * all threads, for an edit or a whole burst.
 */
async function type(text: string, edit: Edit): Promise<{ first: number; times: number[]; own: number[]; cpu: number }> {
  const up = new PassThrough();
  const down = new PassThrough();
  const server = startServer(createConnection(new StreamMessageReader(up), new StreamMessageWriter(down)), {
    platform: nodePlatform,
    ahead: true,
  });
  const client = createProtocolConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  const waiting = new Map<number, () => void>();
  client.onNotification(PublishDiagnosticsNotification.type, ({ version }) => waiting.get(version ?? -1)?.());
  const published = (version: number) => new Promise<void>((done) => waiting.set(version, done));
  client.listen();
  await client.sendRequest(InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
  await client.sendNotification(InitializedNotification.type, {});

  const opened = published(1);
  const begun = performance.now();
  void client.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'pipe', version: 1, text },
  });
  await opened;
  const first = performance.now() - begun;

  const { written, edited } = changes[edit];
  const start = text.indexOf(written);
  let current = written;
  const times: number[] = [];
  const own: number[] = [];
  let version = 1;
  const send = (): void => {
    version += 1;
    const end = positionIn(text.slice(0, start) + current, start + current.length);
    current = edited(version - 1);
    const change = { range: { start: positionIn(text, start), end }, text: current };
    void client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges: [change],
    });
  };
  let used = process.cpuUsage();
  for (let stroke = 0; stroke < strokes + warmup; stroke += 1) {
    await sleep(rest);
    if (stroke === warmup) used = process.cpuUsage();
    for (let early = 1; edit === 'burst' && early < inBurst.strokes; early += 1) {
      send();
      await sleep(inBurst.apart);
    }
    const done = published(version + 1);
    const begin = performance.now();
    const ownBefore = process.threadCpuUsage();
    send();
    await done;
    if (stroke < warmup) continue;
    times.push(performance.now() - begin);
    own.push(threadMs(ownBefore));
  }
  const { user, system } = process.cpuUsage(used);
  client.dispose();
  server.dispose();
  return { first, times, own, cpu: (user + system) / 1000 / strokes };
}

function positionIn(text: string, offset: number) {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines[lines.length - 1].length };
}
