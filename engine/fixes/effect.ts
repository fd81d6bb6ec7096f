import type { PipelineReport } from '../report.ts';
import { fullest } from '../fullest.ts';
import { bytes, share, time } from '../quantities.ts';

/** What a change does to a pipeline, simulated before and after it. */
export interface Effect {
  readonly pipeline: string;
  /** Absent where the pipeline did not run before the change. */
  readonly before?: Figures;
  readonly after: Figures;
}

/** Figures of a simulated pipeline: seconds, samples per second, a share of 1, bytes. */
export interface Figures {
  readonly iteration: number;
  readonly throughput: number;
  readonly bubble: number;
  /** Device that the peak and the capacity belong to. */
  readonly device: string;
  readonly peak: number;
  readonly capacity: number;
  /** Whether every device stays within its memory. */
  readonly fits: boolean;
}

/** `device`: name of the device whose peak is wanted. Default: the fullest. */
export function figuresOf(report: PipelineReport, device?: string): Figures {
  const full = fullest(report, device);
  return {
    iteration: report.iteration,
    throughput: report.throughput,
    bubble: report.bubble.makespan,
    device: full?.name ?? '',
    peak: full?.peak ?? 0,
    capacity: full?.capacity ?? 0,
    fits: report.devices.every(({ peak, capacity }) => peak <= capacity),
  };
}

/** Changes below this share are rounding. */
export const leastChange = 0.0005;

/** Change of a figure as a share of what it was; 0 where it was 0. */
export const relative = (before: number, after: number): number => (before > 0 ? after / before - 1 : 0);

/** Seconds per sample, by which pipelines with different batches compare. */
export const samplePeriod = ({ iteration, throughput }: Figures): number =>
  throughput > 0 ? 1 / throughput : iteration;

/** Samples of one iteration, all data ranks together. */
const batch = ({ iteration, throughput }: Figures): number => iteration * throughput;

export const sameBatch = (before: Figures, after: Figures): boolean =>
  Math.abs(relative(batch(before), batch(after))) < 1e-6;

/** `time`: what a fix of the pace states; `memory`: the peak comes first and in bytes. */
export type Emphasis = 'time' | 'memory';

/**
 * The effect as a title states it: `iteration −18 %, peak unchanged`, or `peak 13.1 GiB, iteration +9 %`. If the batch changes, the
 * throughput is compared instead of the iteration.
 */
export function effectWords({ before, after }: Effect, emphasis: Emphasis): string {
  if (before === undefined) {
    const over = after.fits ? '' : `, ${overrun(after)}`;
    return `iteration ${time(after.iteration, 4)}, bubble ${share(after.bubble)}, peak ${bytes(after.peak)}${over}`;
  }
  const words =
    emphasis === 'memory'
      ? [`peak ${bytes(after.peak)}`, ...paceWords(before, after)]
      : [...paceWords(before, after), peakWords(before, after)];
  return [...words, ...(after.fits ? [] : [overrun(after)])].join(', ');
}

function paceWords(before: Figures, after: Figures): readonly string[] {
  const changed = (words: string, change: number) =>
    Math.abs(change) < leastChange ? `same ${words}` : `${words} ${share(change, true)}`;
  const iteration = changed('iteration', relative(before.iteration, after.iteration));
  if (sameBatch(before, after)) return [iteration];
  const samples = `batch ${figure(batch(before))} → ${figure(batch(after))}`;
  return [changed('throughput', relative(before.throughput, after.throughput)), samples];
}

function peakWords(before: Figures, after: Figures): string {
  const change = relative(before.peak, after.peak);
  return Math.abs(change) < leastChange ? 'peak unchanged' : `peak ${share(change, true)}`;
}

const figure = (value: number): string => String(Number(value.toPrecision(6)));

/** Why a plan does not fit; a device other than the fullest may be the reason. */
const overrun = ({ peak, capacity }: Figures): string =>
  peak > capacity ? `${bytes(peak - capacity)} over` : 'another device over its memory';
