import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { patience } from '../host/patience.ts';
import { imports, pythonWith } from '../host/pythonWith.ts';

export const root = path.resolve(import.meta.dirname, '../..');
const needs = ['torch', 'numpy'];
const limitMs = patience(120_000);

/** What a program printed, and its exit status. */
export interface Answer {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Looks for a Python that has PyTorch and numpy: the one that `PIPEWRIGHT_PYTHON` names, `python3`, or an environment of our own in
 * `out/torch`, which is made where there is none (about 1 GB). Returns why none can be had, in one line.
 */
export function findPython(): string | undefined {
  const named = process.env['PIPEWRIGHT_PYTHON'];
  if (named !== undefined && named !== '') {
    interpreter = named;
    return imports(named, needs)
      ? undefined
      : `PIPEWRIGHT_PYTHON names ${named}, which cannot import ${needs.join(' and ')}.`;
  }
  const found = pythonWith('PyTorch', needs, 'torch');
  if ('problem' in found) return found.problem;
  ({ interpreter } = found);
  return undefined;
}

/** One thread a process, so that several share few cores. */
const variables = { ...process.env, OMP_NUM_THREADS: '1' };

/** Runs Python to its end, in a new interpreter, as a user does. */
export function newPython(args: readonly string[], input = ''): Answer {
  const { status, stdout, stderr } = spawnSync(interpreter ?? 'python3', args, {
    input,
    encoding: 'utf8',
    timeout: limitMs,
    maxBuffer: 2 ** 28,
    env: variables,
  });
  return { status, out: stdout, err: stderr };
}

/** As `newPython`, in a process that has imported PyTorch already where the system can fork one. */
export async function python(args: readonly string[], input = ''): Promise<Answer> {
  if (process.platform !== 'linux') return newPython(args, input);
  preloaded ??= startPreloaded();
  const { child, lines } = preloaded;
  const timer = setTimeout(stopPython, limitMs);
  child.stdin.write(`${JSON.stringify({ args, input })}\n`);
  const { value, done } = await lines.next();
  clearTimeout(timer);
  if (done !== true) return JSON.parse(value) as Answer;
  preloaded = undefined;
  return { status: null, out: '', err: `Python ended without an answer, or took longer than ${limitMs / 1000} s.` };
}

interface Preloaded {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: AsyncIterator<string, undefined>;
}

function startPreloaded(): Preloaded {
  // A group of its own, so that ranks that hang end with it.
  const child = spawn(interpreter ?? 'python3', [path.join(import.meta.dirname, 'preloaded.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: variables,
    detached: true,
  });
  process.once('exit', stopPython);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** Ends the process that has imported PyTorch, and all that it started. */
export function stopPython(): void {
  if (preloaded?.child.pid === undefined) return;
  try {
    process.kill(-preloaded.child.pid, 'SIGKILL');
  } catch {
    // already gone
  }
}

let interpreter: string | undefined;
let preloaded: Preloaded | undefined;
