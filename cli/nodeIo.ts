import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileProblem, readDescriptor, readRegularFile, writeFile } from '../platform/node/regularFile.ts';
import { realPath, within } from '../platform/node/realPath.ts';
import type { Io } from './io.ts';
import { projectOf } from './project.ts';
import { byteStream } from '../platform/node/runs/byteStream.ts';
import { filesIn } from '../platform/node/runs/filesIn.ts';
import { status } from './status.ts';

/** Larger files are refused before they are read, and standard input after this number of bytes. The engine's limit is far below. */
const largestFile = 256 * 1024 * 1024;

/** Ctrl+C, and what schedulers send before they end a job for good. */
const ends = ['SIGINT', 'SIGTERM'] as const;

export function nodeIo(): Io {
  const out = sink(process.stdout);
  const err = sink(process.stderr);
  return {
    readText: (path) => readText(path),
    openBytes: byteStream,
    filesIn,
    projectOf: (path) => projectOf(path, process.cwd()),
    leadsInto: (path, folder) => within(realPath(path), realPath(folder)),
    writeText: (path, text) => writeFile(path, text),
    out,
    err,
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.isTTY ? process.stdout.columns || 100 : 100,
    environment: process.env,
    cwd: process.cwd(),
    packageRoot: packageRootFrom(dirname(scriptPath())),
    onInterrupt(stop) {
      for (const signal of ends) process.once(signal, stop);
      return () => {
        for (const signal of ends) process.removeListener(signal, stop);
      };
    },
    now: () => performance.now(),
  };
}

function readText(path: string): { text: string } | { problem: string } {
  if (path !== '-') return readRegularFile(path, largestFile);
  try {
    return readDescriptor(0, largestFile);
  } catch (error) {
    return { problem: fileProblem(error) };
  }
}

/** Writes with back-pressure. After the reader has closed its end everything is dropped in silence. */
function sink(stream: NodeJS.WriteStream): (text: string | Uint8Array) => Promise<void> {
  let closed = false;
  stream.on('error', (error: Error & { code?: string }) => {
    if (closed) return;
    closed = true;
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return;
    // Whatever status the command ends with: its result is not there.
    process.once('exit', () => (process.exitCode = status.usage));
    if (stream !== process.stderr)
      process.stderr.write(`pipewright: Standard output cannot be written: ${fileProblem(error)}.\n`);
  });
  return (text) =>
    new Promise((done) => {
      if (closed || text.length === 0) done();
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
