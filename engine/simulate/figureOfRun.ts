import type { Program } from '../values/program.ts';
import type { Timeline, Timing } from '../values/timeline.ts';
import { simulate } from './simulate.ts';

/** Ends of the last run of a program of which only a figure was kept. */
const spare = new WeakMap<Program, Float64Array>();

/**
 * What `figure` reads off a run of a program; undefined if operations wait for each other for ever. The next run writes over the
 * ends of this one: new memory takes a third of the time of a run. So `figure` must keep no array of the run.
 */
export function figureOfRun<Figure>(
  program: Program,
  timing: Timing,
  figure: (run: Timeline) => Figure,
): Figure | undefined {
  const over = spare.get(program);
  // `figure` may run the program too.
  spare.delete(program);
  const run = simulate(program, timing, over);
  if (run === undefined) return undefined;
  const found = figure(run);
  spare.set(program, run.end);
  return found;
}
