import { threadStarter } from '../../platform/node/startThread.ts';
import { createThreads, type Running, type Threads } from '../../server/threads/threads.ts';

const shared = createThreads({ start: threadStarter(), keep: true });

/** Threads that tests take in turn: a new one has to load the engine, which takes longer than most searches. Closed, they give up their tasks. */
export function warmThreads(): Threads {
  const running = new Set<Running<unknown>>();
  return {
    ...shared,
    run(...task) {
      const started = shared.run(...task);
      running.add(started);
      return started;
    },
    close() {
      for (const { cancel } of running) cancel();
    },
  };
}
