/** Threads that find answers outside the server's thread, so that no document and no request waits for the work of another. */
import { Worker } from 'node:worker_threads';
import type { Search } from '../engine/searches.ts';
import type { Answered, Asked } from './thread.ts';

export interface Threads {
  /** Finds the answer for one owner. An owner has at most half of the threads, so that there is one for others. */
  run<Problem, Answer>(owner: string, search: Search<Problem, Answer>, problem: Problem): Running<Answer>;
  close(): void;
}

export interface Running<Answer> {
  readonly answer: Promise<Answer>;
  /** Nobody wants the answer: its thread ends at once. */
  cancel(): void;
}

interface Task {
  readonly owner: string;
  readonly message: Asked;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  /** The work itself, for where there is no thread to be had. */
  readonly steps: () => Generator<void, unknown, void>;
  cancelled: boolean;
}

interface Thread {
  readonly worker: Worker;
  task?: Task;
  /** Its script runs, so threads can be had. */
  ready: boolean;
}

const most = 4;
const mostOfOwner = 2;

/** The thread's bundle, next to the server's; its source if the server runs from source. */
const script = (): URL => new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

export function createThreads(entry: () => URL = script): Threads {
  const threads = new Set<Thread>();
  let waiting: Task[] = [];
  let possible = true;

  function start(): Thread | undefined {
    try {
      const worker = new Worker(entry());
      // A server that has nothing else to do may end.
      worker.unref();
      const thread: Thread = { worker, ready: false };
      threads.add(thread);
      worker.on('message', (message: Answered) => answered(thread, message));
      worker.on('error', (error) => lost(thread, error));
      worker.on('exit', () => lost(thread, new Error('The thread ended.')));
      return thread;
    } catch {
      return undefined;
    }
  }

  function answered(thread: Thread, message: Answered): void {
    thread.ready = true;
    if ('ready' in message) return;
    const { task } = thread;
    thread.task = undefined;
    if (task !== undefined) {
      if ('error' in message) task.reject(new Error(message.error));
      else task.resolve(message.answer);
    }
    next();
    if (thread.task === undefined && threads.size > 1) end(thread);
  }

  /** A thread that was never ready could not be started: its work is done here. */
  function lost(thread: Thread, error: Error): void {
    if (!threads.delete(thread)) return;
    const { task } = thread;
    if (!thread.ready) possible = false;
    if (task !== undefined && thread.ready) task.reject(error);
    else if (task !== undefined) void here(task);
    next();
  }

  function end(thread: Thread): void {
    threads.delete(thread);
    void thread.worker.terminate();
  }

  function next(): void {
    for (;;) {
      const busy = (owner: string) => [...threads].filter(({ task }) => task?.owner === owner).length;
      const task = waiting.find(({ owner }) => busy(owner) < mostOfOwner);
      if (task === undefined) return;
      const free = [...threads].find((thread) => thread.task === undefined);
      if (free === undefined && threads.size >= most) return;
      const thread = free ?? (possible ? start() : undefined);
      waiting = waiting.filter((other) => other !== task);
      if (thread === undefined) void here(task);
      else {
        thread.task = task;
        thread.worker.postMessage(task.message);
      }
    }
  }

  /** In slices, so that requests are answered between them. */
  async function here(task: Task): Promise<void> {
    try {
      const steps = task.steps();
      while (!task.cancelled) {
        await new Promise((resolve) => setImmediate(resolve));
        const step = steps.next();
        if (step.done) return task.resolve(step.value);
      }
    } catch (error) {
      task.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return {
    run<Problem, Answer>(owner: string, search: Search<Problem, Answer>, problem: Problem): Running<Answer> {
      let cancel = (): void => {};
      const answer = new Promise<Answer>((resolve, reject) => {
        const task: Task = {
          owner,
          message: { search: search.name, problem },
          resolve: (found) => resolve(found as Answer),
          reject,
          steps: () => search.steps(problem),
          cancelled: false,
        };
        waiting.push(task);
        cancel = () => {
          task.cancelled = true;
          waiting = waiting.filter((other) => other !== task);
          const thread = [...threads].find((candidate) => candidate.task === task);
          if (thread === undefined) return;
          end(thread);
          next();
        };
      });
      next();
      return { answer, cancel: () => cancel() };
    },
    close() {
      waiting = [];
      for (const thread of threads) end(thread);
    },
  };
}
