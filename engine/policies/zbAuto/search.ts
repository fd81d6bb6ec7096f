import type { Answer } from './answer.ts';
import { foundAnswers, keyOf } from './answers.ts';
import { leastOf } from './bound.ts';
import { construct, operationsOfSlice, siteFor, variants } from './construct.ts';
import type { SearchProblem, Words } from './problem.ts';
import { evenSpans, mixture, type Relative, relatives, relativeWords } from './relatives.ts';
import { headsOf, makespanOf, peaksOf, scratchFor, spanOf } from './timing.ts';

/** Operations that all constructions together may visit, and those under the given limits alone. */
const budget = 5e6;
const firstBudget = 6e6;
/** The same once the objective can be no better and only the figure after it can. */
const finishing = 1e6;
/** Of equal orders by the objective, another is taken only for this part less of the other figure: less would cost memory for nothing. */
const worthwhile = 1e-3;

/** The search from beginning to end. */
export function search(problem: SearchProblem): Answer {
  const steps = searchSteps(problem);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The best order within the limits of the available ones: named relatives, what lies between two of them, even spans, and the
 * construction. The construction runs in all variants under these limits and under every tighter one at which it would decide
 * otherwise. What a tighter limit allows, a wider one allows too, so that more memory never gives a worse order (while the budget
 * lasts). Tighter limits are a ceiling of c · `unit` bytes on each device, c from high to low. The construction compares with the
 * limit only, so that nothing changes until c falls under the peak of the last run. Best is the shortest makespan and then the
 * shortest span, or the reverse; of equal orders the first. Ends early at an order that no other can beat. Yields each time it
 * has visited some hundred thousand operations. A problem that it has answered before is not searched again.
 */
export function* searchSteps(problem: SearchProblem): Generator<void, Answer> {
  const key = keyOf(problem);
  const known = foundAnswers.known(key);
  if (known !== undefined) return known;
  const { devices, microbatches, limits, unit, objective } = problem;
  const scratch = scratchFor(problem);
  const heads = headsOf(problem);
  const size = 3 * devices * microbatches;
  const peaks = new Float64Array(devices);
  let words: Words = new Uint8Array(size);
  let best: Words = new Uint8Array(size);
  let makespan = Infinity;
  let span = Infinity;
  let by: Answer['by'] = variants[0];
  const bound = leastOf(problem, limits);
  /** Whether an order of these figures beats the best one. */
  const beats = (otherMakespan: number, otherSpan: number): boolean =>
    objective === 'span'
      ? otherSpan < span || (otherSpan === span && otherMakespan < makespan * (1 - worthwhile))
      : otherMakespan < makespan || (otherMakespan === makespan && otherSpan < span * (1 - worthwhile));
  /** Takes over what is in `words` if it is better; `peaks` are then known to be within the limits. */
  const offer = (candidate: Answer['by']): void => {
    const ticks = makespanOf(problem, words, scratch);
    if (ticks === Infinity) return;
    const between = spanOf(scratch, heads);
    if (!beats(ticks, between)) return;
    [words, best] = [best, words];
    makespan = ticks;
    span = between;
    by = candidate;
  };
  const compare = (relative: Relative): void => {
    relativeWords(problem, relative, words);
    peaksOf(problem, words, peaks);
    if (peaks.every((peak, device) => peak <= limits[device])) offer({ name: relative.name });
  };

  let visited = 0;
  /** Whether it is time to yield again. */
  const due = (): boolean => {
    const before = Math.floor(visited / operationsOfSlice);
    visited += size;
    return Math.floor(visited / operationsOfSlice) > before;
  };
  for (const relative of relatives) {
    compare(relative);
    if (due()) yield;
  }
  for (let held = 2 * devices - 2, seen = 0; held > devices && seen <= budget / 4; held -= 1, seen += size) {
    compare(mixture(held));
    if (due()) yield;
  }
  let seen = 0;
  for (const relative of evenSpans(problem)) {
    if (seen > budget / 4 || !beats(bound.makespan, bound.span)) break;
    compare(relative);
    seen += size;
    if (due()) yield;
  }
  const site = siteFor(problem);
  const ceilings = new Float64Array(variants.length).fill(Infinity);
  const tight = new Float64Array(devices);
  for (let built = 0; beats(bound.makespan, bound.span);) {
    const variant = highest(ceilings);
    const ceiling = ceilings[variant];
    const done = objective === 'span' ? span <= bound.span : makespan <= bound.makespan;
    if (ceiling < Infinity ? built > (done ? finishing : budget) : built + size > (done ? finishing : firstBudget))
      break;
    let fits = true;
    for (let device = 0; device < devices; device += 1) {
      tight[device] = unit[device] > 0 ? Math.min(limits[device], ceiling * unit[device]) : limits[device];
      if (Math.max(problem.activation[device], problem.forWeight[device]) > tight[device]) fits = false;
    }
    if (!fits) break;
    // All that is left is tighter still, and no order under such a limit is better.
    const tightBound = leastOf(problem, tight);
    if (!beats(tightBound.makespan, tightBound.span)) break;
    built += size;
    if (!(yield* construct(problem, tight, variants[variant], site, words))) break;
    peaksOf(problem, words, peaks);
    offer(variants[variant]);
    let peak = 0;
    for (let device = 0; device < devices; device += 1)
      if (unit[device] > 0) peak = Math.max(peak, peaks[device] / unit[device]);
    ceilings[variant] = peak > 0 ? peak * (1 - 1e-9) : -1;
    if (due()) yield;
  }
  const answer: Answer = { words: best, makespan, span, by, least: bound.makespan, leastSpan: bound.span };
  foundAnswers.keep(key, answer);
  return answer;
}

function highest(values: Float64Array): number {
  let at = 0;
  for (let index = 1; index < values.length; index += 1) if (values[index] > values[at]) at = index;
  return at;
}
