/** Documents whose checks are followed by searches that nobody asked for: what is published, in order. */
import type { Finding } from '../../engine/findings/finding.ts';
import type { EngineOptions } from '../../engine/basics/host.ts';
import { type Answers, createAnswers } from '../../server/threads/answers.ts';
import { createDocuments } from '../../server/documents/documents.ts';
import type { Threads } from '../../server/threads/threads.ts';
import type { View } from '../../server/view.ts';
import { hostOf, noLines } from './host.ts';

interface SearchHost {
  readonly answers: Answers;
  found(view: View): void;
  failed(error: unknown): void;
}

interface Ahead {
  ahead(view: View): void;
  stop(uri: string): void;
}

/** `make`: the searches; `findings`: of a view with what they know; `say`: what a test wants of a published view. */
export function publications<S extends Ahead, Said extends object>(
  { threads, options }: { readonly threads: Threads; readonly options: EngineOptions },
  make: (host: SearchHost) => S,
  findings: (searches: S, view: View) => readonly Finding[],
  say: (view: View) => Said,
) {
  const answers = createAnswers(threads);
  const published: ({ readonly view: View } & Said)[] = [];
  const failures: unknown[] = [];
  let waiting: (() => void)[] = [];
  const publish = (view: View): void => {
    published.push({ view, ...say(view) });
    for (const resume of waiting.splice(0)) resume();
  };
  const extended = (view: View): View | undefined => documents.extend(view, findings(searches, view));
  const documents = createDocuments({
    files: { ...hostOf(), ...noLines, list: () => [], all: () => [] },
    answers,
    options: () => options,
    ready: Promise.resolve(),
    planned: () => {},
    checked(view) {
      publish(extended(view) ?? view);
      searches.ahead(view);
    },
    untested: () => {},
    waiting: () => {},
    closed: () => {},
    failed: (_, error) => failures.push(error),
  });
  const searches = make({
    answers,
    found(view) {
      const next = extended(view);
      if (next !== undefined) publish(next);
    },
    failed: (error) => failures.push(error),
  });
  return {
    searches,
    published,
    failures,
    set(uri: string, version: number, text: string) {
      documents.set(uri, version, text);
      searches.stop(uri);
    },
    /** Settled when as much is published. */
    async publications(count: number) {
      while (published.length < count)
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
    },
  };
}

/** Long enough for timers without a delay, and for all that follows from them. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}
