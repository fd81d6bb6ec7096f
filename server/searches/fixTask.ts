/** The search for the fixes of one finding, or of all findings of a code: it runs once for all requests, in slices. */
import type { CancellationToken } from 'vscode-languageserver';
import type { FixSteps, FoundSoFar, Proposal } from '../../engine/fixes/proposal.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { Documents } from '../documents/documents.ts';
import { trials } from './trials.ts';
import type { View } from '../view.ts';

/** Fixes that are being found. */
export interface Fixes {
  /** What is found so far, best first. The first is preferred only once all are found. */
  found(): readonly Proposal[];
  isDone(): boolean;
  /** The text has changed meanwhile. */
  isOutdated(): boolean;
  /** Settled when all are found, or when the text has changed. */
  readonly done: Promise<void>;
  /** Settled when more may be found. */
  more(): Promise<void>;
}

export interface Task extends Fixes {
  /** Goes on until all is found; pauses when the token is cancelled, and continues from there when called again. */
  run(token: CancellationToken): Promise<void>;
}

type Again = ReturnType<typeof trials>;

interface TaskHost {
  readonly documents: Documents;
  readonly view: View;
  failed(error: unknown): void;
}

/** `before`: other tasks that it needs. */
export function createTask(
  { documents, view, failed }: TaskHost,
  steps: (searches: Searches, again: Again) => FixSteps,
  before: (token: CancellationToken) => Promise<void> = () => Promise.resolve(),
): Task {
  let soFar: FoundSoFar = () => [];
  let state: 'open' | 'done' | 'outdated' = 'open';
  let running: Promise<void> | undefined;
  let waiting: (() => void)[] = [];
  let settle = (): void => {};
  const done = new Promise<void>((resolve) => {
    settle = resolve;
  });
  // What was simulated is kept until all is found.
  let again: Again | undefined = trials(view);

  function wake(): void {
    const resumed = waiting;
    waiting = [];
    for (const resume of resumed) resume();
  }

  function end(as: 'done' | 'outdated', fixes: readonly Proposal[]): void {
    soFar = () => fixes;
    state = as;
    again = undefined;
    settle();
    wake();
  }

  function* watched(searches: Searches, tried: Again): FixSteps {
    const found = steps(searches, tried);
    for (let step = found.next(); ; step = found.next()) {
      if (step.done === true) return step.value;
      if (step.value !== undefined) soFar = step.value;
      wake();
      yield undefined;
    }
  }

  async function find(token: CancellationToken): Promise<void> {
    await before(token);
    const tried = again;
    if (token.isCancellationRequested || tried === undefined) return;
    try {
      const fixes = await documents.answeredInSteps(view.uri, (searches) => watched(searches, tried), token);
      if (fixes !== undefined) end('done', fixes);
      else if (!token.isCancellationRequested) end('outdated', []);
    } catch (error) {
      failed(error);
      end('done', []);
    }
  }

  return {
    found: () => soFar(),
    isDone: () => state === 'done',
    isOutdated: () => state === 'outdated',
    done,
    more: () => (state === 'open' ? new Promise((resolve) => waiting.push(resolve)) : done),
    async run(token) {
      // Another caller may pause it in the middle.
      while (running !== undefined) await running;
      if (state !== 'open' || token.isCancellationRequested) return;
      running = find(token).finally(() => {
        running = undefined;
      });
      await running;
    },
  };
}
