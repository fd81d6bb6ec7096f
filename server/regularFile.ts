/** Text of files on disk, for the server and the command line: never a device or a pipe, and never more than a limit. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { bytes } from '../engine/quantities.ts';

export type FileText = { readonly text: string } | { readonly problem: string };

export const noSuchFile = 'there is no such file';
export const notRegular = 'it is not a regular file';

const chunkSize = 1024 * 1024;

/** Text of a regular file of at most `limit` bytes, or why there is none, in words that follow "cannot be read:". */
export function readRegularFile(path: string, limit: number): FileText {
  try {
    // Opening some devices has effects, so the question comes before that too.
    const named = statSync(path);
    if (!named.isFile()) return { problem: named.isDirectory() ? 'it is a folder' : notRegular };
    // Without waiting for a writer, should a pipe have taken the file's place since.
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const status = fstatSync(descriptor);
      if (!status.isFile()) return { problem: notRegular };
      if (status.size > limit) return { problem: tooLarge(limit, status.size) };
      return readDescriptor(descriptor, limit);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return { problem: fileProblem(error) };
  }
}

/** Text that an open file gives until its end; a stream without an end is left once it has given `limit` bytes. */
export function readDescriptor(descriptor: number, limit: number): FileText {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkSize, limit + 1 - size));
    const read = readWaiting(descriptor, chunk);
    if (read === 0) return { text: Buffer.concat(chunks, size).toString('utf8') };
    size += read;
    if (size > limit) return { problem: tooLarge(limit) };
    chunks.push(chunk.subarray(0, read));
  }
}

/** Bytes that were read; 0 at the end. A stream that does not block says that it has nothing yet: it is asked again. */
function readWaiting(descriptor: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      const code = codeOf(error);
      // What Windows says at the end of a pipe.
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

const tooLarge = (limit: number, size?: number): string =>
  size === undefined
    ? `it has more than ${bytes(limit)}, which is the limit`
    : `it has ${bytes(size)}, over the limit of ${bytes(limit)}`;

/** What went wrong, in a reader's words instead of `ENOENT: no such file or directory, open '…'`. */
export function fileProblem(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return noSuchFile;
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission is denied';
    // A socket, or a device without a driver.
    case 'ENXIO':
    case 'ENODEV':
      return notRegular;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
