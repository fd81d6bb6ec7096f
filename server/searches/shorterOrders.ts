/**
 * Looks for shorter orders of the pipelines of open documents, after their figures are published and nobody types: one document
 * after the other, in one thread. What was found is kept, so that an edit elsewhere in the file searches nothing again.
 */
import { CancellationTokenSource, type CancellationToken } from 'vscode-languageserver';
import type { OrderProgress } from '../../engine/analyze/orderCurve.ts';
import {
  type OrderAnswer,
  orderQuestion,
  type OrderQuestion,
  shorterOrder,
  shorterOrderFinding,
  stoppedOrder,
} from '../../engine/advice/shorterOrder.ts';
import type { Finding } from '../../engine/findings/finding.ts';
import { searchKey } from '../../engine/basics/searches.ts';
import type { Answers } from '../threads/answers.ts';
import { cancelled } from '../documents/answered.ts';
import { createQuietWork } from './quietWork.ts';
import type { View } from '../view.ts';

export interface ShorterOrders {
  /** What is known of the pipelines of a view without a search. */
  known(view: View): readonly Finding[];
  /** The text is checked: looks for what is not known, once nobody types. */
  ahead(view: View): void;
  /**
   * Searches because a reader asks, at once; what is known is not searched again. `tell` hears how far the search is. Undefined
   * once the token is cancelled, or the text has changed. A search that is stopped answers with the best order so far.
   */
  search(
    asked: AskedSearch,
    tell: (progress: OrderProgress) => void,
    token: CancellationToken,
  ): Promise<OrderAnswer | undefined>;
  /** The text has changed, or its document is closed. */
  stop(uri: string): void;
}

export interface ShorterOrdersHost {
  readonly answers: Answers;
  /** A pipeline of the view has a shorter order; `known` has it. */
  found(view: View): void;
  failed(error: unknown): void;
}

export interface AskedSearch {
  readonly view: View;
  readonly question: OrderQuestion;
  /** Cancelled once the reader has seen enough. */
  readonly enough?: CancellationToken;
}

/** Milliseconds without a new text after which orders are searched. */
const usualQuiet = 1_000;
/** Answers that are kept. */
const kept = 64;
/** All searches have one owner, so documents keep their threads. */
const owner = 'pipewright:orders';

export function createShorterOrders({ answers, found, failed }: ShorterOrdersHost, quiet = usualQuiet): ShorterOrders {
  const known = new Map<string, OrderAnswer>();
  /** Of questions that readers have asked with more effort: the newest answer, by the key of the usual question. */
  const longer = new Map<string, OrderAnswer>();
  /** Views of checks, without what was found after them. */
  const checked = new Map<string, View>();
  /** Searches that readers asked for, by document. */
  const asked = new Map<string, Set<CancellationTokenSource>>();
  const questions = new WeakMap<View['analysis'], readonly OrderQuestion[]>();
  /** Searches that nobody asked for. */
  const unasked = createQuietWork(searchAll, failed, quiet);

  function questionsOf({ analysis, options }: View): readonly OrderQuestion[] {
    const all =
      questions.get(analysis) ??
      analysis.pipelines.flatMap((pipeline) => orderQuestion(pipeline, options.search.effort) ?? []);
    questions.set(analysis, all);
    return all;
  }

  const keyOf = (question: OrderQuestion): string => searchKey(shorterOrder, question);

  function remember(into: Map<string, OrderAnswer>, key: string, answer: OrderAnswer): void {
    into.delete(key);
    into.set(key, answer);
    const [oldest] = into.keys();
    if (into.size > kept && oldest !== undefined) into.delete(oldest);
  }

  /** Undefined once nobody wants the answer. */
  async function find(
    question: OrderQuestion,
    token: CancellationToken,
    tell: (progress: OrderProgress) => void = () => {},
  ): Promise<OrderAnswer | undefined> {
    const key = keyOf(question);
    const before = known.get(key);
    if (before !== undefined) return before;
    const round = answers.request(owner);
    try {
      while (!token.isCancellationRequested) {
        const answer = round.follow(shorterOrder, question, tell);
        if (answer !== undefined) {
          remember(known, key, answer);
          return answer;
        }
        await Promise.race([round.answered(), cancelled(token)]);
      }
      return undefined;
    } finally {
      round.release();
    }
  }

  async function searchAll(view: View, token: CancellationToken): Promise<void> {
    for (const question of questionsOf(view)) {
      if (known.has(keyOf(question))) continue;
      const answer = await find(question, token);
      if (token.isCancellationRequested) return;
      if (answer?.found !== undefined) found(view);
    }
  }

  /** The finding has the best order that is known, and is there once a reader has seen the order. */
  function answered(uri: string, question: OrderQuestion, answer: OrderAnswer): void {
    const view = checked.get(uri);
    if (view === undefined) return;
    const usual = questionsOf(view).find(({ plan }) => plan.name === question.plan.name);
    if (usual === undefined) return;
    if (keyOf(usual) !== keyOf(question)) remember(longer, keyOf(usual), answer);
    if (answer.found !== undefined) found(view);
  }

  function stop(uri: string): void {
    unasked.stop(uri);
    checked.delete(uri);
    for (const source of asked.get(uri) ?? []) source.cancel();
    asked.delete(uri);
  }

  return {
    known: (view) =>
      questionsOf(view).flatMap((question) => {
        const key = keyOf(question);
        const answer = longer.get(key)?.found ?? known.get(key)?.found;
        const { places } = view.analysis.resolution;
        const finding = answer === undefined ? undefined : shorterOrderFinding(question, answer, places);
        return finding === undefined || finding.place.uri !== view.uri ? [] : [finding];
      }),
    ahead(view) {
      unasked.stop(view.uri);
      checked.set(view.uri, view);
      if (questionsOf(view).some((question) => !known.has(keyOf(question)))) unasked.begin(view);
    },
    async search({ view, question, enough }, tell, token) {
      const source = new CancellationTokenSource();
      const listening = [token, ...(enough === undefined ? [] : [enough])].map((each) =>
        each.onCancellationRequested(() => source.cancel()),
      );
      let newest: OrderProgress | undefined;
      const all = asked.get(view.uri) ?? new Set();
      asked.set(view.uri, all.add(source));
      try {
        const answer = await find(question, source.token, (progress) => {
          if (source.token.isCancellationRequested) return;
          newest = progress;
          tell(progress);
        });
        if (answer !== undefined) answered(view.uri, question, answer);
        // Nothing is said of an earlier text.
        if (token.isCancellationRequested || asked.get(view.uri) !== all) return undefined;
        return answer ?? (newest === undefined ? undefined : stoppedOrder(question, newest));
      } finally {
        for (const each of listening) each.dispose();
        all.delete(source);
      }
    },
    stop,
  };
}
