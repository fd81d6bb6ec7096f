/** Of a slider, in the unit shown. */
interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** Points of a chart over a param. */
const most = 24;

/**
 * Values of a param's range to simulate, ascending: all of them if they are few. Otherwise they are evenly apart, or apart by a
 * factor if the range spans more than a factor of 16. The values in `always` are among them. Pure.
 */
export function sweepValues({ min, max, step }: Range, always: readonly number[]): readonly number[] {
  const steps = Math.floor((max - min) / step + 1e-9);
  const fixed = always.filter((value) => value >= min && value <= max);
  const onStep = (value: number) =>
    Number(Math.min(max, min + Math.round((value - min) / step) * step).toPrecision(12));
  const found = new Set<number>(fixed);
  const room = Math.max(2, most - fixed.length);
  if (steps + 1 <= room) for (let at = 0; at <= steps; at += 1) found.add(onStep(min + at * step));
  else {
    const byFactor = min > 0 && max / min > 16;
    for (let at = 0; at < room; at += 1) {
      const part = at / (room - 1);
      found.add(onStep(byFactor ? min * (max / min) ** part : min + part * (max - min)));
    }
  }
  return [...found].sort((a, b) => a - b);
}
