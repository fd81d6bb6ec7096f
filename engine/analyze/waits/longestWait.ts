/** The longest wait of a forward for gradients of the iteration before it. */
import { endAt, startAt, type Timeline } from '../../values/timeline.ts';
import type { Wait } from './chainTypes.ts';
import { iterationBefore } from './iterationBefore.ts';
import { waitChain } from './waitChain.ts';

/** Waits that are looked at, the longest first. */
const mostWaits = 16;

/** Undefined with a barrier, and if no forward waits for gradients. O(operations) for each wait that is looked at. */
export function longestGradientWait(timeline: Timeline): Wait | undefined {
  const { program, exchange } = timeline;
  const before = iterationBefore(timeline);
  if (before === undefined || exchange === undefined) return undefined;
  const waits = before.forwards.map(({ device, position }): Wait => {
    const first = program.offsets[device];
    const start = startAt(timeline, position);
    return position === first
      ? { device, from: timeline.last[device], to: start + exchange.period, before: -1 }
      : { device, from: endAt(timeline, position - 1), to: start, before: position };
  });
  return waits
    .filter(({ from, to }) => to - from > exchange.period * 1e-9)
    .toSorted((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, mostWaits)
    .find((wait) => waitChain(timeline, wait).tensor !== undefined);
}
