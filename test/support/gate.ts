/** Threads that answer when a test lets them. */
import type { Threads } from '../../server/threads/threads.ts';
import { warmThreads } from './threads.ts';

export interface Gate {
  readonly threads: Threads;
  /** Documents that asked for each task, in order, and how many tasks were given up. */
  readonly asked: string[];
  cancelled: number;
  open(): void;
}

/** Real threads whose answers are held back until the gate is open. */
export function gate(): Gate {
  const threads = warmThreads();
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const found: Gate = {
    asked: [],
    cancelled: 0,
    open: () => open(),
    threads: {
      run(owner, search, problem) {
        found.asked.push(owner);
        const running = threads.run(owner, search, problem);
        return {
          answer: Promise.all([running.answer, opened]).then(([answer]) => answer),
          cancel() {
            found.cancelled += 1;
            running.cancel();
          },
        };
      },
      ahead: () => threads.ahead(),
      close: () => threads.close(),
    },
  };
  return found;
}
