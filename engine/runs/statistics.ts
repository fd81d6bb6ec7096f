/** Figures of samples. */

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;

export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const inOrder = values.toSorted((a, b) => a - b);
  const half = inOrder.length >> 1;
  return inOrder.length % 2 === 1 ? inOrder[half] : (inOrder[half - 1] + inOrder[half]) / 2;
}

export function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

/** Two-sided 95 % points of Student's distribution, from 1 degree of freedom on. */
const points = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/**
 * Half of the 95 % interval of the mean over steps; undefined under 4 steps. Operations of one step are correlated, so a sample is the
 * mean of a step.
 */
export function halfInterval(ofSteps: readonly number[]): number | undefined {
  const steps = ofSteps.length;
  if (steps < 4) return undefined;
  // The points fall as 1.96 + 2.4 / n does, which is within 0.2 % from 30 on.
  const point = points[steps - 2] ?? 1.96 + 2.4 / (steps - 1);
  return (point * deviation(ofSteps)) / Math.sqrt(steps);
}
