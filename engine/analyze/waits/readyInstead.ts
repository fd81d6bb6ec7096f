/** Whether a device that waits has other work that is ready, and the limits that hold it back. */
import type { PipelinePlan } from '../../values/plan.ts';
import { B, F, I, kindOf, microbatchOf, rowOf, stageOf } from '../../values/program.ts';
import { slotWidth } from '../../order/slot.ts';
import { memoryTrack } from '../../simulate/memory.ts';
import { stageNumber } from '../../costs/stages.ts';
import { type Timeline, arrivalAt } from '../../values/timeline.ts';
import type { Wait } from './chainTypes.ts';

/** An operation that comes later on the device and could have started during the wait. */
export interface ReadyInstead {
  readonly position: number;
  /** Seconds: when it could have started. */
  readonly at: number;
  /** Most microbatches in flight of its stage, where the schedule's rule has such a limit and the stage has reached it. */
  readonly limit?: number;
  /** Bytes that the device would hold while it ran, where that is more than the device has. */
  readonly bytes?: number;
}

/**
 * The first operation after the wait that could have started in it, for a wait that an operation ends. Undefined where nothing is
 * ready. O(operations of the device).
 */
export function readyInstead(plan: PipelinePlan, timeline: Timeline, wait: Wait): ReadyInstead | undefined {
  const { program } = timeline;
  const slack = timeline.makespan * 1e-12;
  const stop = program.offsets[wait.device + 1];
  for (let at = wait.before; at < stop; at += slotWidth(program, at)) {
    const ready = Math.max(wait.from, readyAt(timeline, at));
    if (ready < wait.to - slack) return { position: at, at: ready, ...heldBack(plan, timeline, wait, at, ready) };
  }
  return undefined;
}

/** When all that a slot needs is there, seconds. */
function readyAt(timeline: Timeline, position: number): number {
  const { program, timing } = timeline;
  let ready = 0;
  for (let at = position; at < position + slotWidth(program, position); at += 1) {
    const row = rowOf(program, program.order[at]);
    ready = Math.max(ready, timing.release?.[row] ?? 0);
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
      const arrival = arrivalAt(timeline, need, microbatchOf(program, program.order[at]));
      if (arrival > ready) ready = arrival;
    }
  }
  return ready;
}

/** Limits that keep a forward from running in the wait. For other operations it is the order alone. */
function heldBack(
  plan: PipelinePlan,
  timeline: Timeline,
  wait: Wait,
  position: number,
  at: number,
): Pick<ReadyInstead, 'limit' | 'bytes'> {
  const { program } = timeline;
  const word = program.order[position];
  if (kindOf(program, word) !== F || slotWidth(program, position) > 1) return {};
  const stage = stageOf(program, word);
  const { schedule } = plan;
  const limit = schedule.kind === 'greedy' ? schedule.inFlight[stageNumber(plan, stage)] : null;
  const track = memoryTrack(plan, timeline, wait.device);
  const level =
    track.bytes[
      Math.max(
        0,
        track.at.findLastIndex((time) => time <= at),
      )
    ];
  const bytes = level + plan.stages[stage].activation + plan.stages[stage].workspace;
  return {
    ...(limit !== null && inFlight(timeline, wait, stage) >= limit ? { limit } : {}),
    ...(bytes > track.capacity ? { bytes } : {}),
  };
}

/** Microbatches of a stage whose forward comes before the wait and whose backward does not. */
export function inFlight({ program }: Timeline, wait: Wait, stage: number): number {
  let held = 0;
  for (let at = program.offsets[wait.device]; at < wait.before; at += 1) {
    const word = program.order[at];
    if (stageOf(program, word) !== stage) continue;
    const kind = kindOf(program, word);
    if (kind === F) held += 1;
    else if (kind === B || kind === I) held -= 1;
  }
  return held;
}
