import type { PipelinePlan } from '../values/plan.ts';
import { firstOfSlot } from '../order/slot.ts';
import { mostHeld } from '../order/memory/most.ts';
import { heldBytes } from '../order/memory/steps.ts';
import { staticBytes, updateBytes } from '../order/memory/walk.ts';
import { type Program, rowTable } from '../values/program.ts';
import { type Moves, movesOf } from './guests.ts';
import { type HeldByOperation, heldByOperations } from './heldByOperations.ts';
import { type Timeline, endAt, startAt } from '../values/timeline.ts';
import { addStep, noSteps, restart, type Steps } from './stepFunction.ts';
import { type VersionBytes, versionBytes } from './versionBytes.ts';

export { staticBytes } from '../order/memory/walk.ts';

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
  /**
   * Whether that operation runs then, or has not begun or has ended, where activations of another device come. `update`: it is the
   * device's last one, and weights are updated.
   */
  readonly when: 'before' | 'during' | 'after' | 'update';
  /** Only if devices evict: microbatches of each stage that had come by then, less the microbatches that had left. */
  readonly moved?: Int32Array;
  /** At that operation, with those that it keeps for another device. */
  readonly activations: number;
  readonly workspace: number;
  /** Of weights beyond the newest version. */
  readonly versions: number;
  /** Copies of gradients, only if weights are updated then. */
  readonly gradientCopies?: number;
  /** Only if operations of the schedule hold anything then. */
  readonly operations?: readonly HeldByOperation[];
  /**
   * Most microbatches of one stage each held at a time (chunks, if a device has several stages). It includes microbatches that
   * the device keeps for another, not those that another keeps for it.
   */
  readonly inFlight: number;
}

/** The most that a device holds at a time: its own operations' (`walkMemory`), what comes and goes by evictions, and the update. */
export function memoryPeak(plan: PipelinePlan, timeline: Timeline, device: number): MemoryPeak {
  const moves = movesOf(timeline, device);
  const held = heldByOperations(plan, timeline, device);
  return moves === undefined && held.length === 0
    ? peakOfSlots(plan, timeline, device)
    : peakWithMoves(plan, timeline, device, moves ?? noMoves, held);
}

function peakOfSlots(plan: PipelinePlan, { program }: Timeline, device: number): MemoryPeak {
  const older = versionBytes(plan, program, device);
  const { left, position, ...most } = mostHeld(plan, program, device, older?.during);
  const versions = position < 0 ? 0 : (older?.during(position) ?? 0);
  const bytes = staticBytes(plan, device) + most.activations + most.workspace + versions;
  return withUpdate(
    plan,
    program,
    device,
    { bytes, position, when: 'during', ...most, versions },
    { activations: left },
  );
}

type Left = Pick<MemoryPeak, 'activations' | 'moved' | 'operations'>;

const bytesLeft = ({ activations, operations = [] }: Left): number => activations + bytesOf(operations);

/** When a device begins to update its weights. Copies of gradients are there from then on: the next iteration frees them. */
export const updateStart = ({ exchanged, last }: Timeline, device: number): number =>
  Math.max(exchanged[device], last[device]);

/** The peak, or the level while weights are updated if that is higher. `left`: what is there then in addition to the state. */
function withUpdate(
  plan: PipelinePlan,
  { offsets }: Program,
  device: number,
  peak: MemoryPeak,
  left: Left,
): MemoryPeak {
  const gradientCopies = updateBytes(plan, device);
  const bytes = staticBytes(plan, device) + gradientCopies + bytesLeft(left);
  if (gradientCopies === 0 || bytes <= peak.bytes) return peak;
  return {
    bytes,
    position: offsets[device] < offsets[device + 1] ? offsets[device + 1] - 1 : -1,
    when: 'update',
    ...left,
    gradientCopies,
    workspace: 0,
    versions: 0,
    inFlight: peak.inFlight,
  };
}

