/**
 * Recomputation ahead of the gradient: a separate operation R before each backward, so that it runs while the device waits for
 * the gradient. Torchgpipe does so (Kim et al., 2020), and Mario for any schedule (Liu et al., PPoPP 2025).
 */
import type { PipelinePlan } from '../values/plan.ts';
import { mostHeld } from '../order/memory/most.ts';
import { staticBytes } from '../order/memory/walk.ts';
import {
  B,
  E,
  I,
  kindOf,
  kindOfRow,
  microbatchOf,
  type Program,
  R,
  rowOf,
  stageOf,
  wordOf,
} from '../values/program.ts';

/**
 * The program with R just before the backward (before its slot, if it shares one). A stage has R if it recomputes and its device
 * has the room. An R holds what all layers of the stage keep until its backward has ended; recomputation inside a backward makes
 * one layer after the other. No peak goes over the device's capacity that was not over it, and none that was grows. If transfers
 * do not queue for each other, no operation ends later than with R inside the backward.
 */
export function recomputeAhead(program: Program, plan: PipelinePlan): Program {
  if (program.forwardOnly === true || program.apart !== undefined || evictsOverCapacity(program, plan)) return program;
  const apart = new Uint8Array(program.stages);
  for (let device = 0; device < program.devices; device += 1) chooseStages(program, plan, device, apart);
  return apart.includes(1) ? joined(program, apart) : program;
}

/**
 * Marks all stages of a device that recompute, if that fits. Otherwise marks one after the other; the stages that gain most come
 * first.
 */
function chooseStages(program: Program, plan: PipelinePlan, device: number, apart: Uint8Array): void {
  const candidates = plan.stages
    .flatMap(({ recompute, recomputed }, stage) =>
      program.placement[stage] === device && (recompute > 0 || recomputed > 0) ? [stage] : [],
    )
    .sort((a, b) => plan.stages[b].recompute - plan.stages[a].recompute || a - b);
  if (candidates.length === 0) return;
  const { memory, reserved } = plan.devices[device];
  const always = alwaysOf(program, plan, device);
  const before = always + peakOf(program, plan, device);
  // Versions are counted as if all were there at the peak: over the capacity, that says nothing.
  if (program.weights !== undefined && before > memory - reserved) return;
  const limit = Math.max(memory - reserved, before);
  const fits = (): boolean => always + peakOf(alone(program, apart, device), plan, device) <= limit;
  for (const stage of candidates) apart[stage] = 1;
  if (fits()) return;
  for (const stage of candidates) apart[stage] = 0;
  for (const stage of candidates.length > 1 ? candidates : []) {
    apart[stage] = 1;
    if (!fits()) apart[stage] = 0;
  }
}

/** Bytes of a device that are always there or may be: what others have put there, versions of its weights. */
function alwaysOf(program: Program, plan: PipelinePlan, device: number): number {
  const always = staticBytes(plan, device) + guestBytes(program, plan, device);
  if (program.weights === undefined) return always;
  // Beside the newest version there is at most one for each microbatch in flight, and what the rule keeps.
  const copies = mostHeld(plan, program, device).inFlight + (program.weightCopies ?? 1);
  return plan.stages.reduce(
    (sum, { weights }, stage) => (program.placement[stage] === device ? sum + copies * weights : sum),
    always,
  );
}

/**
 * Whether a device that evicts or keeps what others evict may be over its capacity, counting what is away as if it were in both
 * places. How much it holds depends on time then, and any change of times could make it more.
 */
function evictsOverCapacity(program: Program, plan: PipelinePlan): boolean {
  const { partner } = program;
  if (partner === undefined) return false;
  return plan.devices.some(
    ({ memory, reserved }, device) =>
      (partner[device] >= 0 || partner.includes(device)) &&
      alwaysOf(program, plan, device) + peakOf(program, plan, device) > memory - reserved,
  );
}

/** The most bytes of a device's own operations at a time. */
function peakOf(program: Program, plan: PipelinePlan, device: number): number {
  const { activations, workspace } = mostHeld(plan, program, device);
  return activations + workspace;
}

/** The most bytes that others have evicted to a device at a time, by the order of those who evict. */
function guestBytes(program: Program, plan: PipelinePlan, device: number): number {
  const { partner, order, offsets, shift, stages, devices } = program;
  let bytes = 0;
  for (let home = 0; partner !== undefined && home < devices; home += 1) {
    if (partner[home] !== device || home === device) continue;
    const away = new Set<number>();
    let sum = 0;
    let most = 0;
    for (let position = offsets[home]; position < offsets[home + 1]; position += 1) {
      const row = rowOf(program, order[position]);
      const kind = kindOfRow(stages, row);
      const stage = row % stages;
      const backward = (stage << shift) | microbatchOf(program, order[position]);
      if (kind === E) {
        away.add(backward);
        sum += plan.stages[stage].activation;
        most = Math.max(most, sum);
        // One that is called back has arrived when its backward starts, at the latest.
      } else if ((kind === B || kind === I) && away.delete(backward)) sum -= plan.stages[stage].activation;
    }
    bytes += most;
  }
  return bytes;
}

/** One device's row with an R before each backward of the marked stages; the rows of others are empty. */
function alone(program: Program, apart: Uint8Array, device: number): Program {
  const { order, fused } = rowWith(program, apart, device);
  const offsets = Int32Array.from(program.offsets, (_, index) => (index > device ? order.length : 0));
  return { ...program, apart, extended: true, order, offsets, fused };
}

/** All rows with an R before each backward of the marked stages. */
function joined(program: Program, apart: Uint8Array): Program {
  const offsets = new Int32Array(program.devices + 1);
  const rows = Array.from({ length: program.devices }, (_, device) => rowWith(program, apart, device));
  rows.forEach(({ order }, device) => (offsets[device + 1] = offsets[device] + order.length));
  const order = new Int32Array(offsets[program.devices]);
  const fused = program.fused === undefined ? undefined : new Uint8Array(order.length);
  rows.forEach((row, device) => {
    order.set(row.order, offsets[device]);
    if (row.fused !== undefined) fused?.set(row.fused, offsets[device]);
  });
  return { ...program, apart, extended: true, order, offsets, ...(fused === undefined ? {} : { fused }) };
}

function rowWith(
  program: Program,
  apart: Uint8Array,
  device: number,
): { readonly order: Int32Array; readonly fused?: Uint8Array } {
  const { order, offsets, fused } = program;
  const [from, to] = [offsets[device], offsets[device + 1]];
  const asks = (position: number): boolean => {
    const kind = kindOf(program, order[position]);
    return (kind === B || kind === I) && apart[stageOf(program, order[position])] === 1;
  };
  let more = 0;
  for (let position = from; position < to; position += 1) if (asks(position)) more += 1;
  const next = new Int32Array(to - from + more);
  const nextFused = fused === undefined ? undefined : new Uint8Array(next.length);
  let at = 0;
  for (let position = from; position < to;) {
    const width = fused?.[position] === 1 ? 2 : 1;
    for (let item = position; item < position + width; item += 1) {
      if (!asks(item)) continue;
      const stage = stageOf(program, order[item]);
      next[at] = wordOf(program, R, stage, microbatchOf(program, order[item]));
      at += 1;
    }
    for (let item = position; item < position + width; item += 1) {
      next[at] = order[item];
      if (nextFused !== undefined && fused !== undefined) nextFused[at] = fused[item];
      at += 1;
    }
    position += width;
  }
  return nextFused === undefined ? { order: next } : { order: next, fused: nextFused };
}
