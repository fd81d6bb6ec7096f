import { E, kindOfRow, L, type Program, rowOf } from '../values/program.ts';
import type { PipelinePlan } from '../values/plan.ts';

/** Bytes of evicted activations between two devices of a program; 0 for most. Each goes one way with E and back with L. */
export function evictedBytes(plan: PipelinePlan, program: Program): (from: number, to: number) => number {
  const { partner, order, stages, placement, devices } = program;
  if (partner === undefined) return () => 0;
  const bytes = new Map<number, number>();
  for (const word of order) {
    const row = rowOf(program, word);
    const kind = kindOfRow(stages, row);
    if (kind !== E && kind !== L) continue;
    const home = placement[row % stages];
    const away = partner[home];
    // What goes to a host takes no route between devices.
    if (away >= devices) continue;
    const edge = kind === E ? home * devices + away : away * devices + home;
    bytes.set(edge, (bytes.get(edge) ?? 0) + plan.stages[row % stages].activation);
  }
  return (from, to) => bytes.get(from * devices + to) ?? 0;
}
