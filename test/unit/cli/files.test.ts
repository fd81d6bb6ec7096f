/** The real command line on what is no regular file: it must end, and soon. */
import { gzipSync } from 'node:zlib';
import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeIo } from '../../../cli/nodeIo.ts';
import { run as runCommand } from '../../../cli/run.ts';
import { good } from './harness.ts';
import { patience } from '../../host/patience.ts';
import { builtCommand } from '../../support/builtCommand.ts';

let folder = '';
let command = '';
beforeAll(async () => {
  command = await builtCommand();
  folder = mkdtempSync(join(tmpdir(), 'pipewright-'));
  execFileSync('mkfifo', [join(folder, 'fifo.pipe')]);
  symlinkSync('/dev/zero', join(folder, 'zero.pipe'));
  writeFileSync(join(folder, 'good.pipe'), good);
  writeFileSync(join(folder, 'user.pipe'), 'import { card } from "fifo.pipe"\n');
  writeFileSync(join(folder, 'huge.pipe'), '');
  // Holes take no room on the disk.
  truncateSync(join(folder, 'huge.pipe'), 300 * 1024 * 1024);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs it in the folder; `stdin` is a path that standard input comes from. A process that hangs ends without a status. */
function run(args: readonly string[], stdin = '/dev/null'): Promise<Ended> {
  const input = openSync(stdin, 'r');
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    stdio: [input, 'pipe', 'pipe'],
    timeout: patience(30_000),
  });
  closeSync(input);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => void (err += chunk.toString()));
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, out, err })));
}

const disk = nodeIo();
/** The same in this process, which is far cheaper: for files that no read can wait for. */
async function runHere(args: readonly string[]): Promise<Ended> {
  let [out, err] = ['', ''];
  const at = (path: string): string => (path === '-' ? path : resolve(folder, path));
  const status = await runCommand(args, {
    ...disk,
    cwd: folder,
    readText: (path) => disk.readText(at(path)),
    writeText: (path, text) => disk.writeText(at(path), text),
    out: async (text) => void (out += text.toString()),
    err: async (text) => void (err += text),
  });
  return { status, out, err };
}

describe.skipIf(process.platform === 'win32')('what is no regular file', () => {
  test.each(['check', 'import'])('%s refuses a pipe without a writer', async (name) => {
    const { status, err } = await run([name, 'fifo.pipe']);
    expect(err).toContain(
      'fifo.pipe cannot be read: it is not a regular file; redirect it to standard input and name it -.',
    );
    expect(status).toBe(2);
  });

  test('a result that the disk has no room for is no success', async () => {
    const full = openSync('/dev/full', 'w');
    for (const args of [['simulate', 'good.pipe', '--format', 'json'], ['explain', 'schedule/bubble'], ['--version']]) {
      const child = spawn(process.execPath, [command, ...args], {
        cwd: folder,
        stdio: ['ignore', full, 'pipe'],
      });
      let err = '';
      child.stderr?.on('data', (chunk: Buffer) => void (err += chunk.toString()));
      const status = await new Promise((resolve) => child.once('close', resolve));
      expect([status, err]).toEqual([2, 'pipewright: Standard output cannot be written: the disk is full.\n']);
    }
    closeSync(full);
  });

  test('a device without an end is not read, through a link either', async () => {
    const { status, err } = await run(['check', 'zero.pipe']);
    expect([status, err.includes('zero.pipe cannot be read: it is not a regular file')]).toEqual([2, true]);
  });

  test('an import of a pipe is a finding', async () => {
    const { status, out } = await run(['check', 'user.pipe']);
    expect(out).toContain('"fifo.pipe" cannot be read: it is not a regular file.');
    expect(status).toBe(1);
  });

  // Only its owner may open it; it is a regular file by its own account, and a read waits for the next message of the kernel.
  test.skipIf(process.getuid?.() !== 0)('a file of the system that waits for news is not waited for', async () => {
    const { status } = await run(['check', '/proc/kmsg']);
    expect(status).not.toBeNull();
  });

  test('a folder, and a file over the limit, say so', async () => {
    expect((await runHere(['check', '.'])).err).toContain('. cannot be read: it is a folder.');
    expect((await runHere(['check', 'huge.pipe'])).err).toContain('it has 300 MiB, over the limit of 256 MiB.');
  });

  test('a pipe that nothing reads is not written, and a file in no folder says so', async () => {
    const write = (path: string) => ['export', 'good.pipe', '--to', 'torch-csv', '--output', path];
    const { status, err } = await run(write('fifo.pipe'));
    expect([status, err.includes('fifo.pipe cannot be written: nothing reads from this pipe.')]).toEqual([2, true]);
    expect((await runHere(write('nowhere/s.csv'))).err).toContain('cannot be written: its folder does not exist.');
    expect(await runHere(write('s.csv'))).toMatchObject({ status: 0 });
    expect(readFileSync(join(folder, 's.csv'), 'utf8')).toBe((await run(write('-'))).out);
  });

  test('standard input is read up to the limit', async () => {
    const endless = await run(['check', '-'], '/dev/zero');
    expect(endless.err).toContain('<stdin> cannot be read: it has more than 256 MiB, which is the limit.');
    expect(endless.status).toBe(2);
    const { status, out } = await run(['check', '-'], join(folder, 'good.pipe'));
    expect([status, out.includes('<stdin>: ')]).toEqual([0, true]);
  });
});

describe('a file that is not UTF-8', () => {
  test.each([
    ['latin', Buffer.from('// one\n// caf\xe9\n', 'latin1'), 'line 2 is not UTF-8; save it in UTF-8'],
    ['compressed', gzipSync('// text'), 'it is compressed with gzip; decompress it first, with `gunzip`'],
    ['cut', Buffer.from([0x2f, 0x2f, 0xe2, 0x82]), 'line 1 is not UTF-8; save it in UTF-8'],
    ['wide', Buffer.from('\ufeff// one\n', 'utf16le'), 'it is in UTF-16; save it in UTF-8'],
  ])('is refused, and format leaves its bytes: %s', async (name, content, problem) => {
    const path = join(folder, `${name}.pipe`);
    writeFileSync(path, content);
    const { status, err } = await runHere(['format', '--write', `${name}.pipe`]);
    expect(err).toContain(`${name}.pipe cannot be read: ${problem}.`);
    expect(status).toBe(2);
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  test('is no import either, and no file of one byte', async () => {
    writeFileSync(join(folder, 'byte.pipe'), Buffer.from([0xff]));
    writeFileSync(join(folder, 'byteUser.pipe'), 'import { card } from "byte.pipe"\n');
    const { status, out } = await runHere(['check', 'byteUser.pipe']);
    expect(out).toContain('line 1 is not UTF-8');
    expect(status).toBe(1);
  });
});
