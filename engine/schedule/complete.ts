/**
 * Rows that lack operations, completed by a list scheduler in time. What is written keeps its order and comes first. A missing
 * operation runs where its device would idle, or behind the end of its row. Backwards come before forwards, then weight gradients;
 * of one kind the lowest microbatch, then the deepest stage. O(n log n) for n operations.
 */
import { addedItem } from './addedItem.ts';
import { type Dependencies, programDependencies } from '../order/dependencies.ts';
import { depthsOf } from '../order/depths.ts';
import { heapOf, type Heap, pop, push } from '../order/heap.ts';
import { pack, rowNumbers } from '../basics/packed.ts';
import type { PipelinePlan, RowPlan } from '../values/plan.ts';
import { transferTimes } from '../policies/shape.ts';
import {
  B,
  F,
  I,
  kindOf,
  kinds,
  microbatchOf,
  needSlot,
  type Program,
  R,
  resultSlotOf,
  rowOf,
  stageOf,
  W,
} from '../values/program.ts';
import { declaredOperations } from './declaredOperations.ts';
import { programOfRows } from './rows.ts';
import { missingOperations, validate } from './validate.ts';

export interface Completion {
  /** Rows with every operation. The item of an operation that the text lacks is `addedItem`. */
  readonly rows: readonly RowPlan[];
  /** Operations that the text lacks. */
  readonly count: number;
}

/** More operations are not completed: nobody writes as many by hand. */
const mostOperations = 200_000;

/** `stuck`: no order of the missing operations lets these rows end. Undefined where nothing is missing, or something else is wrong. */
export function completionOf(plan: PipelinePlan): Completion | 'stuck' | undefined {
  const { schedule } = plan;
  if (schedule.kind !== 'rows' || schedule.fill === true || schedule.weights !== undefined) return undefined;
  const total = plan.stages.length * plan.microbatches * plan.iterations;
  if (total > mostOperations || schedule.rows.length !== plan.devices.length) return undefined;
  const made = programOfRows(plan, schedule.rows);
  if (!('program' in made)) return undefined;
  // Operations of the schedule wait for all that they name, also for what is missing.
  const program =
    schedule.operations === undefined
      ? made.program
      : { ...made.program, declared: declaredOperations(plan, schedule.operations, made.program, 'all') };
  const missing = missingOperations(program, plan);
  if (missing === undefined || missing.length === 0) return undefined;
  if (!missing.every((word) => [F, B, I, W].some((kind) => kind === kindOf(program, word)))) return undefined;
  // Behind what is written the missing operations are easier to write, so they only move where they end sooner.
  const found = [true, false].flatMap((behind) => {
    const order = completed(program, plan, schedule.rows, missing, behind);
    return order === undefined || !runs(plan, order.rows) ? [] : [order];
  });
  const [first, second] = found;
  if (first === undefined) return 'stuck';
  const best = second !== undefined && second.end < first.end ? second : first;
  return { rows: best.rows, count: missing.length };
}

const runs = (plan: PipelinePlan, rows: readonly RowPlan[]): boolean => {
  const made = programOfRows(plan, rows);
  return 'program' in made && validate(made.program, plan).length === 0;
};

/** Whole numbers of nanoseconds, so that equal instants are found equal. */
const ticks = (seconds: number): number => Math.round(seconds * 1e9);

function durationOf({ stages }: PipelinePlan, program: Program, word: number): number {
  const stage = stages[stageOf(program, word)];
  const recompute = program.apart?.[stageOf(program, word)] === 1 ? 0 : stage.recompute;
  switch (kindOf(program, word)) {
    case F:
      return ticks(stage.forward);
    case B:
      return ticks(recompute + stage.backwardInput + stage.backwardWeight);
    case I:
      return ticks(recompute + stage.backwardInput);
    case W:
      return ticks(stage.backwardWeight);
    case R:
      return ticks(stage.recompute);
    default:
      return ticks(declaredSeconds(program, word));
  }
}

