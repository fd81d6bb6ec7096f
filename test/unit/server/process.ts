/** The server over its standard input and output, byte by byte: as a process, or in this one where nothing ends it. */
import { spawn } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { serveStdio } from '../../../platform/node/stdio.ts';
import { patience } from '../../host/patience.ts';
import { builtCommand } from '../../support/builtCommand.ts';

export interface Answer {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface ByteClient {
  send(message: object): void;
  bytes(text: string | Buffer): void;
  /** Closes its standard input. */
  close(): void;
  /** Closes its standard output. */
  deafen(): void;
  /** The next message that `fits`, from now or before. */
  answer(fits: (answer: Answer) => boolean): Promise<Answer>;
  readonly received: readonly Answer[];
  /** The exit status; null if it had to be killed. */
  readonly ended: Promise<number | null>;
}

/** `pipewright lsp`, or the server's file, as a process. It is killed when it hangs. */
export async function startProcess(
  name: 'cli.js' | 'server.js' = 'cli.js',
  args: readonly string[] = ['lsp'],
): Promise<ByteClient> {
  const child = spawn(process.execPath, [await builtCommand(name), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: patience(30_000),
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return clientOf(child.stdin, child.stdout, ended);
}

/**
 * What `pipewright lsp` runs, in this process: for messages that do not say `exit`, which would end it. It ends with its test: what it
 * does ahead of requests would take the time of later ones.
 */
export function startHere(): ByteClient {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const status = serveStdio(up, down);
  onTestFinished(async () => {
    up.end();
    await status;
  });
  return clientOf(up, down, status);
}

function clientOf(up: Writable, down: Readable, status: Promise<number | null>): ByteClient {
  const received: Answer[] = [];
  let waiting: (() => void)[] = [];
  let buffered = Buffer.alloc(0);
  let alive = true;
  const look = (): void => {
    const ready = waiting;
    waiting = [];
    for (const resume of ready) resume();
  };
  down.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const [header, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(buffered.toString('latin1')) ?? [];
      if (header === undefined || buffered.length < header.length + Number(length)) break;
      const end = header.length + Number(length);
      received.push(JSON.parse(buffered.toString('utf8', header.length, end)) as Answer);
      buffered = buffered.subarray(end);
    }
    look();
  });
  // Bytes that a server no longer reads.
  up.on('error', () => {});
  const ended = status.then((code) => {
    alive = false;
    look();
    return code;
  });
  const bytes = (text: string | Buffer): void => void up.write(text);
  return {
    received,
    ended,
    bytes,
    send: (message) => bytes(frame(JSON.stringify({ jsonrpc: '2.0', ...message }))),
    close: () => void up.end(),
    deafen: () => void down.destroy(),
    async answer(fits) {
      for (;;) {
        const found = received.find(fits);
        if (found !== undefined) return found;
        if (!alive) throw new Error(`It ended without that answer: ${JSON.stringify(received)}`);
        await new Promise<void>((resume) => waiting.push(resume));
      }
    },
  };
}

export const frame = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
export const initialize = (processId: number | null = null) => ({
  id: 'start',
  method: 'initialize',
  params: { processId, rootUri: null, capabilities: {} },
});