const noMoves: Moves = {
  at: new Float64Array(0),
  stage: new Int32Array(0),
  microbatch: new Int32Array(0),
  change: new Int32Array(0),
};

function peakWithMoves(
  plan: PipelinePlan,
  timeline: Timeline,
  device: number,
  moves: Moves,
  byOperations: readonly HeldByOperation[],
): MemoryPeak {
  const base = staticBytes(plan, device);
  const older = versionBytes(plan, timeline.program, device);
  let peak: MemoryPeak = {
    bytes: base,
    position: -1,
    when: 'during',
    activations: 0,
    workspace: 0,
    versions: 0,
    inFlight: 0,
  };
  let inFlight = 0;
  /** What is there most while weights are updated: activations of other devices may come and go. */
  let left: Left = { activations: 0 };
  const copies = updateBytes(plan, device) > 0;
  const updated = updateStart(timeline, device);
  withMoves(
    plan,
    timeline,
    device,
    moves,
    byOperations,
    ({ from, position, when, activations, workspace, held }, moved, now) => {
      if (held > inFlight) inFlight = held;
      const versions = older === undefined ? 0 : older.during(position);
      const bytes = base + activations + workspace + versions + bytesOf(now);
      const rest = (): Left => ({
        activations,
        ...(moves === noMoves ? {} : { moved: moved.slice() }),
        ...(now.length === 0 ? {} : { operations: [...now] }),
      });
      if (copies && (from <= updated || activations + bytesOf(now) > bytesLeft(left))) left = rest();
      if (bytes <= peak.bytes && peak.position >= 0) return;
      peak = {
        bytes,
        position,
        when,
        ...rest(),
        workspace,
        versions,
        inFlight,
      };
    },
  );
  return withUpdate(plan, timeline.program, device, { ...peak, inFlight }, left);
}

/** The whole step function of each device, for drawing. */
export function memoryTracks(plan: PipelinePlan, timeline: Timeline): MemoryTrack[] {
  const steps = noSteps(timeline);
  return plan.devices.map((_, device) => trackWith(steps, plan, timeline, device));
}

/** The step function of one device. */
export const memoryTrack = (plan: PipelinePlan, timeline: Timeline, device: number): MemoryTrack =>
  trackWith(noSteps(timeline), plan, timeline, device);

function trackWith(steps: Steps, plan: PipelinePlan, timeline: Timeline, device: number): MemoryTrack {
  const { program } = timeline;
  const base = staticBytes(plan, device);
  const moves = movesOf(timeline, device);
  const operations = program.offsets[device + 1] - program.offsets[device];
  const held = heldByOperations(plan, timeline, device);
  restart(steps, base, 2 * operations + (moves?.at.length ?? 0) + 2 * held.length + 2);
  const older = versionBytes(plan, program, device);
  const updated = updateStart(timeline, device);
  let copies = 0;
  /** Adds the copies of gradients if the update begins before this moment. */
  const update = (before: number) => {
    if (copies > 0 || updated >= before) return;
    copies = updateBytes(plan, device);
    addStep(steps, updated, steps.bytes[steps.count - 1] + copies);
  };
  if (moves === undefined && held.length === 0) addSlots(steps, plan, timeline, device, base, older);
  else {
    withMoves(plan, timeline, device, moves ?? noMoves, held, ({ from, position, activations, workspace }, _, now) => {
      update(from);
      addStep(steps, from, base + activations + workspace + (older?.during(position) ?? 0) + bytesOf(now) + copies);
    });
  }
  update(Infinity);
  const { memory, reserved } = plan.devices[device];
  const { at, bytes, count } = steps;
  return { at: at.slice(0, count), bytes: bytes.slice(0, count), base, capacity: memory - reserved };
}

