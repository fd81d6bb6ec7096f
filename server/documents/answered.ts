/** Work of requests that asks for answers which threads find. */
import type { CancellationToken } from 'vscode-languageserver';
import { answerSteps, type Searches } from '../../engine/basics/searches.ts';
import type { Answers } from '../threads/answers.ts';
import { nextTurn, slice } from './eventLoop.ts';

/** Runs `work` again when what it asked is answered. */
export async function answered<R>(
  answers: Answers,
  uri: string,
  work: (searches: Searches) => Promise<{ readonly value: R } | undefined>,
  token: CancellationToken,
): Promise<R | undefined> {
  const round = answers.request(uri);
  try {
    for (;;) {
      let open = false;
      const found = await work(
        noting(round, () => {
          open = true;
        }),
      );
      if (!open || found === undefined) return found?.value;
      await Promise.race([round.answered(), cancelled(token)]);
      if (token.isCancellationRequested) return undefined;
    }
  } finally {
    round.release();
  }
}

/** The same searches, which also tell of each answer that is still to come. */
export const noting = (searches: Searches, missing: () => void): Searches => ({
  answer(search, problem) {
    const answer = searches.answer(search, problem);
    if (answer === undefined) missing();
    return answer;
  },
  *steps(search, problem) {
    const answer = yield* answerSteps(searches, search, problem);
    if (answer === undefined) missing();
    return answer;
  },
});

/** Undefined once nobody wants the result. */
export async function inSlices<R>(
  steps: Generator<unknown, R, void>,
  isStale: () => boolean,
): Promise<{ readonly value: R } | undefined> {
  for (;;) {
    const until = performance.now() + slice;
    do {
      const step = steps.next();
      if (step.done) return { value: step.value };
    } while (performance.now() < until);
    await nextTurn();
    if (isStale()) return undefined;
  }
}

/** Settled once nobody wants the answer. */
export const cancelled = (token: CancellationToken): Promise<void> =>
  new Promise((resolve) => {
    token.onCancellationRequested(() => resolve());
  });
