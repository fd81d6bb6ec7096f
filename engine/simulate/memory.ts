import type { PipelinePlan } from '../plan/plan.ts';
import { B, F, I, R, W, resultOf } from '../schedule/program.ts';
import { type Timeline, endAt, startAt } from './timeline.ts';

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
  /** At that operation. */
  readonly activations: number;
  readonly workspace: number;
  /** Most microbatches of one stage each (chunks, where a device has several stages) held at a time. */
  readonly inFlight: number;
}

/**
 * Memory model: F adds the activations of its microbatch when it starts; B frees them when it ends; with a split backward
 * I frees what only the input gradient needs, W the rest. What recomputation makes again and workspace are there only while
 * the operation runs.
 */
export function memoryPeak(plan: PipelinePlan, timeline: Timeline, device: number): MemoryPeak {
  const base = staticBytes(plan, device);
  let peak: MemoryPeak = { bytes: base, position: -1, activations: 0, workspace: 0, inFlight: 0 };
  let inFlight = 0;
  walkMemory(plan, timeline, device, (position, width, activations, workspace, held) => {
    if (held > inFlight) inFlight = held;
    const bytes = base + activations + workspace;
    if (bytes > peak.bytes || peak.position < 0)
      peak = { bytes, position: position + width - 1, activations, workspace, inFlight: 0 };
  });
  return { ...peak, inFlight };
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
  walkMemory(plan, timeline, device, (position, width, activations, workspace, _held, after) => {
    step(startAt(timeline, position), base + activations + workspace);
    step(endAt(timeline, position + width - 1), base + after);
  });
  const { memory, reserved } = plan.devices[device];
  return { at: Float64Array.from(at), bytes: Float64Array.from(bytes), base, capacity: memory - reserved };
}

export function staticBytes(plan: PipelinePlan, device: number): number {
  return plan.stages.reduce(
    (sum, stage, index) =>
      plan.placement[index] === device ? sum + stage.weights + stage.gradients + stage.optimizer + stage.buffers : sum,
    0,
  );
}

/** Calls `visit` for each slot of the device: bytes while it runs (activations with what is recomputed; workspace), units held, and bytes after. */
function walkMemory(
  plan: PipelinePlan,
  timeline: Timeline,
  device: number,
  visit: (position: number, width: number, activations: number, workspace: number, held: number, after: number) => void,
): void {
  const { program } = timeline;
  const { order, offsets, shift, stages, microbatches, fused, apart } = program;
  // Where recomputation is an operation of its own: microbatches of each stage whose recomputed activations are held.
  const again = new Int32Array(apart === undefined ? 0 : stages);
  /** Without an R of its own, a microbatch of such a stage keeps everything from F on. */
  const keepsAll = (stage: number, word: number): boolean =>
    apart?.[stage] === 1 &&
    Number.isNaN(timeline.end[(resultOf[R] * stages + stage) * microbatches + (word & ((1 << shift) - 1))]);
  // Levels are sums of counts times sizes: adding and subtracting bytes would drift for fractional sizes.
  const kept = new Int32Array(stages);
  const keptForWeight = new Int32Array(stages);
  const local = plan.stages.flatMap((_, stage) => (plan.placement[stage] === device ? [stage] : []));
  const level = () => {
    let sum = 0;
    for (const stage of local) {
      sum +=
        kept[stage] * plan.stages[stage].activation + keptForWeight[stage] * plan.stages[stage].activationForWeight;
      if (apart !== undefined) sum += again[stage] * plan.stages[stage].recomputed;
    }
    return sum;
  };
  let held = 0;
  for (let position = offsets[device]; position < offsets[device + 1];) {
    const width = fused !== undefined && fused[position] === 1 ? 2 : 1;
    let recomputed = 0;
    let workspace = 0;
    for (let at = position; at < position + width; at += 1) {
      const row = order[at] >> shift;
      const kind = Math.trunc(row / stages);
      const stage = plan.stages[row - kind * stages];
      workspace += stage.workspace;
      if (kind === F) {
        kept[row - kind * stages] += 1;
        held += 1;
        if (apart !== undefined && keepsAll(row - kind * stages, order[at])) again[row - kind * stages] += 1;
      } else if (kind === R) again[row - kind * stages] += 1;
      else if ((kind === B || kind === I) && apart?.[row - kind * stages] !== 1) recomputed += stage.recomputed;
    }
    const during = level() + recomputed;
    const heldDuring = held;
    for (let at = position; at < position + width; at += 1) {
      const row = order[at] >> shift;
      const kind = Math.trunc(row / stages);
      const stage = row - kind * stages;
      if (kind === B || kind === I) {
        kept[stage] -= 1;
        if (apart?.[stage] === 1) again[stage] -= 1;
      }
      if (kind === I) keptForWeight[stage] += 1;
      if (kind === W) keptForWeight[stage] -= 1;
      if (kind === B || kind === W) held -= 1;
    }
    visit(position, width, during, workspace, heldDuring, level());
    position += width;
  }
}
