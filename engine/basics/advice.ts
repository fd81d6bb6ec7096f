/**
 * Advice is what a report can do without: a remark, a fix, a bound, a search for something better. Advice that throws is left out, and
 * the report and all other findings stay. A verdict is no advice: without it, a plan would seem to fit, or an expectation to hold.
 */
export interface Advice<From extends readonly unknown[], Answer> {
  /** For the log of the host. */
  readonly name: string;
  find(...from: From): Answer;
  /** The answer of advice that was not found. */
  readonly otherwise: Answer;
}

/** Advice that is found in steps. */
export interface SlowAdvice<From extends readonly unknown[], Step, Answer> {
  readonly name: string;
  steps(...from: From): Generator<Step, Answer, void>;
  readonly otherwise: Answer;
}

export type LostAdvice = (name: string, error: unknown) => void;

let lost: LostAdvice = () => {};

/** `listener` hears of all advice that throws, so that a host can log it. Returns the listener before. */
export function onLostAdvice(listener: LostAdvice): LostAdvice {
  const before = lost;
  lost = listener;
  return before;
}

/** The advice, or what it is without an answer. */
export function advised<From extends readonly unknown[], Answer>(advice: Advice<From, Answer>, ...from: From): Answer {
  try {
    return advice.find(...from);
  } catch (error) {
    lost(advice.name, error);
    return advice.otherwise;
  }
}

/** The same in steps. */
export function* advisedSteps<From extends readonly unknown[], Step, Answer>(
  advice: SlowAdvice<From, Step, Answer>,
  ...from: From
): Generator<Step, Answer, void> {
  try {
    return yield* advice.steps(...from);
  } catch (error) {
    lost(advice.name, error);
    return advice.otherwise;
  }
}
