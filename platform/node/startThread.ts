/** Threads of Node's workers. Both sides see one number: the task that nobody wants any more. */
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { StartThread, ThreadChannel } from '../common/threads.ts';

interface Given {
  readonly unwanted: Int32Array<SharedArrayBuffer>;
}

/** The thread's bundle, next to the server's; its source if the server runs from source. */
const script = (): URL => new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

/**
 * New objects of a thread have this much room, in megabytes. Node's own limit is several times as much, which several threads fill
 * with what nobody uses any more, and is no faster.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 16 };

/** Threads that run a script. Default: the server's own. */
export const threadStarter =
  (entry: () => URL = script): StartThread =>
  ({ message, lost }) => {
    try {
      const unwanted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const worker = new Worker(entry(), { workerData: { unwanted } satisfies Given, resourceLimits });
      // A server that has nothing else to do may end.
      worker.unref();
      worker.on('message', message);
      worker.on('error', lost);
      worker.on('exit', () => lost(new Error('The thread ended.')));
      return {
        post: (asked) => worker.postMessage(asked),
        giveUp: (task) => void Atomics.store(unwanted, 0, task),
        end: () => void worker.terminate(),
      };
    } catch {
      return undefined;
    }
  };

/** The server, as a thread of it sees it. */
export function threadChannel(): ThreadChannel {
  const { unwanted } = workerData as Given;
  return {
    listen: (receive) => void parentPort?.on('message', receive),
    send: (message, handed) => parentPort?.postMessage(message, handed),
    isUnwanted: (task) => Atomics.load(unwanted, 0) === task,
  };
}
