/** Texts of files on disk, for the server and the command line: never a device or a pipe, and never more than a limit. */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { isFolder, tooLarge } from '../common/fileProblems.ts';

export type FileText = { readonly text: string } | { readonly problem: string };

export const noSuchFile = 'there is no such file';
export const notRegular = 'it is not a regular file';

const chunkSize = 1024 * 1024;
const lineFeed = 10;
/** The first two bytes of a compressed file (RFC 1952), in hexadecimal. */
const gzip = '1f8b';

/** Text of a regular file of at most `limit` bytes, or why there is none, in words that follow "cannot be read:". */
export function readRegularFile(path: string, limit: number): FileText {
  try {
    // Opening some devices has effects, so the question comes before that too.
    const named = statSync(path);
    if (!named.isFile()) return { problem: named.isDirectory() ? isFolder : notRegular };
    // Without waiting for a writer, should a pipe have taken the file's place since.
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const status = fstatSync(descriptor);
      if (!status.isFile()) return { problem: notRegular };
      if (status.size > limit) return { problem: tooLarge(limit, status.size) };
      return readDescriptor(descriptor, limit, false);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return { problem: fileProblem(error) };
  }
}

/**
 * Text that an open file gives until its end; a stream without an end is left once it has given `limit` bytes. `waits`: it may have
 * nothing yet. Files of the system that call themselves regular may too, but for them that is the end.
 */
export function readDescriptor(descriptor: number, limit: number, waits = true): FileText {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkSize, limit + 1 - size));
    const read = waits ? waiting(() => readSync(descriptor, chunk)) : readSync(descriptor, chunk);
    if (read === 0) return textOf(Buffer.concat(chunks, size));
    size += read;
    if (size > limit) return { problem: tooLarge(limit) };
    chunks.push(chunk.subarray(0, read));
  }
}

/** Other encodings are refused: decoding would replace what it cannot read, and whoever writes the text back would lose it. */
function textOf(content: Buffer): FileText {
  const text = content.toString('utf8');
  if (isUtf8(content)) return { text };
  const mark = content.subarray(0, 2).toString('hex');
  if (mark === gzip) return { problem: 'it is compressed with gzip; decompress it first, with `gunzip`' };
  if (mark === 'fffe' || mark === 'feff') return { problem: 'it is in UTF-16; save it in UTF-8' };
  // What decoding replaced is where the text's own bytes begin to differ.
  const own = Buffer.from(text);
  const at = content.findIndex((byte, index) => byte !== own[index]);
  const line = content.subarray(0, at).reduce((count, byte) => count + Number(byte === lineFeed), 1);
  // Nothing of the content is quoted: any file may be named here.
  return { problem: `line ${line} is not UTF-8; save it in UTF-8` };
}

/** Writes a file, or a pipe that something reads. A text in parts is never joined. A pipe without a reader is refused, not waited for. Answers what went wrong. */
export function writeFile(path: string, text: string | Uint8Array | Iterable<string>): string | undefined {
  try {
    const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
    const descriptor = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | (constants.O_NONBLOCK ?? 0), 0o666);
    try {
      for (const part of typeof text === 'string' || text instanceof Uint8Array ? [text] : text) {
        const content = typeof part === 'string' ? Buffer.from(part) : part;
        for (let at = 0; at < content.length;) at += waiting(() => writeSync(descriptor, content, at));
      }
      return undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return 'its folder does not exist';
    return code === 'ENXIO' ? 'nothing reads from this pipe' : fileProblem(error);
  }
}

/** The count of bytes that `move` answers; 0 at the end. A stream that does not block may say "not yet": it is asked again. */
function waiting(move: () => number): number {
  for (;;) {
    try {
      return move();
    } catch (error) {
      const code = codeOf(error);
      // What Windows says at the end of a pipe.
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** What went wrong, in a reader's words instead of `ENOENT: no such file or directory, open '…'`. */
export function fileProblem(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return noSuchFile;
    case 'EISDIR':
      return isFolder;
    case 'EACCES':
    case 'EPERM':
      return 'permission is denied';
    case 'ELOOP':
      return 'its symbolic links form a circle';
    case 'ENAMETOOLONG':
      return 'its name is too long';
    case 'ENOSPC':
      return 'the disk is full';
    // A socket, a device without a driver, a file of the system that waits for news.
    case 'ENXIO':
    case 'ENODEV':
    case 'EAGAIN':
      return notRegular;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
