import type { ReportWithoutCauses } from '../../engine/values/report.ts';

/** How busy devices are, as shares of the iteration, and their peaks in bytes. */
export interface GroupFigures {
  readonly mean: number;
  readonly least: number;
  readonly most: number;
  readonly leastPeak: number;
  readonly mostPeak: number;
  /** The first device with the highest peak. */
  readonly fullest: number;
  /** Whether one of them does not fit into its memory. */
  readonly over: boolean;
}

/** Of devices `from` to `to` (exclusive), at least one. */
export function groupFigures({ devices, iteration }: ReportWithoutCauses, from: number, to: number): GroupFigures {
  let sum = 0;
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  let leastPeak = Number.POSITIVE_INFINITY;
  let fullest = from;
  let over = false;
  for (let device = from; device < to; device += 1) {
    const { busy, peak, capacity } = devices[device];
    sum += busy;
    least = Math.min(least, busy);
    most = Math.max(most, busy);
    leastPeak = Math.min(leastPeak, peak);
    if (peak > devices[fullest].peak) fullest = device;
    over ||= peak > capacity;
  }
  const whole = Math.max(Number.MIN_VALUE, iteration);
  return {
    mean: sum / Math.max(1, to - from) / whole,
    least: least / whole,
    most: most / whole,
    leastPeak,
    mostPeak: devices[fullest].peak,
    fullest,
    over,
  };
}
