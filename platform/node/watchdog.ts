/**
 * Watches the process of the client from another thread. The main thread ends by itself when its input closes, but not while it
 * computes. A server that never comes back from a text would outlive its client.
 */
import { Worker } from 'node:worker_threads';

/** What the watching thread knows. */
export interface Watched {
  /** Counts as long as the main thread answers. */
  readonly beats: Int32Array;
  /** Number of the process of the client. */
  readonly client: number;
}

/** Milliseconds between two beats. */
export const beat = 1_000;

/** Beats that the main thread may miss: it is stuck then, and not just busy. */
const mostMissed = 5;

/** A look at the main thread. `end` is called once it is stuck and the client is gone; a main thread that answers ends by itself. */
export function looker(read: () => number, lives: () => boolean, end: () => void): () => void {
  let last = -1;
  let missed = 0;
  return () => {
    const now = read();
    missed = now === last ? missed + 1 : 0;
    last = now;
    if (missed >= mostMissed && !lives()) end();
  };
}

/** The thread's bundle, next to the server's; its source if the server runs from source. */
const script = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './watchdogThread.ts' : './watchdogThread.js', import.meta.url);

/** `processId`: of the client, as it says; null for the process that has started this one. */
export function watchClient(processId: number | null): void {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const watched: Watched = { beats, client: processId ?? process.ppid };
  const worker = new Worker(script(), { workerData: watched });
  worker.unref();
  // Where no thread can be had, the main thread is alone.
  worker.on('error', () => {});
  setInterval(() => Atomics.add(beats, 0, 1), beat).unref();
}