/** Of an operation that the schedule declares; copies to the host take no time of the device. */
function declaredSeconds({ declared, stages, shift }: Program, word: number): number {
  const at = rowOf({ shift }, word) - kinds * stages;
  if (declared === undefined || at < 0) return 0;
  return declared.time[at] * (declared.factors?.get(at)?.[microbatchOf({ shift }, word)] ?? 1);
}

const preferred: readonly number[] = [B, I, F, W];

/** The rows with the missing operations in them; undefined where some never run. `behind`: none before a device's row has ended. */
function completed(
  program: Program,
  plan: PipelinePlan,
  written: readonly RowPlan[],
  missing: readonly number[],
  behind: boolean,
): { readonly rows: readonly RowPlan[]; readonly end: number } | undefined {
  const { devices, stages, microbatches, order, offsets, placement, fused } = program;
  const depths = depthsOf(program.copies, stages);
  // Numbers of operations: positions of the written ones, then the missing ones.
  const words = Int32Array.from([...order, ...missing]);
  const dependencies = programDependencies(program, plan.edges);
  const wait = waitsOf(plan, program, dependencies, words);
  const left = wait.needs.slice();
  const arrival = new Float64Array(words.length);
  const isMissing = (operation: number): boolean => operation >= order.length;
  const deviceOf = (operation: number): number => placement[stageOf(program, words[operation])];
  const rank = (operation: number): number => {
    const word = words[operation];
    const kind = preferred.indexOf(kindOf(program, word));
    return (kind * microbatches + microbatchOf(program, word)) * stages + depths[stageOf(program, word)];
  };
  const capacity = Int32Array.from({ length: devices }, () => 0);
  for (let operation = order.length; operation < words.length; operation += 1) capacity[deviceOf(operation)] += 1;
  const pending: readonly Heap[] = Array.from(capacity, heapOf);
  const ready: readonly Heap[] = Array.from(capacity, heapOf);
  const at = offsets.slice(0, devices);
  const free = new Float64Array(devices);
  const chosen: number[][] = Array.from({ length: devices }, () => []);
  // Each operation wakes its device when it may start, and when it has ended.
  const events = heapOf(2 * words.length + devices);

  const announce = (operation: number): void => {
    const device = deviceOf(operation);
    if (isMissing(operation)) push(pending[device], arrival[operation], operation);
    push(events, arrival[operation], device);
  };
  const run = (device: number, operation: number, end: number): void => {
    chosen[device].push(operation);
    free[device] = Math.max(free[device], end);
    for (let index = wait.offsets[operation]; index < wait.offsets[operation + 1]; index += 1) {
      const consumer = wait.consumers[index];
      arrival[consumer] = Math.max(arrival[consumer], end + wait.transfers[index]);
      left[consumer] -= 1;
      if (left[consumer] === 0) announce(consumer);
    }
  };
  /** Positions behind the slot that begins at a position. */
  const slotEnd = (position: number, end: number): number => {
    let next = position + 1;
    while (fused?.[next - 1] === 1 && next < end) next += 1;
    return next;
  };
  const step = (device: number, now: number): void => {
    if (free[device] > now) return;
    const end = offsets[device + 1];
    const position = at[device];
    if (position < end) {
      const last = slotEnd(position, end);
      let canStart = true;
      let total = 0;
      for (let part = position; part < last; part += 1) {
        canStart &&= left[part] === 0 && arrival[part] <= now;
        total += durationOf(plan, program, words[part]);
      }
      if (canStart) {
        at[device] = last;
        for (let part = position; part < last; part += 1) run(device, part, now + total);
        push(events, free[device], device);
        return;
      }
      if (behind) return;
    }
    while (pending[device].size > 0 && pending[device].keys[0] <= now) {
      const operation = pop(pending[device]);
      push(ready[device], rank(operation), operation);
    }
    if (ready[device].size === 0) return;
    const operation = pop(ready[device]);
    run(device, operation, now + durationOf(plan, program, words[operation]));
    push(events, free[device], device);
  };

  for (let operation = 0; operation < words.length; operation += 1) if (left[operation] === 0) announce(operation);
  for (let device = 0; device < devices; device += 1) push(events, 0, device);
  while (events.size > 0) {
    const now = events.keys[0];
    step(pop(events), now);
  }
  if (chosen.some((operations, device) => operations.length < offsets[device + 1] - offsets[device] + capacity[device]))
    return undefined;
  const rows = chosen.map((operations, device) =>
    completedRow(program, words, written[device], offsets[device], operations),
  );
  return { rows, end: free.reduce((latest, at) => Math.max(latest, at), 0) };
}

