import type { RuleOperation } from '../values/plan.ts';
import { type Dependencies, resultKinds } from './dependencies.ts';
import { type Heap, heapOf, pop, push } from './heap.ts';
import { depthsOf } from './depths.ts';
import { B, F, I, kindOfRow, type Program, type ProgramCopies, shiftFor, W } from '../values/program.ts';
import { consumersOf } from './rules/dependencies.ts';
import { turnsOf } from './turns.ts';
import { type Ticks, ticksAt } from './wholeTicks.ts';

export interface Preference {
  /** Kinds, the preferred one first. */
  readonly prefer: readonly RuleOperation[];
  readonly split: boolean;
}

export interface Work {
  readonly devices: number;
  /** Device of each stage. */
  readonly placement: ArrayLike<number>;
  readonly microbatches: number;
  /** Most microbatches in flight, by stage; their length is the number of stages. */
  readonly limits: Float64Array;
  readonly dependencies: Dependencies;
  /** Whole numbers, so that what is ready at the same instant is seen to be so. */
  readonly ticks: Ticks;
  /** Only if stages are copies. */
  readonly copies?: ProgramCopies;
}

/** Rank of each result row's kind (F, backward, W): place in the rule's list. */
function ranks(rule: Preference): readonly number[] {
  const listed = [...rule.prefer, ...(['B', 'I', 'F', 'W'] as const)];
  const kinds: readonly RuleOperation[] = ['F', rule.split ? 'I' : 'B', 'W'];
  return kinds.map((kind) => listed.indexOf(kind));
}

/**
 * The list scheduler in time that `greedy` describes. O(n log S) for n operations on S stages. Every limit must be at least 1
 * and stages must be without a circle, or operations are missing.
 */
export function listSchedule(work: Work, rule: Preference): Program {
  const { devices, microbatches, limits, dependencies, ticks, copies } = work;
  const stages = limits.length;
  const placement = Int32Array.from(work.placement);
  const shift = shiftFor(microbatches);
  const { offsets: needOffsets, needs } = dependencies;
  const rows = (rule.split ? resultKinds : 2) * stages;
  const consumers = consumersOf(dependencies, rows);
  const rank = ranks(rule);
  const kindOfResult = rule.split ? [F, I, W] : [F, B, W];

  const { microbatchOf: microbatchAt, uneven, count, turnOf } = turnsOf(copies, stages, microbatches);
  const depths = depthsOf(copies, stages);
  const counts = Int32Array.from({ length: stages }, (_, stage) => count(stage));

  const offsets = new Int32Array(devices + 1);
  for (let stage = 0; stage < stages; stage += 1) offsets[placement[stage] + 1] += (rows / stages) * counts[stage];
  for (let device = 0; device < devices; device += 1) offsets[device + 1] += offsets[device];
  const order = new Int32Array(offsets[devices]);
  const at = offsets.slice(0, devices);

  // Each row (kind of one stage) runs its microbatches in order, so its state is its next turn and how many have ended.
  const next = new Int32Array(rows);
  const ended = new Int32Array(rows);
  const end = new Float64Array(rows * microbatches);
  const inFlight = new Int32Array(stages);
  // Need that a row was last found to wait for, when the others are there by, and whether its next operation is announced.
  const need = needOffsets.slice(0, rows);
  const readyAt = new Float64Array(rows);
  const parked = new Uint8Array(stages);
  const running = new Int32Array(devices).fill(-1);

  const held = new Int32Array(devices);
  for (let row = 0; row < rows; row += 1) held[placement[row % stages]] += 1;
  const ready: readonly Heap[] = Array.from(held, heapOf);
  // Values: a row that becomes ready, or `rows + device` where the device ends its operation.
  const events = heapOf(rows + devices);
  const touched = new Int32Array(devices);
  const isTouched = new Uint8Array(devices);
  let touchedCount = 0;
  const touch = (device: number): void => {
    if (isTouched[device] === 1) return;
    isTouched[device] = 1;
    touched[touchedCount] = device;
    touchedCount += 1;
  };

  /** Announces the next operation of a row once all that it needs has ended. */
  const announce = (row: number): void => {
    const turn = next[row];
    if (turn >= counts[row % stages]) return;
    while (need[row] < needOffsets[row + 1]) {
      const producer = needs[need[row]];
      const asked = uneven ? turnOf(producer % stages, row % stages, turn) : turn;
      if (ended[producer] <= asked) return;
      const arrives = asked < 0 ? 0 : end[producer * microbatches + asked] + ticks.transfer[need[row]];
      if (arrives > readyAt[row]) readyAt[row] = arrives;
      need[row] += 1;
    }
    push(events, readyAt[row], row);
  };
  const offer = (row: number): void => {
    const kind = kindOfRow(stages, row);
    const stage = row - kind * stages;
    if (kind === 0 && inFlight[stage] + 1 > limits[stage]) {
      parked[stage] = 1;
      return;
    }
    const microbatch = microbatchAt(stage, next[row]);
    push(ready[placement[stage]], (rank[kind] * microbatches + microbatch) * stages + depths[stage], row);
    touch(placement[stage]);
  };
  const finish = (device: number, now: number): void => {
    const row = running[device];
    running[device] = -1;
    touch(device);
    const turn = ended[row];
    end[row * microbatches + turn] = now;
    ended[row] += 1;
    const kind = kindOfRow(stages, row);
    const stage = row - kind * stages;
    if (kind === 1) {
      inFlight[stage] -= 1;
      if (parked[stage] === 1) {
        parked[stage] = 0;
        offer(stage);
      }
    }
    for (let index = consumers.offsets[row]; index < consumers.offsets[row + 1]; index += 1) {
      const consumer = consumers.rows[index];
      const asked = uneven ? turnOf(consumer % stages, stage, turn) : turn;
      // Only who waits for just this result may go on.
      if (next[consumer] === asked && need[consumer] < needOffsets[consumer + 1] && needs[need[consumer]] === row)
        announce(consumer);
    }
  };
  const start = (device: number, now: number): void => {
    const row = pop(ready[device]);
    const kind = kindOfRow(stages, row);
    const stage = row - kind * stages;
    order[at[device]] = ((kindOfResult[kind] * stages + stage) << shift) | microbatchAt(stage, next[row]);
    at[device] += 1;
    if (kind === 0) inFlight[stage] += 1;
    running[device] = row;
    const length = ticksAt(ticks, microbatches, row, microbatchAt(stage, next[row]));
    push(events, now + length, rows + device);
    next[row] += 1;
    need[row] = needOffsets[row];
    readyAt[row] = now;
    announce(row);
  };

  for (let row = 0; row < rows; row += 1) announce(row);
  while (events.size > 0) {
    const now = events.keys[0];
    // All that happens at one instant, before any device chooses.
    while (events.size > 0 && events.keys[0] === now) {
      const event = pop(events);
      if (event < rows) offer(event);
      else finish(event - rows, now);
    }
    while (touchedCount > 0) {
      touchedCount -= 1;
      const device = touched[touchedCount];
      isTouched[device] = 0;
      if (running[device] < 0 && ready[device].size > 0) start(device, now);
    }
  }
  const program = { devices, stages, microbatches, split: rule.split, placement, order, offsets, shift };
  return copies === undefined ? program : { ...program, copies };
}
