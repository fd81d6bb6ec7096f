/** Bytes of a file as they are read, decompressed if they are compressed. Neither the file nor what it becomes is ever in memory whole. */
import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { bytes } from '../../engine/basics/quantities.ts';
import { fileProblem, notRegular } from '../../server/regularFile.ts';

/** Most bytes that are read, decompressed. */
const mostBytes = 4 * 2 ** 30;
/** A text that was compressed more than this was made to fill a disk. */
const mostRatio = 200;
const ratioFrom = 64 * 2 ** 20;

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
    const unzip = createGunzip({ chunkSize: 1 << 18 });
    unzip.write(first);
    file.on('data', (chunk) => (counted.taken += chunk.length));
    file.on('error', (error) => unzip.destroy(error));
    file.pipe(unzip);
    for await (const chunk of unzip) yield checked(chunk as Uint8Array, counted);
  } catch (error) {
    throw new Error(zipProblem(error), { cause: error });
  } finally {
    file.destroy();
  }
}

function checked(chunk: Uint8Array, counted: { readonly taken: number; given: number }): Uint8Array {
  counted.given += chunk.length;
  if (counted.given > mostBytes) throw new Error(`it has more than ${bytes(mostBytes)}, which is the limit`);
  if (counted.given > ratioFrom && counted.given > mostRatio * counted.taken)
    throw new Error(`its text is more than ${mostRatio} times as long as the file: no trace is`);
  return chunk;
}

function zipProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') return 'it is compressed, and cut off';
  return code.startsWith('Z_') ? 'it is compressed, and damaged' : fileProblem(error);
}
