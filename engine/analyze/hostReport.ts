/** What the memory of a host keeps for its device (E to the host, and L back). */
import type { PipelinePlan } from '../plan.ts';
import { E, kindOf, stageOf } from '../program.ts';
import type { HostReport } from '../report.ts';
import { movesOf } from '../simulate/guests.ts';
import type { Timeline } from '../timeline.ts';

/** Undefined for a device that sends nothing to its host. Bytes of one iteration. */
export function hostReport(plan: PipelinePlan, timeline: Timeline, device: number): HostReport | undefined {
  const { program, makespan } = timeline;
  const { devices, partner, offsets, order } = program;
  const host = devices + device;
  const link = plan.devices[device].host;
  const moves = partner?.[device] === host ? movesOf(timeline, host) : undefined;
  if (link === undefined || moves === undefined) return undefined;
  // Sums of counts times sizes: adding and subtracting bytes would drift for fractional sizes.
  const kept = new Int32Array(plan.stages.length);
  const slack = makespan * 1e-12;
  let peak = 0;
  for (let at = 0; at < moves.at.length; at += 1) {
    kept[moves.stage[at]] += moves.change[at];
    // Changes at one moment are one change.
    if (at + 1 < moves.at.length && moves.at[at + 1] <= moves.at[at] + slack) continue;
    let bytes = 0;
    for (let stage = 0; stage < kept.length; stage += 1) bytes += kept[stage] * plan.stages[stage].activation;
    peak = Math.max(peak, bytes);
  }
  let sent = 0;
  for (let at = offsets[device]; at < offsets[device + 1]; at += 1)
    if (kindOf(program, order[at]) === E) sent += plan.stages[stageOf(program, order[at])].activation;
  const bytes = sent / plan.iterations;
  return { peak, bytes, busy: bytes / link.bandwidth };
}
