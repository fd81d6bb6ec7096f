/** The real command, ended while it searches: what it had decided stays. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PlanAnswer } from '../../../engine/sweep/answer.ts';
import { patience } from '../../host/patience.ts';
import { builtCommand } from '../../support/builtCommand.ts';
import { shaped } from '../sweep/sweepCase.ts';
import { call } from './harness.ts';

const over =
  'tensor = [1, 2], pipeline = [1, 2, 4, 8], recompute = [none, full, selective], micro_batch = [1, 2], schedule = [1f1b, gpipe, zb_h1]';

let folder = '';
let command = '';
/** What a search finds that nobody ends. */
let whole: PlanAnswer;
beforeAll(async () => {
  command = await builtCommand();
  const args = ['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--threads', '1', '--format', 'json'];
  whole = JSON.parse((await call(args, { files: { 'a.pipe': shaped } })).out) as PlanAnswer;
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pipewright-killed-'));
  writeFileSync(join(folder, 'a.pipe'), shaped);
});
afterEach(() => rmSync(folder, { recursive: true }));

function start(...args: readonly string[]): ChildProcess {
  const called = [command, 'plan', 'a.pipe', '--pipeline', 'train', '--over', over, ...args];
  return spawn(process.execPath, called, { cwd: folder, stdio: 'ignore', timeout: patience(60_000) });
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
const frontOf = ({ points }: PlanAnswer) => points.filter(({ front }) => front);

async function expectWhole(threads: string): Promise<void> {
  const resumed = start('--threads', threads, '--rows', 'rows', '--resume', '--format', 'json', '--output', 'all.json');
  expect(await ended(resumed)).toEqual([0, null]);
  const answer = answerIn('all.json');
  expect(frontOf(answer)).toEqual(frontOf(whole));
  const { best, certificate, rows } = whole;
  expect(answer).toMatchObject({ best, certificate, rows, unsearched: 0 });
}

test.each([
  ['1', 3],
  ['2', 15],
] as const)('a search on %s threads that is killed after %i rows goes on from them', async (threads, lines) => {
  const file = 'rows/part-1-of-1.rows';
  const child = start('--threads', threads, '--rows', 'rows', '--resume');
  await until(file, lines);
  child.kill('SIGKILL');
  expect(await ended(child)).toEqual([null, 'SIGKILL']);
  const before = readFileSync(join(folder, file), 'utf8');
  const kept = before.slice(0, before.lastIndexOf('\n') + 1);
  await expectWhole('2');
  expect(readFileSync(join(folder, file), 'utf8').startsWith(kept)).toBe(true);
});

test.skipIf(process.platform === 'win32')('a search that a scheduler ends writes what it has found', async () => {
  const child = start('--threads', '1', '--rows', 'rows', '--format', 'json', '--output', 'some.json');
  await until('rows/part-1-of-1.rows', 10);
  child.kill('SIGTERM');
  // Not all is decided: who started it must not take it for done.
  expect(await ended(child)).toEqual([1, null]);
  const { simulated, unsearched, best } = answerIn('some.json');
  expect(simulated).toBeGreaterThan(0);
  expect(unsearched).toBeGreaterThan(0);
  expect(best).toBeDefined();
  expect(existsSync(join(folder, 'rows', 'part-1-of-1.lock'))).toBe(false);
  await expectWhole('1');
});
