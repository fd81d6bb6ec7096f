/** The real command, ended while it searches: what it had decided stays. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PlanAnswer } from '../../../engine/sweep/answer.ts';
import { patience } from '../../host/patience.ts';
import { shaped } from '../sweep/sweepCase.ts';
import { repository } from './harness.ts';

const over =
  'tensor = [1, 2, 4], pipeline = [1, 2, 4, 8], recompute = [none, full, selective], micro_batch = [1, 2, 4], schedule = [1f1b, gpipe, zb_h1, zb_h2, eager_1f1b]';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pipewright-killed-'));
  writeFileSync(join(folder, 'a.pipe'), shaped);
});
afterEach(() => rmSync(folder, { recursive: true }));

function start(...args: readonly string[]): ChildProcess {
  const command = [
    join(repository, 'cli', 'main.ts'),
    'plan',
    'a.pipe',
    '--pipeline',
    'train',
    '--over',
    over,
    ...args,
  ];
  return spawn(process.execPath, command, { cwd: folder, stdio: 'ignore', timeout: patience(60_000) });
}

const ended = async (child: ChildProcess): Promise<unknown[]> =>
  child.exitCode === null && child.signalCode === null ? once(child, 'close') : [child.exitCode, child.signalCode];

const linesOf = (name: string): number => {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
};

/** Waits until a part has this number of lines. */
async function until(name: string, lines: number): Promise<void> {
  while (linesOf(name) < lines) await new Promise((resolve) => setTimeout(resolve, 5));
}

const answerIn = (name: string): PlanAnswer => JSON.parse(readFileSync(join(folder, name), 'utf8')) as PlanAnswer;
const frontIn = (name: string) => answerIn(name).points.filter(({ front }) => front);

async function expectOneRun(): Promise<void> {
  await ended(start('--threads', '1', '--format', 'json', '--output', 'one.json'));
  const resumed = start('--threads', '2', '--rows', 'rows', '--resume', '--format', 'json', '--output', 'all.json');
  expect(await ended(resumed)).toEqual([0, null]);
  expect(frontIn('all.json')).toEqual(frontIn('one.json'));
  const { best, certificate, rows } = answerIn('one.json');
  expect(answerIn('all.json')).toMatchObject({ best, certificate, rows, unsearched: 0 });
}

test.each(['1', '2'])('a search on %s threads that is killed goes on from its rows', async (threads) => {
  const file = 'rows/part-1-of-1.rows';
  for (const lines of [3, 60]) {
    const child = start('--threads', threads, '--rows', 'rows', '--resume');
    await until(file, lines);
    child.kill('SIGKILL');
    expect(await ended(child)).toEqual([null, 'SIGKILL']);
  }
  const before = readFileSync(join(folder, file), 'utf8');
  const whole = before.slice(0, before.lastIndexOf('\n') + 1);
  await expectOneRun();
  expect(readFileSync(join(folder, file), 'utf8').startsWith(whole)).toBe(true);
});

test.skipIf(process.platform === 'win32')('a search that a scheduler ends writes what it has found', async () => {
  const child = start('--threads', '1', '--rows', 'rows', '--format', 'json', '--output', 'some.json');
  await until('rows/part-1-of-1.rows', 30);
  child.kill('SIGTERM');
  // Not all is decided: who started it must not take it for done.
  expect(await ended(child)).toEqual([1, null]);
  const { simulated, unsearched, best } = answerIn('some.json');
  expect(simulated).toBeGreaterThan(0);
  expect(unsearched).toBeGreaterThan(0);
  expect(best).toBeDefined();
  expect(existsSync(join(folder, 'rows', 'part-1-of-1.lock'))).toBe(false);
  await expectOneRun();
});