function addSlots(
  steps: Steps,
  plan: PipelinePlan,
  timeline: Timeline,
  device: number,
  base: number,
  older: VersionBytes | undefined,
): void {
  const { program, end, starts } = timeline;
  const { duration } = timeline.timing;
  const { order, shift, microbatches } = program;
  const { result } = rowTable(program);
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const { levels, next } = heldBytes(plan, program, device);
  const { last, bytes, after } = levels;
  for (let count = next(); count > 0; count = next()) {
    for (let slot = 0; slot < count; slot += 1) {
      const to = last[slot];
      const from = firstOfSlot(program, device, to);
      const row = order[from] >> shift;
      const firstEnd = end[result[row] * microbatches + (order[from] & mask)];
      const lastEnd = from === to ? firstEnd : endAt(timeline, to);
      const during = older === undefined ? 0 : older.during(from);
      const since = older === undefined ? 0 : older.after(to);
      const start = starts === undefined ? firstEnd - duration[row] : starts[from];
      addStep(steps, start, base + bytes[slot] + during);
      addStep(steps, lastEnd, base + after[slot] + since);
    }
  }
}

/** Bytes that operations of the schedule hold: a sum from nothing, because adding and subtracting would drift. */
const bytesOf = (held: readonly HeldByOperation[]): number => held.reduce((sum, { bytes }) => sum + bytes, 0);

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

/** Levels of a device's operations, in order of time. */
function levelsOf(plan: PipelinePlan, timeline: Timeline, device: number): readonly Level[] {
  const { program } = timeline;
  const found: Level[] = [];
  const { levels, next, workspaceAt } = heldBytes(plan, program, device);
  const { last, bytes, held, after, heldAfter } = levels;
  for (let count = next(); count > 0; count = next()) {
    for (let slot = 0; slot < count; slot += 1) {
      const position = last[slot];
      const workspace = workspaceAt(position);
      const start = startAt(timeline, firstOfSlot(program, device, position));
      const during = { when: 'during', activations: bytes[slot] - workspace, workspace, held: held[slot] } as const;
      found.push({ from: start, position, ...during });
      const ended = { when: 'after', activations: after[slot], workspace: 0, held: heldAfter[slot] } as const;
      found.push({ from: endAt(timeline, position), position, ...ended });
    }
  }
  return found;
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
  byOperations: readonly HeldByOperation[],
  visit: (level: Level, moved: Int32Array, held: readonly HeldByOperation[]) => void,
): void {
  const levels = levelsOf(plan, timeline, device);
  const slack = timeline.makespan * 1e-12;
  const moved = new Int32Array(plan.stages.length);
  const touched = [...new Set(stage)];
  const leaving = byOperations.map(({ to }) => to).sort((a, b) => a - b);
  let held: HeldByOperation[] = [];
  let comes = 0;
  let leaves = 0;
  let next = 0;
  let now: Level = {
    from: 0,
    position: levels[0]?.position ?? -1,
    when: 'before',
    activations: 0,
    workspace: 0,
    held: 0,
  };
  for (let index = 0; index < levels.length || next < at.length || leaves < leaving.length;) {
    const from = Math.min(
      levels[index]?.from ?? Infinity,
      at[next] ?? Infinity,
      byOperations[comes]?.from ?? Infinity,
      leaving[leaves] ?? Infinity,
    );
    for (; index < levels.length && levels[index].from <= from + slack; index += 1) now = levels[index];
    for (; next < at.length && at[next] <= from + slack; next += 1) moved[stage[next]] += change[next];
    if (byOperations.length > 0) {
      for (; leaves < leaving.length && leaving[leaves] <= from + slack;) leaves += 1;
      for (; comes < byOperations.length && byOperations[comes].from <= from + slack; comes += 1)
        held.push(byOperations[comes]);
      held = held.filter(({ to }) => to > from + slack);
    }
    // Sums of counts times sizes: adding and subtracting bytes would drift for fractional sizes.
    const bytes = touched.reduce((sum, each) => sum + moved[each] * plan.stages[each].activation, 0);
    const units = touched.reduce((sum, each) => sum + moved[each], 0);
    visit({ ...now, from, activations: now.activations + bytes, held: now.held + units }, moved, held);
  }
}
