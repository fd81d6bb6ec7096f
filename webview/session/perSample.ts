import { share } from '../../engine/basics/quantities.ts';

/** An iteration and its samples per second; 0 where there are no samples. */
export interface Pace {
  readonly iteration: number;
  readonly throughput: number;
}

/** Seconds per sample, by which iterations of different batches compare. */
export const secondsPerSample = ({ iteration, throughput }: Pace): number =>
  throughput > 0 ? 1 / throughput : iteration;

/** Smaller differences of batches are rounding. */
const leastResized = 0.0005;

/** Whether an iteration has more samples than another, or fewer. */
export const isResized = (now: Pace, before: Pace): boolean =>
  Math.abs((now.iteration * now.throughput) / (before.iteration * before.throughput) - 1) > leastResized;

/** `throughput +29.4 %` where the batch is another one; otherwise empty: the iteration says it. */
export const throughputNote = (now: Pace, before: Pace): string =>
  isResized(now, before) ? `throughput ${share(secondsPerSample(before) / secondsPerSample(now) - 1, true)}` : '';
