import { rowTable } from '../values/program.ts';
import type { Timeline } from '../values/timeline.ts';
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
  const { program, timing, end, starts } = timeline;
  const { devices, order, offsets, shift, microbatches } = program;
  const { result } = rowTable(program);
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const find = isPlain(timeline) ? plainFinder(timeline) : undefined;
  const exposed = new Float64Array(routes);
  const slack = timeline.makespan * 1e-12;
  for (let device = 0; device < devices; device += 1) {
    let before = 0;
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      const row = order[at] >> shift;
      const microbatch = order[at] & mask;
      const ended = end[result[row] * microbatches + microbatch];
      const start = starts === undefined ? ended - timing.duration[row] : starts[at];
      const gap = start - before;
      before = ended;
      if (gap <= slack || start <= window.from || start - gap >= window.to) continue;
      let need: number;
      let slot: number;
      if (find === undefined) {
        const binding = bindingNeed(timeline, at, slack);
        if (binding === undefined) continue;
        ({ need, slot } = binding);
      } else {
        need = find(row, microbatch, start, slack);
        if (need < 0) continue;
        slot = timing.needs[need] * microbatches + microbatch;
      }
      const route = timing.needRoute[need];
      if (route >= 0)
        exposed[route] += Math.max(0, Math.min(start, window.to) - Math.max(start - gap, end[slot], window.from));
    }
  }
  return exposed;
}

/** Every slot has one operation, and each result arrives a constant after its end. */
const isPlain = ({ program, timing, arrival }: Timeline): boolean =>
  program.fused === undefined && timing.needShift === undefined && arrival === undefined;

/** `bindingNeed` of such a timeline without an object for each operation; −1 where there is none. */
function plainFinder({ program: { microbatches }, timing, end }: Timeline) {
  const { needOffsets, needs, needOccupancy, needLatency } = timing;
  return (row: number, microbatch: number, start: number, slack: number): number => {
    for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
      const arrival = end[needs[need] * microbatches + microbatch] + (needOccupancy[need] + needLatency[need]);
      if (Math.abs(arrival - start) <= slack) return need;
    }
    return -1;
  };
}
