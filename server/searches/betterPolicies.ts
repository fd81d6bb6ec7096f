/**
 * Looks for policies under which the pipelines of open documents idle less, after their figures are published and nobody types, in one
 * thread. `schedule/bubble` names the best one. What was found is kept, so that an edit elsewhere in the file searches nothing again.
 */
import type { CancellationToken } from 'vscode-languageserver';
import {
  betterPolicy,
  type PolicyAnswer,
  type PolicyQuestion,
  policyProblem,
  policyQuestions,
  withBetterPolicy,
} from '../../engine/advice/betterPolicy.ts';
import type { Finding } from '../../engine/findings/finding.ts';
import type { Answers } from '../threads/answers.ts';
import { cancelled } from '../documents/answered.ts';
import { createQuietWork } from './quietWork.ts';
import type { View } from '../view.ts';

export interface BetterPolicies {
  /** The findings of a view with what is known without a search; the same list where nothing is. */
  named(view: View): readonly Finding[];
  /** The text is checked: looks for what is not known, once nobody types. */
  ahead(view: View): void;
  /** The text has changed, or its document is closed. */
  stop(uri: string): void;
}

export interface BetterPoliciesHost {
  readonly answers: Answers;
  /** A pipeline of the view has a better policy; `named` names it. */
  found(view: View): void;
  failed(error: unknown): void;
}

/** Milliseconds without a new text after which policies are tried: more than between two strokes, less than before quick fixes. */
const usualQuiet = 250;
/** Answers that are kept. */
const kept = 64;
/** All searches have one owner, so documents keep their threads. */
const owner = 'pipewright:policies';

export function createBetterPolicies(
  { answers, found, failed }: BetterPoliciesHost,
  quiet = usualQuiet,
): BetterPolicies {
  const known = new Map<string, PolicyAnswer>();
  const questions = new WeakMap<View['analysis'], readonly PolicyQuestion[]>();
  const work = createQuietWork(searchAll, failed, quiet);

  function questionsOf({ analysis, files, uri }: View): readonly PolicyQuestion[] {
    const all = questions.get(analysis) ?? policyQuestions({ ...analysis, uri, host: files });
    questions.set(analysis, all);
    return all;
  }

  function remember(key: string, answer: PolicyAnswer): void {
    known.set(key, answer);
    const [oldest] = known.keys();
    if (known.size > kept && oldest !== undefined) known.delete(oldest);
  }

  async function searchAll(view: View, token: CancellationToken): Promise<void> {
    for (const question of questionsOf(view)) {
      if (token.isCancellationRequested) return;
      if (!known.has(question.key)) await search(view, question, token);
    }
  }

  async function search(view: View, question: PolicyQuestion, token: CancellationToken): Promise<void> {
    const problem = policyProblem(question);
    const round = answers.request(owner);
    try {
      for (;;) {
        const answer = round.answer(betterPolicy, problem);
        if (answer !== undefined) {
          remember(question.key, answer);
          if (answer.found !== undefined || answer.untried !== undefined) found(view);
          return;
        }
        await Promise.race([round.answered(), cancelled(token)]);
        if (token.isCancellationRequested) return;
      }
    } finally {
      round.release();
    }
  }

  return {
    named: (view) =>
      questionsOf(view).reduce((findings, { key, pipeline }) => {
        const answer = known.get(key);
        return answer === undefined ? findings : withBetterPolicy(findings, pipeline, answer);
      }, view.analysis.findings),
    ahead(view) {
      work.stop(view.uri);
      if (questionsOf(view).some(({ key }) => !known.has(key))) work.begin(view);
    },
    stop: (uri) => work.stop(uri),
  };
}
