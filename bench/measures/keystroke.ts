import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
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
import { startServer } from '../../server/server.ts';
import { percentile } from '../measure.ts';
import { ms, type Table } from '../rows.ts';
import { uri } from '../workloads/analysis.ts';
import { longFile } from '../workloads/files.ts';

const strokes = 120;
const warmup = 20;

/** From the notification of an edit to the diagnostics of that version, through the real server over streams in this process. */
export async function keystrokeTable(): Promise<Table> {
  const rows = [];
  for (const { lines, devices, microbatches, goal } of [
    { lines: 200, devices: 16, microbatches: 128, goal: 16 },
    { lines: 1_000, devices: 64, microbatches: 512, goal: 50 },
    { lines: 10_000, devices: 128, microbatches: 1024, goal: 150 },
  ]) {
    const text = longFile(lines, { devices, microbatches, schedule: '1f1b' });
    for (const edit of ['cost', 'comment'] as const) {
      const { first, times } = await type(text, edit);
      const p95 = percentile(times, 0.95);
      rows.push({
        cells: [
          lines.toLocaleString('en-US'),
          (2 * devices * microbatches).toLocaleString('en-US'),
          edit,
          ms(first),
          ms(percentile(times, 0.5)),
          ms(p95),
        ],
        goal: { text: `p95 ≤ ${goal} ms`, met: p95 <= goal },
      });
    }
  }
  const text = readFileSync(path.join(import.meta.dirname, '../../examples/schedules/interleaved.pipe'), 'utf8');
  for (const edit of ['cost', 'row'] as const) {
    const { first, times } = await type(text, edit);
    const p95 = percentile(times, 0.95);
    rows.push({
      cells: ['interleaved.pipe', '32,768', edit, ms(first), ms(percentile(times, 0.5)), ms(p95)],
      goal: { text: 'p95 ≤ 16 ms', met: p95 <= 16 },
    });
  }
  return { title: 'Key stroke → diagnostics', head: ['lines', 'operations', 'edit', 'first', 'p50', 'p95'], rows };
}

/** What is written and what it becomes, in turn. */
const changes: Readonly<Record<'cost' | 'comment' | 'row', readonly [string, string]>> = {
  // One digit of a cost goes up and down, or a comment grows and shrinks by a letter.
  cost: ['forward = ', 'forward = 1'],
  // Below the pipeline.
  comment: ['bubble < 99% }\n', 'bubble < 99% }\n//a'],
  row: ['2 * (devices - 1 - d)', '2 * (devices - d)'],
};

async function type(text: string, edit: keyof typeof changes): Promise<{ first: number; times: number[] }> {
  const up = new PassThrough();
  const down = new PassThrough();
  const server = startServer(createConnection(new StreamMessageReader(up), new StreamMessageWriter(down)));
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

  const [before, after] = changes[edit];
  const start = text.indexOf(before);
  const times: number[] = [];
  for (let stroke = 0; stroke < strokes + warmup; stroke += 1) {
    const version = stroke + 2;
    const done = published(version);
    const begin = performance.now();
    const [from, to] = stroke % 2 === 0 ? [before, after] : [after, before];
    const range = { start: positionIn(text, start), end: positionIn(text.slice(0, start) + from, start + from.length) };
    const change = { range, text: to };
    void client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges: [change],
    });
    await done;
    if (stroke >= warmup) times.push(performance.now() - begin);
  }
  client.dispose();
  server.dispose();
  return { first, times };
}

function positionIn(text: string, offset: number) {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines[lines.length - 1].length };
}
