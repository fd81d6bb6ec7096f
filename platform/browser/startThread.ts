/** Threads of a worker: workers inside it, of the same script. A browser without such workers starts none. */
import type { StartThread, ThreadChannel } from '../common/threads.ts';
import { inNextTurn } from '../common/turn.ts';

const threadName = 'pipewright thread';

/** Whether this worker is a thread of a server. An editor may put other words before the name. */
export const isThread = (): boolean => self.name.endsWith(threadName);

interface GivenUp {
  readonly unwanted: number;
}

export const startThread: StartThread = ({ message, lost }) => {
  try {
    const worker = new Worker(self.location.href, { name: threadName });
    worker.addEventListener('message', (event) => message(event.data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      worker.terminate();
      lost(new Error(event.message === '' ? 'The thread ended.' : event.message));
    });
    return {
      post: (asked) => worker.postMessage(asked),
      giveUp: (task) => worker.postMessage({ unwanted: task } satisfies GivenUp),
      end: () => worker.terminate(),
    };
  } catch {
    return undefined;
  }
};

/** The server, as a thread of it sees it. They share no memory: what the server gives up is heard between two steps. */
export function threadChannel(): ThreadChannel {
  let unwanted: number | undefined;
  return {
    listen: (receive) =>
      self.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        if (typeof data === 'object' && data !== null && 'unwanted' in data) unwanted = (data as GivenUp).unwanted;
        else receive(data);
      }),
    send: (message, handed) => self.postMessage(message, [...handed]),
    isUnwanted: (task) => unwanted === task,
    hear: () => new Promise((resolve) => inNextTurn(resolve)),
  };
}
