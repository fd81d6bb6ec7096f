/** A folder in which a user searches on many machines: a file with a hostile name, and `pipewright` on the path. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlanAnswer } from '../../engine/sweep/answer.ts';
import { patience } from '../host/patience.ts';
import { exampleText } from '../support/example.ts';

const root = path.resolve(import.meta.dirname, '../..');

export const parts = 8;
/** Parts up to this one start at once; further ones wait until `letGo`. So a job that is stopped before has never ended. */
const firstParts = 4;

const file = `it's "$HOME" & a search.pipe`;
const rows = `rows of 'it' $(touch hacked)`;
const over =
  'tensor = [1, 2, 4, 8], pipeline = [1, 2, 4, 8, 16], micro_batch = [1, 2], context = [1, 2, 4], recompute = [none, full], schedule = [1f1b, interleaved_1f1b, zb_h1], chunks = [2, 4, 5]';
const asked = ['plan', '--pipeline', 'interleaved', '--limit', 'peak_memory < 72GiB', '--over', over];

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Place {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Runs a line of a shell to its end. */
  shell(line: string, more?: NodeJS.ProcessEnv): Promise<Ended>;
  /** Starts a line of a shell, in a group of processes of its own. */
  start(line: string, more?: NodeJS.ProcessEnv): ChildProcess;
  /** Writes a job, and gives the line that starts it: the command says it. */
  writeJob(kind: string, name: string, ...more: readonly string[]): Promise<string>;
  /** Lets the last parts start. */
  letGo(): void;
  /** Stops a search that has decided some rows and not all of its part. */
  stoppedSearch(): Promise<{ readonly part: number; readonly pid: number }>;
  merge(): Promise<{ readonly status: number | null; readonly answer: PlanAnswer }>;
  /** The parts are one run, to the byte, and no text of the call was a command. */
  expectOneRun(): Promise<void>;
  /** Makes the file another one. */
  changeFile(): void;
  end(): Promise<void>;
}

export function createPlace(): Place {
  // A short name: Ray makes paths of sockets in it, which may be hardly longer. Munge wants a folder that others may enter.
  const folder = mkdtempSync(path.join(tmpdir(), 'pw-'));
  chmodSync(folder, 0o711);
  const cleaner = spawn(process.execPath, [path.join(import.meta.dirname, 'cleaner.ts'), folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  const go = path.join(folder, 'go');
  const late = Array.from({ length: parts - firstParts }, (_, at) => firstParts + at + 1).join('|');
  writeFileSync(
    path.join(bin, 'pipewright'),
    `#!/bin/bash
for word; do
  case "$word" in --shard=@(${late})/*) until [ -e '${go}' ]; do sleep 0.2; done ;; esac
done
exec '${process.execPath}' '${path.join(root, 'dist', 'cli.js')}' "$@"
`.replace('\n', '\nshopt -s extglob\n'),
    { mode: 0o755 },
  );
  const written = exampleText('llama3-70b.pipe');
  writeFileSync(path.join(folder, file), written);
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`,
  };
  delete environment['PIPEWRIGHT'];

  const start: Place['start'] = (line, more = {}) =>
    spawn('bash', ['-c', line], {
      cwd: folder,
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  const pipewright = (...args: readonly string[]): Promise<Ended> =>
    ended(spawn('pipewright', args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }));
  const merge: Place['merge'] = async () => {
    const { status, out, err } = await pipewright('plan', '--merge', '--format', 'json', '--', rows);
    assert.equal(err, '');
    return { status, answer: JSON.parse(out) as PlanAnswer };
  };
  return {
    folder,
    environment,
    start,
    shell: (line, more) => ended(start(line, more)),
    async writeJob(kind, name, ...more) {
      const options = ['--jobs', kind, '--parts', String(parts), '--rows', rows, '--output', name, ...more];
      const { status, err } = await pipewright(...asked, ...options, '--', file);
      assert.equal(status, 0, err);
      const [, line] = /^Start it here: (.+)$/m.exec(err) ?? [];
      assert(line !== undefined, err);
      return line;
    },
    letGo: () => writeFileSync(go, ''),
    async stoppedSearch() {
      const tried = new Set<string>();
      for (const end = performance.now() + patience(60_000); performance.now() < end; await sleep(5)) {
        const inFolder = path.join(folder, rows);
        const locks = existsSync(inFolder) ? readdirSync(inFolder).filter((name) => name.endsWith('.lock')) : [];
        for (const name of locks.filter((lock) => !tried.has(lock))) {
          const lock = path.join(inFolder, name);
          // The first line says what is searched, and the second which rows cannot be.
          if (linesOf(lock.replace(/lock$/, 'rows')) < 4) continue;
          tried.add(name);
          const pid = holderOf(lock);
          if (pid === undefined || !signal(pid, 'SIGSTOP')) continue;
          // One that has ended has taken its lock away.
          if (existsSync(lock)) return { part: Number(/\d+/.exec(name)?.[0]), pid };
          signal(pid, 'SIGCONT');
        }
      }
      throw new Error('No search was stopped half-way.');
    },
    merge,
    async expectOneRun() {
      const { status, out, err } = await pipewright(...asked, '--threads', '1', '--format', 'json', '--', file);
      assert.equal(status, 0, err);
      const merged = await merge();
      assert.equal(merged.status, 0);
      assert.equal(essence(merged.answer), essence(JSON.parse(out) as PlanAnswer));
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith('hacked')),
        [],
      );
    },
    changeFile: () =>
      writeFileSync(path.join(folder, file), written.replaceAll('microbatches = 32', 'microbatches = 64')),
    async end() {
      cleaner.stdin.end();
      await once(cleaner, 'close');
      assert.equal(cleaner.exitCode, 0);
    },
  };
}

/** What a user reads: the front, the best row, and how sure that is. */
function essence({ points, best, certificate, written, rows: all, unsearched }: PlanAnswer): string {
  const front = points.filter((point) => point.front);
  assert(front.length > 3);
  return JSON.stringify({ front, best, certificate, written, all, unsearched }, undefined, 1);
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const texts = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, ...texts };
}

export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Whether SIGTERM waits for a stopped process to go on. */
export function isAskedToEnd(pid: number): boolean {
  const [, pending = ''] = /^ShdPnd:\s*([\da-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return ((BigInt(`0x${pending || 0}`) >> BigInt(constants.signals.SIGTERM - 1)) & 1n) === 1n;
}

function linesOf(name: string): number {
  try {
    return readFileSync(name, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

function holderOf(lock: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(lock, 'utf8')) as { readonly process: number }).process;
  } catch {
    return undefined;
  }
}

/** Waits for what must come. */
export async function until(what: string, comes: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = performance.now() + patience(60_000); performance.now() < end; await sleep(100))
    if (await comes()) return;
  throw new Error(`It did not come: ${what}`);
}
