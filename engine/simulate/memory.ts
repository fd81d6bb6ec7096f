import type { PipelinePlan } from '../plan.ts';
import { staticBytes, walkMemory } from '../order/memoryWalk.ts';
import { type Moves, movesOf } from './guests.ts';
import { type Timeline, endAt, startAt } from '../timeline.ts';
import { versionBytes } from './versionBytes.ts';

export { staticBytes } from '../order/memoryWalk.ts';

/** Bytes over time of one device: a step function. */
export interface MemoryTrack {
  /** Seconds at which the level changes, ascending; the first is 0. */
  readonly at: Float64Array;
  /** Bytes from `at[i]` to `at[i + 1]`, static part included. */
  readonly bytes: Float64Array;
  /** Weights, gradients, optimizer state, buffers: always there. */
  readonly base: number;
  /** Usable bytes: memory − reserved. */
  readonly capacity: number;
}

export interface MemoryPeak {
  readonly bytes: number;
  /** Position in `order` of the operation during which the peak is first reached; −1 where the device runs none. */
  readonly position: number;
  /** Whether that operation runs then, or has not begun or has ended, where activations of another device come. */
  readonly when: 'before' | 'during' | 'after';
  /** Only if devices evict: microbatches of each stage that had come by then, less the microbatches that had left. */
  readonly moved?: Int32Array;
  /** At that operation, with those that it keeps for another device. */
  readonly activations: number;
  readonly workspace: number;
  /** Of weights beyond the newest version. */
  readonly versions: number;
  /**
   * Most microbatches of one stage each held at a time (chunks, if a device has several stages). It includes microbatches that
   * the device keeps for another, not those that another keeps for it.
   */
  readonly inFlight: number;
}

/** The most that a device holds at a time: its own operations' (`walkMemory`), and what comes and goes by evictions. */
export function memoryPeak(plan: PipelinePlan, timeline: Timeline, device: number): MemoryPeak {
  const base = staticBytes(plan, device);
  const older = versionBytes(plan, timeline.program, device);
  // Under GPipe every forward is a new peak: an object for each would be garbage.
  let most = base;
  let at = -1;
  let activationsThen = 0;
  let workspaceThen = 0;
  let versionsThen = 0;
  let inFlight = 0;
  const look = (position: number, activations: number, workspace: number, held: number): boolean => {
    if (held > inFlight) inFlight = held;
    const versions = older === undefined ? 0 : older.during(position);
    const bytes = base + activations + workspace + versions;
    if (bytes <= most && at >= 0) return false;
    most = bytes;
    at = position;
    activationsThen = activations;
    workspaceThen = workspace;
    versionsThen = versions;
    return true;
  };
  let when: MemoryPeak['when'] = 'during';
  let moved: Int32Array | undefined;
  const moves = movesOf(timeline, device);
  if (moves === undefined) {
    walkMemory(plan, timeline.program, device, (position, width, activations, workspace, held) => {
      look(position + width - 1, activations, workspace, held);
    });
  } else {
    withMoves(plan, timeline, device, moves, (level, come) => {
      if (!look(level.position, level.activations, level.workspace, level.held)) return;
      when = level.when;
      moved = come.slice();
    });
  }
  return {
    bytes: most,
    position: at,
    when,
    ...(moved === undefined ? {} : { moved }),
    activations: activationsThen,
    workspace: workspaceThen,
    versions: versionsThen,
    inFlight,
  };
}

/** The whole step function, for drawing. */
export function memoryTrack(plan: PipelinePlan, timeline: Timeline, device: number): MemoryTrack {
  const base = staticBytes(plan, device);
  const at: number[] = [0];
  const bytes: number[] = [base];
  // A start is an end less a duration: without slack, rounding would open a gap of 1e-17 s between neighbours.
  const slack = timeline.makespan * 1e-12;
  const step = (time: number, level: number) => {
    const last = bytes.length - 1;
    if (bytes[last] === level) return;
    if (time - at[last] > slack) {
      at.push(time);
      bytes.push(level);
    } else if (last > 0 && bytes[last - 1] === level) {
      at.pop();
      bytes.pop();
    } else bytes[last] = level;
  };
  const older = versionBytes(plan, timeline.program, device);
  const moves = movesOf(timeline, device);
  if (moves === undefined) {
    walkMemory(plan, timeline.program, device, (position, width, activations, workspace, _held, after) => {
      const last = position + width - 1;
      step(startAt(timeline, position), base + activations + workspace + (older?.during(position) ?? 0));
      step(endAt(timeline, last), base + after + (older?.after(last) ?? 0));
    });
  } else {
    withMoves(plan, timeline, device, moves, ({ from, position, activations, workspace }) =>
      step(from, base + activations + workspace + (older?.during(position) ?? 0)),
    );
  }
  const { memory, reserved } = plan.devices[device];
  return { at: Float64Array.from(at), bytes: Float64Array.from(bytes), base, capacity: memory - reserved };
}

/** What a device holds from a moment on. */
interface Level {
  readonly from: number;
  /** The slot that runs, or the last one that ran. */
  readonly position: number;
  readonly when: MemoryPeak['when'];
  readonly activations: number;
  readonly workspace: number;
  readonly held: number;
}

/**
 * Levels of a device's operations, joined with what comes and goes in parallel with them, in order of time. Changes at one moment
 * (but for rounding) are one change: what ends then makes room for what starts.
 */
function withMoves(
  plan: PipelinePlan,
  timeline: Timeline,
  device: number,
  { at, stage, change }: Moves,
  visit: (level: Level, moved: Int32Array) => void,
): void {
  const levels: Level[] = [];
  walkMemory(plan, timeline.program, device, (position, width, activations, workspace, held, after, heldAfter) => {
    const last = position + width - 1;
    levels.push({ from: startAt(timeline, position), position: last, when: 'during', activations, workspace, held });
    levels.push({
      from: endAt(timeline, last),
      position: last,
      when: 'after',
      activations: after,
      workspace: 0,
      held: heldAfter,
    });
  });
  const slack = timeline.makespan * 1e-12;
  const moved = new Int32Array(plan.stages.length);
  const touched = [...new Set(stage)];
  let next = 0;
  let now: Level = {
    from: 0,
    position: levels[0]?.position ?? -1,
    when: 'before',
    activations: 0,
    workspace: 0,
    held: 0,
  };
  for (let index = 0; index < levels.length || next < at.length;) {
    const from = Math.min(levels[index]?.from ?? Infinity, at[next] ?? Infinity);
    for (; index < levels.length && levels[index].from <= from + slack; index += 1) now = levels[index];
    for (; next < at.length && at[next] <= from + slack; next += 1) moved[stage[next]] += change[next];
    // Sums of counts times sizes: adding and subtracting bytes would drift for fractional sizes.
    const bytes = touched.reduce((sum, each) => sum + moved[each] * plan.stages[each].activation, 0);
    const units = touched.reduce((sum, each) => sum + moved[each], 0);
    visit({ ...now, from, activations: now.activations + bytes, held: now.held + units }, moved);
  }
}
