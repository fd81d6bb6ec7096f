/** What the memory of a host keeps for its device over time (E to the host, and L back). */
import type { PipelinePlan } from '../plan.ts';
import type { Timeline } from '../timeline.ts';
import { movesOf } from './guests.ts';
import type { MemoryTrack } from './memory.ts';

/** Whether a device sends activations to its host. */
const hasHost = ({ program: { partner, devices } }: Timeline, device: number): boolean =>
  partner?.[device] === devices + device;

/** The step function of the host of a device; undefined for a device that sends nothing there. Files state no limit for hosts. */
export function hostTrack(plan: PipelinePlan, timeline: Timeline, device: number): MemoryTrack | undefined {
  const moves = hasHost(timeline, device) ? movesOf(timeline, timeline.program.devices + device) : undefined;
  if (moves === undefined) return undefined;
  // Sums of counts times sizes: adding and subtracting bytes would drift for fractional sizes.
  const kept = new Int32Array(plan.stages.length);
  const slack = timeline.makespan * 1e-12;
  const at = [0];
  const levels = [0];
  for (let move = 0; move < moves.at.length; move += 1) {
    kept[moves.stage[move]] += moves.change[move];
    // Changes at one moment are one change.
    if (move + 1 < moves.at.length && moves.at[move + 1] <= moves.at[move] + slack) continue;
    let bytes = 0;
    for (let stage = 0; stage < kept.length; stage += 1) bytes += kept[stage] * plan.stages[stage].activation;
    at.push(moves.at[move]);
    levels.push(bytes);
  }
  return { at: Float64Array.from(at), bytes: Float64Array.from(levels), base: 0, capacity: Infinity };
}
