import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { bytes } from '../../engine/basics/quantities.ts';
import { heavyTexts } from '../../test/support/heavyTexts.ts';
import { percentile } from '../measure.ts';
import { ms, type Row, type Table } from '../rows.ts';
import { pipelineFile } from '../workloads/files.ts';

const rest = 100;
const seconds = 30;
const goal = { hover: 100, memory: 2 ** 30 };
const other = 'file:///project/other.pipe';
const text = pipelineFile({ devices: 8, microbatches: 8, schedule: '1f1b' });

/** Texts that ask for much work, opened in a server process all at once, and a hover of another document every 100 ms. */
export async function heavyTable(): Promise<Table> {
  const { process: server, client } = start();
  await client.sendRequest(InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} });
  await client.sendNotification(InitializedNotification.type, {});
  await open(client, other, text);
  await hover(client);
  for (const [index, heavy] of Object.values(heavyTexts).entries()) void open(client, uriOf(index), heavy);
  const opened: number[] = [];
  for (let time = 0; time < (1000 * seconds) / rest; time += 1) {
    await sleep(rest);
    opened.push(await hover(client));
  }
  const memory = peakOf(server);
  const edited = await edits(client);
  client.dispose();
  server.kill();
  const row = (what: string, times: readonly number[]): Row => {
    const most = Math.max(...times);
    return {
      cells: [
        what,
        String(times.length),
        ms(percentile(times, 0.5)),
        ms(percentile(times, 0.95)),
        ms(most),
        bytes(memory),
      ],
      goal: { text: `≤ ${goal.hover} ms, ≤ 1 GiB`, met: most <= goal.hover && memory <= goal.memory },
    };
  };
  return {
    title: `A hover beside ${Object.keys(heavyTexts).length} documents that ask for much work: server process`,
    head: ['hovers', 'count', 'p50', 'p95', 'longest', 'memory'],
    rows: [row('while they are open', opened), row('while they are replaced', edited)],
  };
}

const uriOf = (index: number): string => `file:///project/heavy${index}.pipe`;

function start(): { readonly process: ChildProcess; readonly client: ProtocolConnection } {
  const main = path.join(import.meta.dirname, '../../platform/node/main.ts');
  const server = spawn(process.execPath, [main, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const client = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  client.listen();
  return { process: server, client };
}

const open = (client: ProtocolConnection, uri: string, content: string): Promise<void> =>
  client.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'pipe', version: 1, text: content },
  });

/** Milliseconds until the answer. */
async function hover(client: ProtocolConnection): Promise<number> {
  const begun = performance.now();
  await client.sendRequest(HoverRequest.type, { textDocument: { uri: other }, position: { line: 0, character: 2 } });
  return performance.now() - begun;
}

/** Replaces all texts by a small one. Answers how long hovers took until the diagnostics of all are there. */
async function edits(client: ProtocolConnection): Promise<readonly number[]> {
  const waiting = new Set(Object.keys(heavyTexts).map((_, index) => uriOf(index)));
  client.onNotification(PublishDiagnosticsNotification.type, ({ uri, version }) => {
    if (version === 2) waiting.delete(uri);
  });
  for (const uri of waiting)
    void client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text }],
    });
  const times: number[] = [];
  while (waiting.size > 0) {
    times.push(await hover(client));
    await sleep(10);
  }
  return times;
}

/** Bytes that the process had in memory at most; NaN on systems that do not say. */
function peakOf({ pid }: ChildProcess): number {
  try {
    const [, kibibytes] = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return NaN;
  }
}
