/** Bytes of a file as they are read, decompressed if they are compressed. Neither the file nor what it becomes is ever in memory whole. */
import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { bytes } from '../../../engine/basics/quantities.ts';
import { fileProblem, notRegular } from '../regularFile.ts';

/** Most bytes that are read, decompressed. */
const mostBytes = 4 * 2 ** 30;
/** A text that was compressed more than this was made to fill a disk. */
const mostRatio = 200;
const ratioFrom = 64 * 2 ** 20;

/** What a compressed file that is cut off ends with, once all that is whole was given. */
export class CutOff extends Error {}

export interface ByteStream {
  /** Bytes of the file, as it lies on disk. */
  readonly size: number;
  /** Bytes of it that were read so far. */
  taken(): number;
  /** Ends with an error whose message says what is wrong. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export function byteStream(path: string): ByteStream | { readonly problem: string } {
  try {
    const status = statSync(path);
    if (!status.isFile()) return { problem: status.isDirectory() ? 'it is a folder' : notRegular };
    const counted = { taken: 0, given: 0 };
    return { size: status.size, taken: () => counted.taken, chunks: chunksOf(path, counted) };
  } catch (error) {
    return { problem: fileProblem(error) };
  }
}

async function* chunksOf(path: string, counted: { taken: number; given: number }): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  const unzip = unzipper();
  let first: Uint8Array | undefined;
  try {
    for await (const chunk of file.iterator({ destroyOnReturn: false })) {
      first = chunk as Uint8Array;
      break;
    }
    if (first === undefined) return;
    counted.taken += first.length;
    if (first[0] !== 0x1f || first[1] !== 0x8b) {
      yield checked(first, counted);
      for await (const chunk of file) {
        counted.taken += (chunk as Uint8Array).length;
        yield checked(chunk as Uint8Array, counted);
      }
      return;
    }
    for (const piece of piecesOf(first)) for (const text of await unzip.write(piece)) yield checked(text, counted);
    for await (const chunk of file) {
      if (unzip.problem() !== undefined) break;
      counted.taken += (chunk as Uint8Array).length;
      for (const piece of piecesOf(chunk as Uint8Array))
        for (const text of await unzip.write(piece)) yield checked(text, counted);
    }
    if (unzip.problem() === undefined) for (const text of await unzip.end()) yield checked(text, counted);
    if (unzip.problem() !== undefined) throw unzip.problem();
  } catch (error) {
    if (codeOf(error) === 'Z_BUF_ERROR') throw new CutOff('it is compressed, and cut off', { cause: error });
    throw new Error(zipProblem(error), { cause: error });
  } finally {
    file.destroy();
    unzip.close();
  }
}

/** A piece becomes at most a thousand times as long, and its text is in memory at once. */
const longestPiece = 1 << 16;

function* piecesOf(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += longestPiece) yield chunk.subarray(at, at + longestPiece);
}

function checked(chunk: Uint8Array, counted: { readonly taken: number; given: number }): Uint8Array {
  counted.given += chunk.length;
  if (counted.given > mostBytes) throw new Error(`it has more than ${bytes(mostBytes)}, which is the limit`);
  if (counted.given > ratioFrom && counted.given > mostRatio * counted.taken)
    throw new Error(`its text is more than ${mostRatio} times as long as the file: no trace is`);
  return chunk;
}

/** Decompresses piece by piece. A stream that is read would drop what was decompressed when the next piece turns out to be damaged. */
function unzipper() {
  const unzip = createGunzip({ chunkSize: 1 << 18 });
  let made: Uint8Array[] = [];
  let problem: unknown;
  unzip.on('data', (chunk: Uint8Array) => made.push(chunk));
  // A piece that is damaged is never said to be written.
  const failed = new Promise<void>((resolve) =>
    unzip.once('error', (error) => {
      problem = error;
      resolve();
    }),
  );
  const taken = (): readonly Uint8Array[] => {
    const all = made;
    made = [];
    return all;
  };
  return {
    problem: () => problem,
    close: () => void unzip.destroy(),
    async write(chunk: Uint8Array): Promise<readonly Uint8Array[]> {
      const written = new Promise<void>((resolve) => unzip.write(chunk, () => resolve()));
      await Promise.race([written, failed]);
      return taken();
    },
    async end(): Promise<readonly Uint8Array[]> {
      const ended = new Promise<void>((resolve) => unzip.once('end', resolve));
      unzip.end();
      await Promise.race([ended, failed]);
      return taken();
    },
  };
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

function zipProblem(error: unknown): string {
  const code = codeOf(error);
  return code.startsWith('Z_') ? 'it is compressed, and damaged' : fileProblem(error);
}
