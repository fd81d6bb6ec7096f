import { type Timeline, arrivalAt, endAt } from '../simulate/timeline.ts';

/**
 * Seconds, by route of the plan, that devices stand idle while what they wait for is on its way: for each gap before an
 * operation, the part of it that lies between the end of the operation that made the missing result and its arrival.
 * Where several results arrive last, the first of them is charged.
 */
export function exposedByRoute(timeline: Timeline, routes: number): Float64Array {
  const { program, timing } = timeline;
  const { devices, order, offsets, shift, microbatches } = program;
  const exposed = new Float64Array(routes);
  const slack = timeline.makespan * 1e-12;
  const mask = (1 << shift) - 1;
  for (let device = 0; device < devices; device += 1) {
    let before = 0;
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      const end = endAt(timeline, at);
      const row = order[at] >> shift;
      const start = timeline.starts === undefined ? end - timing.duration[row] : timeline.starts[at];
      const gap = start - before;
      before = end;
      if (gap <= slack) continue;
      const microbatch = order[at] & mask;
      for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
        if (Math.abs(arrivalAt(timeline, need, microbatch) - start) > slack) continue;
        const route = timing.needRoute[need];
        const made = timeline.end[timing.needs[need] * microbatches + microbatch];
        if (route >= 0) exposed[route] += Math.min(gap, start - made);
        break;
      }
    }
  }
  return exposed;
}
