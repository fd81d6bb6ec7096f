import { headLength, runReader } from '../../engine/formats/recording/reader.ts';
import type { Io } from '../io.ts';

/** Whether a path names a folder, or a file that a training engine or its profiler wrote about a run. */
export async function isRun(path: string, io: Io): Promise<boolean> {
  if (path === '-') return false;
  // Of what `import` reads, only runs are compressed.
  if (/\.gz$/i.test(path) || io.filesIn(path) !== undefined) return true;
  const stream = io.openBytes(path);
  if ('problem' in stream) return false;
  const head = new Uint8Array(headLength);
  let length = 0;
  try {
    for await (const chunk of stream.chunks) {
      head.set(chunk.subarray(0, headLength - length), length);
      length += Math.min(chunk.length, headLength - length);
      if (length === headLength) break;
    }
  } catch {
    // Why it cannot be read is said by whoever reads it.
    return true;
  }
  return runReader('', head.subarray(0, length)) !== undefined;
}
