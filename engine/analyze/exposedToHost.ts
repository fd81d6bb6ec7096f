import { type Timeline, endAt, startAt } from '../values/timeline.ts';
import { bindingNeed } from './binding.ts';

/**
 * Seconds that a device idles while what it waits for is on its way to its host or back. As for links: for each gap before an
 * operation, the part between the start of the copy's operation (E or L) and its arrival. An L waits for the copy of its E, a
 * backward for the copy of its L. If several results arrive last, the first of them is charged, so no wait counts twice. Only what
 * lies in the window.
 */
export function exposedToHost(
  timeline: Timeline,
  device: number,
  window: { readonly from: number; readonly to: number } = { from: 0, to: Infinity },
): number {
  const { program, timing, end, makespan } = timeline;
  const slack = makespan * 1e-12;
  const freeAt = freeTimes(timeline, device);
  let exposed = 0;
  for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1) {
    const start = startAt(timeline, at);
    const before = freeAt(at);
    if (start - before <= slack || start <= window.from || before >= window.to) continue;
    const binding = bindingNeed(timeline, at, slack);
    // Of what takes no route, only copies to and from the host arrive later than they end.
    if (binding === undefined || timing.needRoute[binding.need] >= 0) continue;
    exposed += Math.max(0, Math.min(start, window.to) - Math.max(before, end[binding.slot], window.from));
  }
  return exposed;
}

/** When the device was free for the operation at a position: the end of the one before, or of what it sent or received since then. */
function freeTimes(timeline: Timeline, device: number): (position: number) => number {
  const { program, blocking } = timeline;
  const first = program.offsets[device];
  if (blocking === undefined) {
    let busyUntil = 0;
    return (position) => {
      if (position > first) busyUntil = Math.max(busyUntil, endAt(timeline, position - 1));
      return busyUntil;
    };
  }
  const { offsets, slot } = blocking.exchanges;
  const left = new Map<number, number>();
  for (let item = offsets[device]; item < offsets[device + 1]; item += 1)
    if (slot[item] >= 0) left.set(slot[item], item === offsets[device] ? 0 : blocking.left[item - 1]);
  // The second of two that share a slot starts with the first one: it ends no gap.
  return (position) => left.get(position) ?? Infinity;
}
