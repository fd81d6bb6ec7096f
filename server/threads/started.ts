/** A thread that has been started, and what it works on. */
import { Worker } from 'node:worker_threads';
import type { Answered, Given } from './serve.ts';
import type { Task } from './task.ts';

export interface Thread extends Given {
  readonly worker: Worker;
  /** Its work, which may be cancelled; the thread is not free before it says so. */
  task?: Task;
  /** Its script runs, so threads can be had. */
  ready: boolean;
  /** Ends the thread where a step of a cancelled search takes too long. */
  timer?: NodeJS.Timeout;
}

/** Undefined where the system has no thread left. `lost` is called for each way in which it ends. */
export function startThread(
  entry: () => URL,
  on: { message(thread: Thread, message: Answered): void; lost(thread: Thread, error: Error): void },
): Thread | undefined {
  try {
    const unwanted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const given: Given = { unwanted };
    const worker = new Worker(entry(), { workerData: given });
    // A server that has nothing else to do may end.
    worker.unref();
    const thread: Thread = { worker, unwanted, ready: false };
    worker.on('message', (message: Answered) => on.message(thread, message));
    worker.on('error', (error) => on.lost(thread, error));
    worker.on('exit', () => on.lost(thread, new Error('The thread ended.')));
    return thread;
  } catch {
    return undefined;
  }
}
