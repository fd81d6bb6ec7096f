/** What the memory of a host keeps for its device over time: activations (E to the host and L back, or by layers), and a part of the optimizer. */
import type { PipelinePlan } from '../values/plan.ts';
import { B, F, I, kindOf, stageOf } from '../values/program.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import { endAt, startAt, type Timeline } from '../values/timeline.ts';
import { movesOf } from './guests.ts';
import type { MemoryTrack } from './memory.ts';

/** Whether a device sends activations to its host by E. */
const hasHost = ({ program: { partner, devices } }: Timeline, device: number): boolean =>
  partner?.[device] === devices + device;

/** A microbatch of a stage, or of the layers of a stage that are offloaded, comes to the host (1) or leaves it (−1). */
interface Change {
  readonly at: number;
  /** The stage; for its layers, the number of stages more. */
  readonly kept: number;
  readonly change: number;
}

/** The step function of the host of a device; undefined for a device that keeps nothing there. Limits are of whole hosts. */
export function hostTrack(plan: PipelinePlan, timeline: Timeline, device: number): MemoryTrack | undefined {
  const moves = hasHost(timeline, device) ? movesOf(timeline, timeline.program.devices + device) : undefined;
  const evicted = Array.from(moves?.at ?? [], (at, move) => ({
    at,
    kept: moves?.stage[move] ?? 0,
    change: moves?.change[move] ?? 0,
  }));
  const changes = [...evicted, ...changesByLayers(plan, timeline, device)].sort((a, b) => a.at - b.at);
  const base = plan.step[device]?.host?.kept ?? 0;
  return changes.length === 0 && base === 0 ? undefined : trackOf(plan, timeline, changes, base);
}

/** From the start of a forward to the end of the backward that brings its activations back. */
function changesByLayers(plan: PipelinePlan, timeline: Timeline, device: number): readonly Change[] {
  const { program } = timeline;
  if (stagesOn(plan.placement, device).every((stage) => plan.stages[stage].offloaded === undefined)) return [];
  const changes: Change[] = [];
  for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1) {
    const stage = stageOf(program, program.order[at]);
    const kind = kindOf(program, program.order[at]);
    if (plan.stages[stage].offloaded === undefined) continue;
    if (kind === F) changes.push({ at: startAt(timeline, at), kept: stage + plan.stages.length, change: 1 });
    else if (kind === B || kind === I)
      changes.push({ at: endAt(timeline, at), kept: stage + plan.stages.length, change: -1 });
  }
  return changes;
}

function trackOf(plan: PipelinePlan, timeline: Timeline, changes: readonly Change[], base: number): MemoryTrack {
  const sizes = [
    ...plan.stages.map(({ activation }) => activation),
    ...plan.stages.map(({ offloaded }) => offloaded?.bytes ?? 0),
  ];
  // Sums of counts times sizes: adding and subtracting bytes would drift for fractional sizes.
  const kept = new Int32Array(sizes.length);
  const slack = timeline.makespan * 1e-12;
  const at = [0];
  const levels = [base];
  for (const [index, change] of changes.entries()) {
    kept[change.kept] += change.change;
    // Changes at one moment are one change.
    if (index + 1 < changes.length && changes[index + 1].at <= change.at + slack) continue;
    at.push(change.at);
    levels.push(kept.reduce((bytes, count, of) => bytes + count * sizes[of], base));
  }
  return { at: Float64Array.from(at), bytes: Float64Array.from(levels), base, capacity: Infinity };
}
