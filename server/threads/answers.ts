/** Answers of planners and evaluations for the checks and requests of open documents: small ones at once, others from threads. */
import { directSearches, searchKey, type Search, type Searches } from '../../engine/basics/searches.ts';
import type { Running, Threads } from './threads.ts';

export interface Answers {
  /** A check of a document: its newest round decides what is wanted. */
  check(document: string): Round;
  /** A request, which wants what it asks until it is released. */
  request(document: string): Round;
  /** The document is closed: its checks want nothing any more. */
  release(document: string): void;
}

export interface Round extends Searches {
  /** The same, and says how far the search is, from then until the round is released or the answer is there. */
  follow<Problem, Answer, Progress>(
    search: Search<Problem, Answer, Progress>,
    problem: Problem,
    onProgress: (progress: Progress) => void,
  ): Answer | undefined;
  /** Everything that the round needs has been asked: what only earlier rounds asked for is given up. */
  asked(): void;
  /** Settled when everything that was asked has been answered or given up. */
  answered(): Promise<void>;
  /** What only this round asked for is given up. */
  release(): void;
}

type Owner = string | symbol;

interface Wanted {
  /** Documents, and rounds of requests. */
  readonly owners: Set<Owner>;
  /** Of owners who follow the search. */
  readonly followers: Map<Owner, (progress: unknown) => void>;
  /** How far it is. */
  progress?: unknown;
  readonly running: Running<unknown>;
  /** Settled once there is an answer, or none will come. */
  readonly settled: Promise<void>;
  readonly give: () => void;
  answer?: { readonly value: unknown } | { readonly error: unknown };
}

/** Searches of at most as many steps are done on the spot: some 10 ms. */
const onTheSpot = 500_000;
/** Answers that are kept though nobody wants them now, for an edit that is taken back. */
const kept = 32;

export function createAnswers(threads: Threads, small = onTheSpot): Answers {
  const direct = directSearches();
  const wanted = new Map<string, Wanted>();
  const known = new Map<string, unknown>();

  function ask<Problem, Answer>(
    document: string,
    key: string,
    search: Search<Problem, Answer>,
    problem: Problem,
  ): Wanted {
    const running = threads.run(document, search, problem, (progress) => {
      task.progress = progress;
      for (const tell of task.followers.values()) tell(progress);
    });
    let give = (): void => {};
    const settled = new Promise<void>((resolve) => {
      give = resolve;
    });
    const task: Wanted = { owners: new Set(), followers: new Map(), running, settled, give };
    const settle = (answer: NonNullable<Wanted['answer']>): void => {
      task.answer = answer;
      give();
    };
    running.answer.then(
      (value) => {
        if (search.large !== true) remember(key, value);
        settle({ value });
      },
      (error: unknown) => settle({ error }),
    );
    return task;
  }

  function remember(key: string, value: unknown): void {
    // The last one used is the last one forgotten.
    known.delete(key);
    known.set(key, value);
    const [oldest] = known.keys();
    if (known.size > kept && oldest !== undefined) known.delete(oldest);
  }

  /** Gives up what the owner wants, but for these. */
  function release(owner: Owner, but?: ReadonlySet<string>): void {
    for (const [key, task] of wanted) {
      if (but?.has(key) === true) continue;
      task.followers.delete(owner);
      if (!task.owners.delete(owner) || task.owners.size > 0) continue;
      wanted.delete(key);
      task.running.cancel();
      task.give();
    }
  }

  function round(document: string, owner: Owner): Round {
    const asked = new Set<string>();
    function answer<Problem, Answer, Progress>(
      search: Search<Problem, Answer, Progress>,
      problem: Problem,
      onProgress?: (progress: Progress) => void,
    ): Answer | undefined {
      if (search.size(problem) <= small) return direct.answer(search, problem);
      const key = searchKey(search, problem);
      if (known.has(key)) {
        const found = known.get(key);
        remember(key, found);
        return found as Answer;
      }
      const task = wanted.get(key) ?? ask(document, key, search, problem);
      wanted.set(key, task);
      task.owners.add(owner);
      asked.add(key);
      if (onProgress !== undefined) {
        const tell = (progress: unknown): void => onProgress(progress as Progress);
        if (!task.followers.has(owner) && task.progress !== undefined) tell(task.progress);
        task.followers.set(owner, tell);
      }
      if (task.answer === undefined) return undefined;
      if ('error' in task.answer) throw task.answer.error;
      return task.answer.value as Answer;
    }
    return {
      answer,
      *steps(search, problem) {
        return search.size(problem) <= small ? yield* direct.steps(search, problem) : answer(search, problem);
      },
      follow: answer,
      asked: () => release(owner, asked),
      async answered() {
        await Promise.all([...asked].flatMap((key) => wanted.get(key)?.settled ?? []));
      },
      release: () => release(owner),
    };
  }

  return {
    check: (document) => round(document, document),
    request: (document) => round(document, Symbol(document)),
    release,
  };
}
