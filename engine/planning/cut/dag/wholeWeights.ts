/** Times as whole numbers, so that sums of the same layers are equal whatever their order. */
export interface WholeWeights {
  /** One row for each row of times. */
  readonly rows: readonly Float64Array[];
  /** Seconds of one. */
  readonly unit: number;
}

/** Sums stay exact below 2^53, with room for one more layer. */
const largest = 2 ** 50;

/** A unit of which the largest time holds more than this is no better than rounding. */
const mostUnits = 1e7;

/**
 * Rows of times in a unit that divides all of them, if there is one. Profiles are written in milliseconds with three digits, and
 * then the least possible sum is a whole number of microseconds. Otherwise times are rounded to 2^-50 of the largest sum. A value
 * that is negative or not a number counts as 0.
 */
export function wholeWeights(times: readonly Float64Array[]): WholeWeights {
  const usable = times.map((row) => row.map((time) => (time > 0 && time < Infinity ? time : 0)));
  const most = Math.max(...usable.map((row) => row.reduce((sum, value) => sum + value, 0)));
  if (!(most > 0 && most < Infinity)) return { rows: usable.map((row) => row.map(() => 0)), unit: 1 };
  const unit = commonUnit(usable) ?? most / largest;
  return { rows: usable.map((row) => row.map((time) => Math.round(time / unit))), unit };
}

function commonUnit(rows: readonly Float64Array[]): number | undefined {
  const all = rows.flatMap((row) => [...row].filter((time) => time > 0));
  const most = all.reduce((a, b) => Math.max(a, b), 0);
  const tolerance = most * 1e-10;
  let unit = most;
  for (const time of all) {
    unit = divisor(unit, time, tolerance);
    if (unit * mostUnits < most) return undefined;
  }
  // Of all sums, that over the most units says best how long one is.
  const sum = all.reduce((total, time) => total + time, 0);
  const units = all.reduce((total, time) => total + Math.round(time / unit), 0);
  const exact = sum / units;
  const divides = units < largest && all.every((time) => Math.abs(time / exact - Math.round(time / exact)) < 1e-6);
  return divides ? exact : undefined;
}

/** Euclid's, where what is left and less than the tolerance is nothing. */
function divisor(one: number, other: number, tolerance: number): number {
  let [a, b] = [one, other];
  while (b > tolerance) {
    const rest = a % b;
    [a, b] = [b, b - rest < tolerance ? 0 : rest];
  }
  return a;
}
