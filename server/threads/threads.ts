/** Threads that find answers outside the server's thread, so that no document and no request waits for the work of another. */
import type { Search } from '../../engine/basics/searches.ts';
import { quietTimer } from '../../platform/common/quietTimer.ts';
import type { StartedThread, StartThread } from '../../platform/common/threads.ts';
import type { Answered } from './serve.ts';
import { type Task, workHere } from './task.ts';

export interface Threads {
  /**
   * Finds the answer for one owner. An owner has at most half of the threads, so that there is one for others. `onProgress` hears
   * how far it is, until it is answered or cancelled.
   */
  run<Problem, Answer, Progress>(
    owner: string,
    search: Search<Problem, Answer, Progress>,
    problem: Problem,
    onProgress?: (progress: Progress) => void,
  ): Running<Answer>;
  /** Starts a thread if there is none, so that the first search does not wait for it. */
  ahead(): void;
  close(): void;
}

export interface Running<Answer> {
  readonly answer: Promise<Answer>;
  /** Nobody wants the answer: it never comes. Its thread is free for other work after the current step of the search. */
  cancel(): void;
}

export interface ThreadsOptions {
  readonly start: StartThread;
  /** Milliseconds after which a thread ends that does not give up its cancelled search. */
  readonly grace?: number;
  /** Threads at a time, of all owners and of one. Default: 4 and 2. */
  readonly most?: number;
  readonly mostOfOwner?: number;
  /** Threads without work wait for more. Default: all but one end, those with a large answer at once, others after some time. */
  readonly keep?: true;
  /** Milliseconds of that time. */
  readonly idle?: number;
}

const usualMost = 4;
const usualMostOfOwner = 2;
/** A new thread takes longer to start, and its code is slow at first. */
const usualGrace = 100;
/** Searches follow each other: whoever gets an answer often asks for the next one. */
const usualIdle = 500;

/** A thread that has been started, and what it works on. */
interface Thread {
  readonly side: StartedThread;
  /** Its work, which may be cancelled; the thread is not free before it says so. */
  task?: Task;
  /** Its script runs, so threads can be had. */
  ready: boolean;
  /** Ends the thread where a step of a cancelled search takes too long, or where it has had no task for some time. */
  timer?: ReturnType<typeof setTimeout>;
}

/** Undefined where the system has no thread left. */
function threadOf(
  start: StartThread,
  message: (thread: Thread, message: Answered) => void,
  lost: (thread: Thread, error: Error) => void,
): Thread | undefined {
  const side = start({
    message: (answered) => message(thread, answered as Answered),
    lost: (error) => lost(thread, error),
  });
  if (side === undefined) return undefined;
  const thread: Thread = { side, ready: false };
  return thread;
}

export function createThreads({
  start,
  grace = usualGrace,
  most = usualMost,
  mostOfOwner = usualMostOfOwner,
  keep,
  idle = usualIdle,
}: ThreadsOptions): Threads {
  const threads = new Set<Thread>();
  let waiting: Task[] = [];
  let possible = true;
  let tasks = 0;

  function started(): Thread | undefined {
    const thread = threadOf(start, answered, lost);
    if (thread !== undefined) threads.add(thread);
    return thread;
  }

  function answered(thread: Thread, message: Answered): void {
    thread.ready = true;
    const { task } = thread;
    if ('ready' in message) {
      if (task?.cancelled === true) giveUp(thread);
      return;
    }
    if ('progress' in message) {
      if (task?.cancelled === false) task.progress?.(message.progress);
      return;
    }
    clearTimeout(thread.timer);
    thread.task = undefined;
    if (task !== undefined && !task.cancelled) {
      if ('error' in message) task.reject(new Error(message.error));
      else if ('answer' in message) task.resolve(message.answer);
    }
    next();
    if (thread.task !== undefined || keep === true) return;
    // One that has simulated holds much memory.
    if (task?.large === true && threads.size > 1) end(thread);
    else idles(thread);
  }

  /** It ends if no task comes for some time and there is another thread. */
  function idles(thread: Thread): void {
    thread.timer = quietTimer(() => {
      if (threads.size > 1) end(thread);
    }, idle);
  }

  /** Its search ends after the current step; if that takes too long, the thread ends. */
  function giveUp(thread: Thread): void {
    thread.timer = quietTimer(() => {
      end(thread);
      next();
    }, grace);
  }

  /** A thread that was never ready could not be started: its work is done here. */
  function lost(thread: Thread, error: Error): void {
    if (!threads.delete(thread)) return;
    const { task } = thread;
    clearTimeout(thread.timer);
    if (!thread.ready) possible = false;
    if (task !== undefined && !task.cancelled) {
      if (thread.ready) task.reject(error);
      else void workHere(task);
    }
    next();
  }

  function end(thread: Thread): void {
    clearTimeout(thread.timer);
    threads.delete(thread);
    thread.side.end();
  }

  function next(): void {
    // A thread that gives up its search is free sooner than a new one has started.
    let soon = [...threads].filter(({ task }) => task?.cancelled === true).length;
    for (const task of waiting) {
      if ([...threads].filter((thread) => thread.task?.owner === task.owner).length >= mostOfOwner) continue;
      const free = [...threads].find((thread) => thread.task === undefined);
      if (free === undefined && soon > 0) {
        soon -= 1;
        continue;
      }
      if (free === undefined && threads.size >= most) return;
      const thread = free ?? (possible ? started() : undefined);
      waiting = waiting.filter((other) => other !== task);
      if (thread === undefined) void workHere(task);
      else {
        clearTimeout(thread.timer);
        thread.task = task;
        thread.side.post(task.message);
      }
    }
  }

  return {
    run<Problem, Answer, Progress>(
      owner: string,
      search: Search<Problem, Answer, Progress>,
      problem: Problem,
      onProgress?: (progress: Progress) => void,
    ): Running<Answer> {
      let cancel = (): void => {};
      tasks += 1;
      const number = tasks;
      const answer = new Promise<Answer>((resolve, reject) => {
        const task: Task = {
          owner,
          message: { task: number, search: search.name, problem },
          resolve: (found) => resolve(found as Answer),
          reject,
          ...(onProgress === undefined ? {} : { progress: (progress) => onProgress(progress as Progress) }),
          steps: () => search.steps(problem),
          large: search.large === true,
          cancelled: false,
        };
        waiting.push(task);
        cancel = () => {
          if (task.cancelled) return;
          task.cancelled = true;
          waiting = waiting.filter((other) => other !== task);
          const thread = [...threads].find((candidate) => candidate.task === task);
          if (thread === undefined) return;
          thread.side.giveUp(number);
          // One that has not started has nothing to give up.
          if (thread.ready) giveUp(thread);
          next();
        };
      });
      // What takes the place of an older task is asked for before that one is given up: its thread will do.
      queueMicrotask(next);
      return { answer, cancel: () => cancel() };
    },
    ahead() {
      if (threads.size === 0 && possible) started();
    },
    close() {
      waiting = [];
      for (const thread of threads) end(thread);
    },
  };
}
