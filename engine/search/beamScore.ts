/** How good an order of a beam may become. */
import type { BeamRoom } from './beamRoom.ts';
import { isWaiting, type Slots } from './beamSlots.ts';
import type { Layout } from './layout.ts';

/** Ticks that no end of this order can be under, and a little of the mean over the devices. Infinity: not under `under`. */
export type BeamScore = (now: Slots, slot: number, waits: number) => number;

export function beamScore(
  layout: Layout,
  { isBinding, fits }: BeamRoom,
  { under, mean }: { readonly under: number; readonly mean: number },
): BeamScore {
  const { problem, stages, codes, ticks, device: deviceOf, feeds, delay, local, first } = layout;
  const { devices, microbatches, step } = problem;
  const tail = tailsOf(layout);
  const earliest = new Float64Array(codes);
  return (now, slot, waits) => {
    const counts = slot * codes;
    const ends = slot * codes * microbatches;
    const look = (code: number): void => {
      const count = now.counts[counts + code];
      const from = feeds[code];
      let start = now.free[slot * devices + deviceOf[code]];
      if (from >= 0) {
        const arrival =
          (now.counts[counts + from] > count
            ? now.end[ends + from * microbatches + count]
            : earliest[from] + ticks[from]) + delay[code];
        if (arrival > start) start = arrival;
      }
      earliest[code] = start;
    };
    for (let code = 0; code < stages; code += 1) look(code);
    for (let code = 2 * stages - 1; code >= stages; code -= 1) look(code);
    for (let code = 2 * stages; code < codes; code += 1) look(code);
    let latest = 0;
    let sum = 0;
    for (let on = 0; on < devices; on += 1) {
      let left = 0;
      let begin = Infinity;
      let gives = Infinity;
      for (let place = first[on]; place < first[on + 1]; place += 1) {
        const code = local[place];
        const count = now.counts[counts + code];
        if (count === microbatches) continue;
        left += (microbatches - count) * ticks[code];
        if (code >= stages) gives = Math.min(gives, earliest[code] + ticks[code]);
      }
      for (let place = first[on]; place < first[on + 1]; place += 1) {
        const code = local[place];
        const count = now.counts[counts + code];
        if (count === microbatches) continue;
        let start = earliest[code];
        if (
          code < stages &&
          isBinding[on] === 1 &&
          gives > start &&
          (isWaiting(layout, code, waits) || !fits(now, slot, code))
        )
          start = gives;
        if (start < begin) begin = start;
        const end = start + (microbatches - 1 - count) * ticks[code] + tail[code];
        if (end > latest) latest = end;
      }
      const end = (left === 0 ? now.free[slot * devices + on] : begin + left) + step[on];
      sum += end;
      if (end > latest) latest = end;
    }
    return latest < under ? latest + (mean * sum) / devices : Infinity;
  };
}

/** Ticks from the start of an operation to the end of all that needs it, by code. */
function tailsOf({ problem, stages, codes, ticks, feeding, delay, device }: Layout): Float64Array {
  const tail = new Float64Array(codes);
  const look = (code: number): void => {
    let after = problem.step[device[code]];
    for (let place = 2 * code; place < 2 * code + 2; place += 1)
      if (feeding[place] >= 0) after = Math.max(after, delay[feeding[place]] + tail[feeding[place]]);
    tail[code] = ticks[code] + after;
  };
  for (let code = 2 * stages; code < codes; code += 1) look(code);
  for (let code = stages; code < 2 * stages; code += 1) look(code);
  for (let code = stages - 1; code >= 0; code -= 1) look(code);
  return tail;
}