/** A row with operations added. The fused pairs of the text stay next to each other. */
function completedRow(
  program: Program,
  words: Int32Array,
  written: RowPlan,
  first: number,
  operations: readonly number[],
): RowPlan {
  const { length } = program.order;
  const { items, fused } = rowNumbers(written);
  const joined = new Set(fused);
  const pairs = operations.flatMap((operation, index) =>
    operation < length && joined.has(operation - first) ? [index] : [],
  );
  return {
    ...written,
    kinds: pack(operations.map((operation) => kindOf(program, words[operation]))),
    stages: pack(operations.map((operation) => stageOf(program, words[operation]))),
    microbatches: pack(operations.map((operation) => microbatchOf(program, words[operation]))),
    items: pack(operations.map((operation) => (operation < length ? items[operation - first] : addedItem))),
    ...(pairs.length === 0 ? {} : { fused: pack(pairs) }),
  };
}

/** Who waits for each operation, as compressed rows, and for how many results each waits. */
interface Waits {
  readonly offsets: Int32Array;
  readonly consumers: Int32Array;
  /** Ticks from the end of the operation until its result is there. */
  readonly transfers: Float64Array;
  readonly needs: Int32Array;
}

function waitsOf(plan: PipelinePlan, program: Program, dependencies: Dependencies, words: Int32Array): Waits {
  const { microbatches, placement, stages } = program;
  const time = transferTimes(plan);
  const makers = new Map<number, number>();
  for (const [operation, word] of words.entries()) makers.set(resultSlotOf(program, word), operation);
  const pairs: { readonly maker: number; readonly consumer: number; readonly transfer: number }[] = [];
  const needs = new Int32Array(words.length);
  for (const [consumer, word] of words.entries()) {
    const row = Math.trunc(resultSlotOf(program, word) / microbatches);
    for (let need = dependencies.offsets[row]; need < dependencies.offsets[row + 1]; need += 1) {
      const slot = needSlot(dependencies, microbatches, need, microbatchOf(program, word));
      const maker = slot < 0 ? undefined : makers.get(slot);
      if (maker === undefined) continue;
      const edge = dependencies.edge[need] < 0 ? undefined : plan.edges[dependencies.edge[need]];
      const [from, to] = [placement[stageOf(program, words[maker])], placement[stageOf(program, word)]];
      const sent =
        edge === undefined ? dependencies.needBytes?.[need] : row < stages ? edge.bytes : (edge.back ?? edge.bytes);
      const isSent = sent !== undefined && sent >= 0 && from !== to;
      pairs.push({ maker, consumer, transfer: isSent ? ticks(time(from, to, sent)) : 0 });
      needs[consumer] += 1;
    }
  }
  const offsets = new Int32Array(words.length + 1);
  for (const { maker } of pairs) offsets[maker + 1] += 1;
  for (let operation = 0; operation < words.length; operation += 1) offsets[operation + 1] += offsets[operation];
  const next = offsets.slice(0, words.length);
  const consumers = new Int32Array(pairs.length);
  const transfers = new Float64Array(pairs.length);
  for (const { maker, consumer, transfer } of pairs) {
    consumers[next[maker]] = consumer;
    transfers[next[maker]] = transfer;
    next[maker] += 1;
  }
  return { offsets, consumers, transfers, needs };
}
