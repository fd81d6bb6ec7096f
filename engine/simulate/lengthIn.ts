import { simulate } from './simulate.ts';
import type { Program } from '../values/program.ts';
import type { Timing } from '../values/timeline.ts';

/** Seconds from the first start of an operation to the last end; NaN if the order waits for itself. */
export function lengthIn(program: Program, timing: Timing): number {
  const timeline = simulate(program, timing);
  return timeline === undefined ? Number.NaN : Math.max(...timeline.last) - Math.min(...timeline.first);
}
