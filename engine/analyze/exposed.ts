import { rowOf } from '../program.ts';
import { type Timeline, endAt } from '../timeline.ts';
import { bindingNeed } from './binding.ts';
import { blockedByRoute } from './blocking.ts';

/**
 * Seconds, by route of the plan, that devices idle while what they wait for is being transferred. For each gap before an
 * operation, this is the part between the end of the operation that made the missing result and its arrival. If several results
 * arrive last, the first of them is charged. With a window, only the part inside it.
 */
export function exposedByRoute(
  timeline: Timeline,
  routes: number,
  window: { readonly from: number; readonly to: number } = { from: 0, to: Infinity },
): Float64Array {
  if (timeline.blocking !== undefined) return blockedByRoute(timeline, timeline.blocking, routes, window);
  const { program, timing } = timeline;
  const { devices, order, offsets } = program;
  const exposed = new Float64Array(routes);
  const slack = timeline.makespan * 1e-12;
  for (let device = 0; device < devices; device += 1) {
    let before = 0;
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      const end = endAt(timeline, at);
      const row = rowOf(program, order[at]);
      const start = timeline.starts === undefined ? end - timing.duration[row] : timeline.starts[at];
      const gap = start - before;
      before = end;
      if (gap <= slack || start <= window.from || start - gap >= window.to) continue;
      const binding = bindingNeed(timeline, at, slack);
      if (binding === undefined) continue;
      const route = timing.needRoute[binding.need];
      const made = timeline.end[binding.slot];
      if (route >= 0)
        exposed[route] += Math.max(0, Math.min(start, window.to) - Math.max(start - gap, made, window.from));
    }
  }
  return exposed;
}
