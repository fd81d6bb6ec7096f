import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Io } from './io.ts';

/** Larger files are refused before they are read: the engine's own limit is far below. */
const largestFile = 256 * 1024 * 1024;

export function nodeIo(): Io {
  const out = sink(process.stdout);
  const err = sink(process.stderr);
  return {
    readText: (path) => readText(path),
    writeText(path, text) {
      try {
        writeFileSync(path, text);
        return undefined;
      } catch (error) {
        return problemOf(error);
      }
    },
    out,
    err,
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.isTTY ? process.stdout.columns || 100 : 100,
    environment: process.env,
    cwd: process.cwd(),
    packageRoot: packageRootFrom(dirname(scriptPath())),
    now: () => performance.now(),
  };
}

function readText(path: string): { text: string } | { problem: string } {
  try {
    const content = readFileSync(path === '-' ? 0 : path);
    if (content.length > largestFile) return { problem: 'it is larger than 256 MiB' };
    return { text: content.toString('utf8') };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/** What went wrong, in a reader's words instead of `ENOENT: no such file or directory, open '…'`. */
function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'permission is denied';
  if (code === 'ERR_FS_FILE_TOO_LARGE') return 'it is larger than 2 GiB';
  return error instanceof Error ? error.message : String(error);
}

/** Writes with back-pressure. After the reader has closed its end everything is dropped in silence. */
function sink(stream: NodeJS.WriteStream): (text: string) => Promise<void> {
  let closed = false;
  stream.on('error', (error: Error & { code?: string }) => {
    closed = true;
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') process.exitCode = 2;
  });
  return (text) =>
    new Promise((done) => {
      if (closed || text === '') done();
      else stream.write(text, () => done());
    });
}

function scriptPath(): string {
  const script = process.argv[1] ?? process.cwd();
  try {
    return realpathSync(script);
  } catch {
    return resolve(script);
  }
}

/** The nearest folder at or above `from` whose `package.json` is ours; `from` itself where there is none. */
function packageRootFrom(from: string): string {
  for (let at = from; ; at = dirname(at)) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
      if (typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === 'pipewright')
        return at;
    } catch {
      // no manifest here, or not one that can be read: look further up
    }
    if (dirname(at) === at) return from;
  }
}
