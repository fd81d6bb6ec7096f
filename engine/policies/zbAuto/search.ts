import { leastOf } from './bound.ts';
import { construct, siteFor, type Switches, variants } from './construct.ts';
import type { Problem, Words } from './problem.ts';
import { type Relative, mixture, relatives, relativeWords } from './relatives.ts';
import { makespanOf, peaksOf, scratchFor } from './timing.ts';

export interface Found {
  readonly words: Words;
  readonly makespan: number;
  /** What made it: a relative's order, or the construction under these switches. */
  readonly by: Relative | Switches;
  /** Ticks that no order within the limits can be under. */
  readonly least: number;
}

/** Operations that all runs together may visit, once every variant has had its first. Only very long orders come near. */
const budget = 5e6;

/**
 * The best order within `limits` (bytes by device, each for one microbatch at least) of those there are: named relatives, what
 * lies between two of them, and the construction in all variants under these limits and under every tighter one at which it would decide otherwise. What
 * a tighter limit allows, a wider one allows too, so more memory never gives a longer makespan (while the budget lasts). Tighter limits are a ceiling
 * of c · `unit` bytes on each device, c from high to low: the construction compares with the limit only, so that nothing
 * changes until c falls under the peak of the last run. Ends early at an order that is as short as any can be.
 */
export function search(problem: Problem, limits: Float64Array, unit: Float64Array): Found {
  const { devices, microbatches } = problem;
  const scratch = scratchFor(problem);
  const site = siteFor(problem);
  const size = 3 * devices * microbatches;
  const peaks = new Float64Array(devices);
  let words: Words = new Uint8Array(size);
  let best: Words = new Uint8Array(size);
  let makespan = Infinity;
  let by: Relative | Switches = variants[0];
  const least = leastOf(problem, limits);
  /** Takes over what is in `words` if it is shorter; `peaks` are then known to be within the limits. */
  const offer = (candidate: Relative | Switches): void => {
    const ticks = makespanOf(problem, words, scratch);
    if (ticks >= makespan) return;
    [words, best] = [best, words];
    makespan = ticks;
    by = candidate;
  };
  const keeps = (): boolean => peaks.every((peak, device) => peak <= limits[device]);

  const compare = (one: Relative): void => {
    relativeWords(problem, one, words);
    peaksOf(problem, words, peaks);
    if (keeps()) offer(one);
  };
  for (const one of relatives) compare(one);
  for (let held = 2 * devices - 2, seen = 0; held > devices && seen <= budget / 4; held -= 1, seen += size)
    compare(mixture(held));
  const ceilings = new Float64Array(variants.length).fill(Infinity);
  const tight = new Float64Array(devices);
  for (let visited = 0; makespan > least;) {
    const variant = highest(ceilings);
    const ceiling = ceilings[variant];
    if (visited > budget && ceiling < Infinity) break;
    let fits = true;
    for (let device = 0; device < devices; device += 1) {
      tight[device] = unit[device] > 0 ? Math.min(limits[device], ceiling * unit[device]) : limits[device];
      if (Math.max(problem.activation[device], problem.forWeight[device]) > tight[device]) fits = false;
    }
    // All that is left is tighter still, and no order under such a limit is shorter.
    if (!fits || leastOf(problem, tight) >= makespan) break;
    visited += size;
    if (!construct(problem, tight, variants[variant], site, words)) break;
    peaksOf(problem, words, peaks);
    offer(variants[variant]);
    let peak = 0;
    for (let device = 0; device < devices; device += 1)
      if (unit[device] > 0) peak = Math.max(peak, peaks[device] / unit[device]);
    ceilings[variant] = peak > 0 ? peak * (1 - 1e-9) : -1;
  }
  return { words: best, makespan, by, least };
}

function highest(values: Float64Array): number {
  let at = 0;
  for (let index = 1; index < values.length; index += 1) if (values[index] > values[at]) at = index;
  return at;
}
