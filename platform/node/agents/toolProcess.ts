/** `pipewright mcp` in a process: the tools for hosts that start no servers of the Model Context Protocol. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The answer of a tool, for a model to read. */
export interface ToolText {
  readonly text: string;
  readonly isError: boolean;
}

export interface ToolProcess {
  call(tool: string, input: object): Promise<ToolText>;
  dispose(): void;
}

/** What is started, and where: the tools read files below `folder`. */
export interface ToolProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

const protocolVersion = '2025-06-18';

/** The process starts with the first call, and again with the first after it has ended. */
export function createToolProcess(program: ToolProgram): ToolProcess {
  let running: Running | undefined;
  return {
    async call(tool, input) {
      if (running === undefined || running.hasEnded()) running = started(program);
      const result = await running.ask('tools/call', { name: tool, arguments: input });
      const content = isRecord(result) && Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
      const texts = content.flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : []));
      return { text: texts.join('\n'), isError: isRecord(result) && result['isError'] === true };
    },
    dispose: () => running?.end(),
  };
}

interface Running {
  ask(method: string, params: object): Promise<unknown>;
  hasEnded(): boolean;
  end(): void;
}

type Waiting = { readonly done: (result: unknown) => void; readonly failed: (error: Error) => void };

function started({ command, args, folder, environment }: ToolProgram): Running {
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, Waiting>();
  let [asked, ended] = [0, false];
  const end = (reason: string): void => {
    ended = true;
    for (const { failed } of waiting.values()) failed(new Error(reason));
    waiting.clear();
  };
  child.once('error', ({ message }) => end(`The tools cannot start: ${message}.`));
  child.once('exit', () => end('The tools have stopped.'));
  // What is written to a process that has ended is lost; its end is heard above.
  child.stdin?.on('error', () => undefined);
  const write = (message: object): void =>
    void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, result, error } = messageOf(line);
      const heard = typeof id === 'number' ? waiting.get(id) : undefined;
      if (heard === undefined || typeof id !== 'number') return;
      waiting.delete(id);
      if (isRecord(error)) heard.failed(new Error(String(error['message'])));
      else heard.done(result);
    });
  const send = (method: string, params: object): Promise<unknown> =>
    new Promise((done, failed) => {
      if (ended) return failed(new Error('The tools have stopped.'));
      asked += 1;
      waiting.set(asked, { done, failed });
      write({ id: asked, method, params });
    });
  const client = { protocolVersion, capabilities: {}, clientInfo: { name: 'pipewright-editor', version: '1' } };
  const ready = send('initialize', client).then(() => write({ method: 'notifications/initialized' }));
  return {
    async ask(method, params) {
      await ready;
      return send(method, params);
    },
    hasEnded: () => ended,
    end() {
      child.kill();
      end('The tools have stopped.');
    },
  };
}

function messageOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const message: unknown = JSON.parse(line);
    return isRecord(message) ? message : {};
  } catch {
    return {};
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
