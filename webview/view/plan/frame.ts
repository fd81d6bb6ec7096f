/** The frame of a scatter of plans: which times and bytes it shows, and where on the page they are. */
import { ticks as timeTicks } from '../paint/ruler.ts';

interface Place {
  /** Seconds. */
  readonly iteration: number;
  /** Bytes of the fullest device. */
  readonly peak: number;
}

/** Least and greatest of each axis: seconds, bytes. */
export interface Frame {
  readonly time: readonly [number, number];
  readonly memory: readonly [number, number];
}

/** Over this many times the least, points are left outside if nothing that matters is there. */
const widest = 2;
/** Room at each end, as a share of the axis. */
const room = 0.06;

/**
 * A frame that shows all that matters (the front, this file, the limit), and other points up to twice the fastest and the smallest.
 * So a few very slow rows do not squeeze the front into a corner. Undefined without points.
 */
export function frameOf(
  points: readonly Place[],
  matters: readonly Place[],
  limit: number | undefined,
): Frame | undefined {
  if (points.length === 0 && matters.length === 0) return undefined;
  const axis = (of: (place: Place) => number, must: readonly number[]): readonly [number, number] => {
    let [least, most] = [Infinity, -Infinity];
    for (const point of points) {
      const value = of(point);
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const needed = [...matters.map(of), ...must];
    const low = Math.min(least, ...needed);
    const high = Math.max(Math.min(most, widest * least), ...needed);
    const margin = high > low ? (high - low) * room : Math.max(high * room, Number.MIN_VALUE);
    return [Math.max(0, low - margin), high + margin];
  };
  // The limit is in sight, with a part of what lies over it, if any point is near it.
  const heaviest = points.reduce((most, { peak }) => Math.max(most, peak), 0);
  const shown = limit !== undefined && heaviest > limit / 4 ? [limit * 1.2] : [];
  return { time: axis(({ iteration }) => iteration, []), memory: axis(({ peak }) => peak, shown) };
}

export const isInside = ({ time, memory }: Frame, { iteration, peak }: Place): boolean =>
  iteration >= time[0] && iteration <= time[1] && peak >= memory[0] && peak <= memory[1];

/** The rectangle of the plot, in CSS pixels. */
export interface Plot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Scales {
  x(bytes: number): number;
  y(seconds: number): number;
}

/** Less memory is left, less time is low. */
export function scalesOf({ time, memory }: Frame, { left, top, width, height }: Plot): Scales {
  return {
    x: (bytes) => left + ((bytes - memory[0]) / (memory[1] - memory[0])) * width,
    y: (seconds) => top + height - ((seconds - time[0]) / (time[1] - time[0])) * height,
  };
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

const spacing = { x: 90, y: 54 };
const units = [
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
  ['B', 1],
] as const;

/** Round sizes, 1, 2, 4, 5 or 8 times a power of ten of their unit. */
export function memoryTicks([low, high]: Frame['memory'], width: number): readonly Tick[] {
  const [unit, size] = units.find(([, bytes]) => high >= 2 * bytes) ?? units[units.length - 1];
  const wanted = (high - low) / size / Math.max(2, width / spacing.x);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 4, 5, 8, 10].map((factor) => factor * power).find((each) => each >= wanted) ?? 10 * power;
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
  const found: Tick[] = [];
  for (let number = Math.ceil(low / size / step - 1e-9); number * step * size <= high; number += 1)
    found.push({ at: number * step * size, text: `${(number * step).toFixed(digits)} ${unit}` });
  return found;
}

export const iterationTicks = ([low, high]: Frame['time'], height: number): readonly Tick[] =>
  // The ruler counts on labels side by side; these are one above the other.
  timeTicks(low, high, (height * 110) / spacing.y);
