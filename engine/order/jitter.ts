/** Random times of operations: log-normal factors with mean 1 from a table, the same for the same operation of any schedule. */
/** Factors in a table. */
export const tableLength = 1 << 16;
/** Bits of a hash that are no index into the table. */
const surplus = 16;

/**
 * Factors whose standard deviation is a share of their mean, which is 1: the exponentials of evenly spaced quantiles of the normal
 * distribution.
 */
export function factorTable(share: number): Float64Array {
  const sigma = Math.sqrt(Math.log1p(share * share));
  const table = Float64Array.from({ length: tableLength }, (_, index) =>
    Math.exp(sigma * normalQuantile((index + 0.5) / tableLength)),
  );
  const mean = table.reduce((sum, value) => sum + value, 0) / tableLength;
  return table.map((value) => value / mean);
}

/** A number for each operation: the same for any schedule. `kind` is one of a program's; `stage` is its number in the cut. */
export const operationKey = (kind: number, stage: number, microbatch: number): number =>
  mixed(Math.imul(kind + 1, 0x9e3779b1) ^ Math.imul(stage + 1, 0x85ebca77) ^ Math.imul(microbatch + 1, 0xc2b2ae3d));

/** A number for each draw. */
export const drawKey = (draw: number): number => mixed(Math.imul(draw + 1, 0x27d4eb2f) ^ 0x165667b1);

/** Index into a table of factors for an operation in a draw. */
export const factorAt = (operation: number, draw: number): number =>
  Math.imul(operation ^ draw, 0x9e3779b1) >>> surplus;

/** Draws, fewer for many operations: `room` operations in all. */
const [mostDraws, leastDraws] = [1_000, 100];

/** Number of draws for a pipeline. */
export const drawsFor = (operations: number, room: number): number =>
  Math.max(leastDraws, Math.min(mostDraws, Math.floor(room / Math.max(1, operations))));

/** The least of these values, which ascend, that this share of them does not exceed. */
export const percentile = (ascending: Float64Array, share: number): number =>
  ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)];

/** The finaliser of MurmurHash3: every bit of the result depends on every bit of the value. */
function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Inverse of the normal distribution: Acklam's rational approximation, relative error below 1.15e-9. */
export function normalQuantile(p: number): number {
  if (p > 0.5) return -normalQuantile(1 - p);
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(p));
    return (
      (((((-7.784894002430293e-3 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) * q +
        4.374664141464968) *
        q +
        2.938163982698783) /
      ((((7.784695709041462e-3 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1)
    );
  }
  const q = p - 0.5;
  const r = q * q;
  return (
    ((((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.357751867269) * r -
      30.66479806614716) *
      r +
      2.506628277459239) *
      q) /
    (((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
      13.28068155288572) *
      r +
      1)
  );
}
