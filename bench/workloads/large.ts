/** A process of its own for a large pipeline: `simulate TEXT` or `check TEXT`; writes a `LargeRun`. */
import { measure } from '../measure.ts';
import { ours } from '../measures/simulate.ts';
import { analysisOf, planOnlyOf } from './analysis.ts';

/** Milliseconds of CPU, and bytes that the process had at most. */
export interface LargeRun {
  readonly operations: number;
  readonly first: number;
  readonly best: number;
  readonly memory: number;
}

const [part, text] = process.argv.slice(2);
const plan = planOnlyOf(text);
const operations = 2 * plan.stages.length * plan.microbatches;
const work = part === 'check' ? () => analysisOf(text).pipelines[0]?.run?.report.iteration : () => ours(plan).makespan;
const { first, best } = measure(work, { rounds: 3 });
// Kilobytes, on every system.
const memory = process.resourceUsage().maxRSS * 1024;
const run: LargeRun = { operations, first, best, memory };
process.stdout.write(JSON.stringify(run));
