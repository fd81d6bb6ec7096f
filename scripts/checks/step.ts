import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from '../build.ts';

export interface Count {
  readonly passed: number;
  readonly failed: number;
  /** Why nothing of it could run here; only for steps that need what a machine may lack. */
  readonly skipped?: string;
}

/** One part of `npm test`. */
export interface Step {
  readonly name: string;
  /** Program and arguments, run in the root of the repository. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Names of steps that must have passed before; they run with it, whatever is chosen. */
  readonly needs?: readonly string[];
  /** What the output says of passes and failures; a command without counts is one check. */
  readonly count?: (output: string) => Count | undefined;
  /** A file that `count` reads, by its path from the root: deleted first, so that no earlier run is counted. */
  readonly report?: string;
  /** It computes for long and watches no clock: steps that drive an editor come first. */
  readonly yields?: boolean;
  /** It drives windows or other programs, which a busy machine holds up: what fails beside other steps is run again alone, and has to pass. */
  readonly drives?: boolean;
}

export interface Result extends Count {
  readonly step: Step;
  readonly seconds: number;
  readonly output: string;
  /** It failed beside other steps before. */
  readonly alone?: boolean;
}

/** Ends what hangs: far more than any step takes on a busy machine. */
const limitMs = 4_500_000;
const logs = path.join(root, 'out', 'logs');

/** Runs one step. A step that crashes, hangs or counts nothing has failed, whatever it printed. */
export async function runStep(step: Step): Promise<Result> {
  mkdirSync(logs, { recursive: true });
  if (step.report !== undefined) rmSync(path.join(root, step.report), { force: true });
  const log = createWriteStream(path.join(logs, `${step.name.replaceAll(/\W+/g, '-')}.log`));
  const started = performance.now();
  const [program = '', ...args] = step.yields === true ? yielding(step.command) : step.command;
  // A group of its own, so that nothing of it stays when it is stopped.
  const child = spawn(program, args, {
    cwd: root,
    // Most steps start processes that read TypeScript: what Node makes of it is kept, by content.
    env: { NODE_COMPILE_CACHE: path.join(root, 'out', 'node-cache'), ...process.env, ...step.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stopChild = (): void => stopGroup(child.pid);
  process.once('exit', stopChild);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      log.write(chunk);
    });
  }
  const timer = setTimeout(() => {
    output += `\nNo end after ${limitMs / 1000} s.\n`;
    stopChild();
  }, limitMs);
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += `${error.message}\n`;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearTimeout(timer);
  process.off('exit', stopChild);
  log.end();
  return { step, ...counted(step, status, output), seconds: (performance.now() - started) / 1000, output };
}

function counted(step: Step, status: number | null, output: string): Count {
  if (step.count === undefined) return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const { passed, failed, skipped } = step.count(output) ?? { passed: 0, failed: 0 };
  if (skipped !== undefined && status === 0 && passed + failed === 0) return { passed, failed, skipped };
  const crashed = failed === 0 && (status !== 0 || passed === 0);
  return { passed, failed: crashed ? 1 : failed };
}

/** The command at a lower priority, which all that it starts has too; as it is on Windows, which has no `nice`. */
const yielding = (command: readonly string[]): readonly string[] =>
  process.platform === 'win32' ? command : ['nice', '-n', '5', ...command];

function stopGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // already gone
  }
}
