/**
 * Looks for shorter orders of the pipelines of open documents, after their figures are published and nobody types: one document
 * after the other, in one thread. What was found is kept, so that an edit elsewhere in the file searches nothing again.
 */
import { CancellationTokenSource, type CancellationToken } from 'vscode-languageserver';
import { orderQuestion, type OrderQuestion, shorterOrder, shorterOrderFinding } from '../engine/shorterOrder.ts';
import type { Finding } from '../engine/findings/finding.ts';
import { searchKey } from '../engine/searches.ts';
import type { Answers } from './answers.ts';
import { cancelled } from './documents.ts';
import type { View } from './view.ts';

export interface ShorterOrders {
  /** What is known of the pipelines of a view without a search. */
  known(view: View): readonly Finding[];
  /** The text is checked: looks for what is not known, once nobody types. */
  ahead(view: View): void;
  /** The text has changed, or its document is closed. */
  stop(uri: string): void;
}

export interface ShorterOrdersHost {
  readonly answers: Answers;
  /** A pipeline of the view has a shorter order; `known` has it. */
  found(view: View): void;
  failed(error: unknown): void;
}

type Answer = ReturnType<(typeof shorterOrder)['steps']> extends Generator<void, infer A, void> ? A : never;

/** Milliseconds without a new text after which orders are searched. */
const usualQuiet = 1_000;
/** Answers that are kept. */
const kept = 64;
/** All searches have one owner, so documents keep their threads. */
const owner = 'pipewright:orders';

export function createShorterOrders({ answers, found, failed }: ShorterOrdersHost, quiet = usualQuiet): ShorterOrders {
  const known = new Map<string, Answer>();
  const waiting = new Map<string, { readonly source: CancellationTokenSource; readonly timer: NodeJS.Timeout }>();
  const questions = new WeakMap<View['analysis'], readonly OrderQuestion[]>();
  /** Settled when no search runs. */
  let last = Promise.resolve();

  function questionsOf({ analysis, options }: View): readonly OrderQuestion[] {
    const all =
      questions.get(analysis) ??
      analysis.pipelines.flatMap((pipeline) => orderQuestion(pipeline, options.search.effort) ?? []);
    questions.set(analysis, all);
    return all;
  }

  const keyOf = (question: OrderQuestion): string => searchKey(shorterOrder, question);

  function remember(key: string, answer: Answer): void {
    known.set(key, answer);
    const [oldest] = known.keys();
    if (known.size > kept && oldest !== undefined) known.delete(oldest);
  }

  async function search(view: View, question: OrderQuestion, token: CancellationToken): Promise<void> {
    const key = keyOf(question);
    if (known.has(key)) return;
    const round = answers.request(owner);
    try {
      for (;;) {
        const answer = round.answer(shorterOrder, question);
        if (answer !== undefined) {
          remember(key, answer);
          if (answer.found !== undefined) found(view);
          return;
        }
        await Promise.race([round.answered(), cancelled(token)]);
        if (token.isCancellationRequested) return;
      }
    } finally {
      round.release();
    }
  }

  async function searchAll(view: View, token: CancellationToken): Promise<void> {
    for (const question of questionsOf(view)) {
      if (token.isCancellationRequested) return;
      await search(view, question, token);
    }
  }

  function stop(uri: string): void {
    const state = waiting.get(uri);
    waiting.delete(uri);
    clearTimeout(state?.timer);
    state?.source.cancel();
  }

  return {
    known: (view) =>
      questionsOf(view).flatMap((question) => {
        const answer = known.get(keyOf(question))?.found;
        const { origins } = view.analysis.resolution;
        const finding = answer === undefined ? undefined : shorterOrderFinding(question, answer, origins);
        return finding === undefined || finding.place.uri !== view.uri ? [] : [finding];
      }),
    ahead(view) {
      stop(view.uri);
      if (questionsOf(view).every((question) => known.has(keyOf(question)))) return;
      const source = new CancellationTokenSource();
      const timer = setTimeout(() => {
        last = last.then(() => searchAll(view, source.token)).catch(failed);
      }, quiet);
      // Nobody waits for it: it keeps no process alive.
      timer.unref();
      waiting.set(view.uri, { source, timer });
    },
    stop,
  };
}
