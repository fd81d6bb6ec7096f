import { measure } from './measure.ts';

/** Milliseconds of a fixed loop over integers and floating-point numbers: how fast this machine is just now. */
export function calibrate(): number {
  const ends = new Float64Array(4096);
  return measure(() => {
    let seed = 1;
    for (let step = 0; step < 1_000_000; step += 1) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
      const at = (seed >>> 8) & 4095;
      ends[at] = Math.max(ends[at], ends[(at + 1) & 4095]) * 0.5 + 1;
    }
    return ends[0];
  }).best;
}
