import workerSource from 'inline:../worker/main.ts';
import { type DrawRequest, type FromWorker, pageWorker, type ToWorker } from '../worker/messages.ts';

export interface EngineWorker {
  send(message: ToWorker): void;
  /** One picture is drawn at a time; of those asked for meanwhile only the newest. `make` is called when its turn comes. */
  draw(make: () => readonly DrawRequest[]): void;
  /** Ends it, also in the middle of a simulation. */
  stop(): void;
}

/** Starts the worker from the text that the bundle carries: pages of the editor may load workers from blob: addresses only. */
export function engineWorker(receive: (message: FromWorker) => void, fail: (reason: string) => void): EngineWorker {
  const address = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
  let worker: Worker;
  try {
    worker = new Worker(address, { name: pageWorker });
  } catch (error) {
    queueMicrotask(() => fail(error instanceof Error ? error.message : String(error)));
    return { send: () => undefined, draw: () => undefined, stop: () => undefined };
  } finally {
    URL.revokeObjectURL(address);
  }
  let next = 0;
  let busy = false;
  let waiting: (() => readonly DrawRequest[]) | undefined;
  const start = (make: () => readonly DrawRequest[]) => {
    const requests = make();
    if (requests.length === 0) return;
    busy = true;
    next += 1;
    const message: ToWorker = { type: 'draw', id: next, requests };
    worker.postMessage(
      message,
      requests.flatMap(({ buffer }) => (buffer === undefined ? [] : [buffer])),
    );
  };
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    if (data.type === 'frame' || data.type === 'failed') busy = false;
    receive(data);
    if (busy || waiting === undefined) return;
    const make = waiting;
    waiting = undefined;
    start(make);
  });
  worker.addEventListener('error', (event) => fail(event.message || 'the worker of the preview stopped'));
  return {
    send: (message) => worker.postMessage(message),
    stop: () => worker.terminate(),
    draw: (make) => {
      if (busy) waiting = make;
      else start(make);
    },
  };
}
