import type { Layout } from './layout.ts';
import type { Random } from './random.ts';
import type { Timing } from './timing.ts';

/**
 * Places in the words of the operations of one critical path, after `makespanOf`: the number of them, which are in `into`. If an
 * operation could not start earlier for two reasons, the generator chooses the one to follow. `placeOf`: room by code · m + microbatch.
 */
export function criticalPlaces(
  layout: Layout,
  timing: Timing,
  random: Random,
  placeOf: Int32Array,
  into: Int32Array,
): number {
  const { problem, device: deviceOf, feeds, delay, offsets } = layout;
  const { devices, microbatches, step } = problem;
  const { operation, start, end, free } = timing;
  for (let at = 0; at < operation.length; at += 1) placeOf[operation[at]] = at;
  let last = 0;
  for (let device = 1; device < devices; device += 1)
    if (free[device] + step[device] > free[last] + step[last]) last = device;
  let at = offsets[last + 1] - 1;
  for (let count = 0; ;) {
    into[count] = at;
    count += 1;
    const op = operation[at];
    const code = Math.floor(op / microbatches);
    const from = feeds[code];
    const fedBy = from < 0 ? -1 : op + (from - code) * microbatches;
    const isNext = at > offsets[deviceOf[code]] && end[operation[at - 1]] === start[at];
    const isFed = fedBy >= 0 && end[fedBy] + delay[code] === start[at];
    if (isNext && (!isFed || random.whole(2) === 0)) at -= 1;
    else if (isFed) at = placeOf[fedBy];
    else return count;
  }
}
