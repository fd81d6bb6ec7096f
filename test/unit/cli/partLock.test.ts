import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockPart, type PartLock } from '../../../cli/plan/partLock.ts';
import { repository } from './harness.ts';

let folder = '';
const path = (): string => join(folder, 'part-1-of-2.lock');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pipewright-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const silentFor = 600;
/** With `patience`, who gives no sign for as many milliseconds is dead. */
const lock = async (said: string[] = [], patience = silentFor): ReturnType<typeof lockPart> =>
  lockPart(path(), (holder) => said.push(holder), { beatEvery: 20, silentFor: patience });

function taken(found: Awaited<ReturnType<typeof lockPart>>): PartLock {
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

/** As another machine writes it, whose processes are not known here. */
const elsewhere = (): void =>
  writeFileSync(path(), JSON.stringify({ token: 't', host: 'node07', process: 7, among: 'other', started: '1' }));

describe('a part is worked on by one run at a time', () => {
  test('and is free after it', async () => {
    const first = taken(await lock());
    expect(await lock()).toEqual({
      problem: expect.stringMatching(/^Process \d+ on .+ works on it\. Wait until that run ends, or stop it$/),
    });
    expect(first.isLost()).toBe(false);
    first.release();
    expect(existsSync(path())).toBe(false);
    taken(await lock()).release();
  });

  test.skipIf(process.platform !== 'linux')('a process that was killed here does not keep it', async () => {
    const script = `import { lockPart } from ${JSON.stringify(join(repository, 'cli', 'plan', 'partLock.ts'))};
      await lockPart(${JSON.stringify(path())}, () => {});
      console.log('locked');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const said: string[] = [];
    expect(await lock(said)).toEqual({ problem: expect.stringContaining(`Process ${child.pid} on `) });
    child.kill('SIGKILL');
    await once(child, 'close');
    taken(await lock(said)).release();
    // It was known to be dead: nothing was waited for.
    expect(said).toEqual([]);
  });

  test('a process of another machine keeps it as long as it gives signs of life', async () => {
    elsewhere();
    const beat = setInterval(() => utimesSync(path(), new Date(), new Date()), 50);
    const said: string[] = [];
    try {
      expect(await lock(said)).toEqual({ problem: expect.stringContaining('Process 7 on node07 works on it') });
    } finally {
      clearInterval(beat);
    }
    expect(said).toEqual(['Process 7 on node07']);
    // It was killed.
    taken(await lock(said)).release();
    expect(said).toHaveLength(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['', '{', 'null', '{"token":"t"}'])('a file that says nothing ("%s") does not keep it', async (text) => {
    writeFileSync(path(), text);
    const said: string[] = [];
    taken(await lock(said, 50)).release();
    expect(said).toEqual(['Another run']);
  });

  test('of two that find it abandoned, one gets it', async () => {
    elsewhere();
    const found = await Promise.all([lock(), lock(), lock()]);
    expect(found.filter((each) => !('problem' in each))).toHaveLength(1);
    for (const each of found) if (!('problem' in each)) each.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a run that was thought to be dead hears of it, and leaves the part to the other', async () => {
    const first = taken(await lock());
    elsewhere();
    const text = readFileSync(path(), 'utf8');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(first.isLost()).toBe(true);
    first.release();
    expect(readFileSync(path(), 'utf8')).toBe(text);
  });
});
