import type { Timeline } from '../values/timeline.ts';

/** A step function that grows. Its arrays have room for all of its steps, and serve one device after the other. */
export interface Steps {
  at: Float64Array;
  bytes: Float64Array;
  count: number;
  /** A start is an end less a duration: without slack, rounding would open a gap of 1e-17 s between neighbours. */
  readonly slack: number;
}

export const noSteps = ({ makespan }: Pick<Timeline, 'makespan'>): Steps => ({
  at: new Float64Array(0),
  bytes: new Float64Array(0),
  count: 0,
  slack: makespan * 1e-12,
});

/** `most`: steps that may come. */
export function restart(steps: Steps, level: number, most: number): void {
  if (steps.at.length < most) {
    steps.at = new Float64Array(most);
    steps.bytes = new Float64Array(most);
  }
  steps.at[0] = 0;
  steps.bytes[0] = level;
  steps.count = 1;
}

export function addStep(steps: Steps, time: number, level: number): void {
  const { at, bytes, slack } = steps;
  const last = steps.count - 1;
  if (bytes[last] === level) return;
  if (time - at[last] > slack) {
    at[last + 1] = time;
    bytes[last + 1] = level;
    steps.count += 1;
  } else if (last > 0 && bytes[last - 1] === level) steps.count -= 1;
  else bytes[last] = level;
}
