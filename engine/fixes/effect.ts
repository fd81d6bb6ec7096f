import type { PipelineReport } from '../values/report.ts';
import { fullest } from '../basics/fullest.ts';
import { bytes, share, time } from '../basics/quantities.ts';

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
  /** Bytes that the fullest device has left, if they are under the margin of `memory/headroom`. */
  readonly left?: number;
  /** The device that needs most beyond its memory, and how much; absent if every device fits. */
  readonly over?: { readonly device: string; readonly bytes: number };
}

/** `device`: name of the device whose peak is wanted. Default: the fullest. */
export function figuresOf(report: PipelineReport, device?: string): Figures {
  const full = fullest(report, device);
  let over: Figures['over'];
  for (const { name, peak, capacity } of report.devices)
    if (peak - capacity > (over?.bytes ?? 0)) over = { device: name, bytes: peak - capacity };
  return {
    iteration: report.iteration,
    throughput: report.throughput,
    bubble: report.bubble.makespan,
    device: full?.name ?? '',
    peak: full?.peak ?? 0,
    capacity: full?.capacity ?? 0,
    fits: over === undefined,
    ...(over === undefined ? {} : { over }),
  };
}

/** Whether it leaves less than the margin of `memory/headroom`. */
export const isTight = ({ left }: Figures): boolean => left !== undefined;

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
    const words = [
      `iteration ${time(after.iteration, 4)}`,
      `bubble ${share(after.bubble)}`,
      ...(after.peak > 0 ? [`peak ${bytes(after.peak)}`] : []),
    ];
    return [...words, ...overrun(after, '', emphasis), ...remnant(undefined, after)].join(', ');
  }
  const words =
    emphasis === 'memory'
      ? [`peak ${bytes(after.peak)}`, ...paceWords(before, after)]
      : [...paceWords(before, after), peakWords(before, after)];
  const still = before.fits ? '' : 'still ';
  return [...words, ...overrun(after, still, emphasis), ...remnant(before, after)].join(', ');
}

/** `only 410 MiB left`, unless no more were left before. */
const remnant = (before: Figures | undefined, { left, peak }: Figures): readonly string[] =>
  left === undefined || (before?.left !== undefined && peak <= before.peak)
    ? []
    : [left > 0 ? `only ${bytes(left)} left` : 'nothing left'];

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

/** `still 2 GiB over`, with the name of the device if it is not the fullest, or if another one may be meant; empty if the plan fits. */
function overrun({ peak, capacity, over }: Figures, still: string, emphasis: Emphasis): readonly string[] {
  if (over === undefined) return [];
  return peak > capacity && emphasis === 'time'
    ? [`${still}${bytes(peak - capacity)} over`]
    : [`${over.device} ${still}${bytes(over.bytes)} over`];
}
