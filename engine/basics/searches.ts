import { toEnd } from './steps.ts';

/**
 * Work that may take longer than an editor can wait: a planner, the evaluation of a pipeline. Each kind has a problem and an answer
 * of plain data, so that a host may find the answer in another thread. A search may say how far it is: each `Progress` is plain
 * data, too, and takes the place of the one before.
 */
export interface Search<Problem, Answer, Progress = unknown> {
  /** Unique among searches. */
  readonly name: string;
  /** About how many elementary steps the search takes, some 20 ns each. Cheap to ask; the same problem gives the same size. */
  size(problem: Problem): number;
  /** The answer takes as much room as a simulation: hosts keep it only while it is in use. */
  readonly large?: true;
  /** Equal for equal problems. Default: the problem as JSON. */
  key?(problem: Problem): string;
  /** Finds the answer; pauses after a few milliseconds of work, counted in steps. It yields its progress, or nothing. */
  steps(problem: Problem): Generator<Progress | undefined, Answer, void>;
}

/** Where the engine asks for answers. */
export interface Searches {
  /** `undefined`: the answer is being found elsewhere. What needs it is left out, and the host checks again when it is there. */
  answer<Problem, Answer>(search: Search<Problem, Answer>, problem: Problem): Answer | undefined;
  /** The same with pauses, for a host that has other things to do meanwhile. */
  readonly steps?: <Problem, Answer>(
    search: Search<Problem, Answer>,
    problem: Problem,
  ) => Generator<undefined, Answer | undefined, void>;
  /** Only figures are wanted: a finding that needs another search is left out. */
  readonly figuresOnly?: true;
}

/** The answer of `searches`, with pauses if they make any. */
export function* answerSteps<Problem, Answer>(
  searches: Searches,
  search: Search<Problem, Answer>,
  problem: Problem,
): Generator<undefined, Answer | undefined, void> {
  return searches.steps === undefined ? searches.answer(search, problem) : yield* searches.steps(search, problem);
}

/** Finds the answer with pauses, and reports no progress. */
function* silently<Problem, Answer>(
  search: Search<Problem, Answer>,
  problem: Problem,
): Generator<undefined, Answer, void> {
  for (const steps = search.steps(problem); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield undefined;
  }
}

/** Finds the answer at once. */
export const runSearch = <Problem, Answer>(search: Search<Problem, Answer>, problem: Problem): Answer =>
  toEnd(search.steps(problem));

/** Equal for the same search of equal problems. */
export const searchKey = <Problem, Answer>(search: Search<Problem, Answer>, problem: Problem): string =>
  `${search.name} ${search.key?.(problem) ?? JSON.stringify(problem, plain)}`;

/** Typed arrays as lists. */
const plain = (_: string, value: unknown): unknown =>
  ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as Float64Array) : value;

/** Answers that are kept for the next time the same is asked. */
const kept = 32;
/** Larger keys would cost more than they save. */
const longestKey = 1_000_000;

/** Finds every answer at once and keeps the newest: for hosts that have nothing else to do meanwhile. */
export function directSearches() {
  const known = new Map<string, unknown>();

  function* steps<Problem, Answer>(
    search: Search<Problem, Answer>,
    problem: Problem,
  ): Generator<undefined, Answer, void> {
    if (search.large === true) return yield* silently(search, problem);
    const key = searchKey(search, problem);
    const found = known.has(key) ? (known.get(key) as Answer) : yield* silently(search, problem);
    if (key.length > longestKey) return found;
    // The last one used is the last one forgotten.
    known.delete(key);
    known.set(key, found);
    const [oldest] = known.keys();
    if (known.size > kept && oldest !== undefined) known.delete(oldest);
    return found;
  }

  return {
    answer: <Problem, Answer>(search: Search<Problem, Answer>, problem: Problem): Answer =>
      toEnd(steps(search, problem)),
    steps,
  } satisfies Searches;
}

/** Never answers: for work that needs names alone. */
export const noSearches: Searches = { answer: () => undefined };
