/**
 * What devices hold for operations that a schedule declares. The device of an operation holds `holds` from its start. A receiver
 * holds the bytes of a message from the start of the transfer. Both end when the last operation there that waits has ended, and what
 * it sends has left.
 */
import type { PipelinePlan } from '../values/plan.ts';
import { B, kinds, type Program, resultOf, resultRow, resultRowOf, resultSlotOf, W } from '../values/program.ts';
import { type Timeline, arrivalAt, endAt, occupancyOf, startAt } from '../values/timeline.ts';

/** Bytes that a device holds from one moment to another, seconds. */
export interface HeldByOperation {
  /** Index of the declared operation. */
  readonly operation: number;
  readonly stage: number;
  readonly microbatch: number;
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}

const known = new WeakMap<Timeline, readonly (readonly HeldByOperation[])[]>();
const none: readonly HeldByOperation[] = [];

/** In order of their starts; empty for most devices. */
export function heldByOperations(plan: PipelinePlan, timeline: Timeline, device: number): readonly HeldByOperation[] {
  if (timeline.program.declared === undefined) return none;
  const found = known.get(timeline) ?? allHeld(plan, timeline);
  known.set(timeline, found);
  return found[device];
}

function allHeld(plan: PipelinePlan, timeline: Timeline): readonly (readonly HeldByOperation[])[] {
  const { program } = timeline;
  const { declared, stages, microbatches, placement } = program;
  const found: HeldByOperation[][] = plan.devices.map(() => []);
  if (declared === undefined) return found;
  const positions = new Map(Array.from(program.order, (word, position) => [resultSlotOf(program, word), position]));
  const firstRow = resultRow(stages, kinds, 0);
  const messages = messagesOf(timeline);
  const waiters = waitersOf(plan, program, positions);
  /** When an operation no longer needs what it waited for. */
  const doneAt = (slot: number): number => {
    const position = positions.get(slot);
    const ended = position === undefined ? 0 : endAt(timeline, position);
    return Math.max(ended, ...(messages.get(slot) ?? []).map(({ left }) => left));
  };
  for (const [slot, position] of positions) {
    const row = Math.trunc(slot / microbatches);
    if (row < firstRow) continue;
    const [operation, stage] = [Math.trunc((row - firstRow) / stages), row % stages];
    const place = { operation, stage, microbatch: slot % microbatches };
    const device = placement[stage];
    const who = waiters.get(slot) ?? [];
    const holds = declared.holds[row - firstRow];
    if (holds > 0) {
      const to = Math.max(endAt(timeline, position), ...who.map(doneAt));
      found[device].push({ ...place, bytes: holds, from: startAt(timeline, position), to });
    }
    for (const { receiver, bytes, began, arrived } of messages.get(slot) ?? []) {
      const there = who.filter((waiter) => placement[Math.trunc(waiter / microbatches) % stages] === receiver);
      found[receiver].push({ ...place, bytes, from: began, to: Math.max(arrived, ...there.map(doneAt)) });
    }
  }
  for (const list of found) list.sort((a, b) => a.from - b.from);
  return found;
}

interface Message {
  readonly receiver: number;
  readonly bytes: number;
  /** Seconds: start of the transfer, when it has left the sender, and when it is there. */
  readonly began: number;
  readonly left: number;
  readonly arrived: number;
}

/** Messages with bytes, by the slot of the operation that sends them. */
function messagesOf(timeline: Timeline): ReadonlyMap<number, readonly Message[]> {
  const { program, timing } = timeline;
  const { declared, stages, microbatches, placement } = program;
  const found = new Map<number, Message[]>();
  const seen = new Set<number>();
  for (let row = 0; row + 1 < timing.needOffsets.length; row += 1) {
    const waits = declared?.waits.get(resultRowOf(stages, row));
    if (waits === undefined) continue;
    const base = timing.needOffsets[row + 1] - waits.length;
    for (const [index, { whom, shift, only, bytes }] of waits.entries()) {
      if (bytes === 0) continue;
      const need = base + index;
      const receiver = placement[row % stages];
      for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
        if (only[microbatch] === 0) continue;
        const arrived = arrivalAt(timeline, need, microbatch);
        const slot = whom * microbatches + microbatch + shift;
        // B and I of a stage list the same need.
        const key = slot * program.devices + receiver;
        if (!(arrived >= 0) || seen.has(key)) continue;
        seen.add(key);
        const left = arrived - timing.needLatency[need];
        const sent = timeline.sent?.[need * microbatches + microbatch];
        const began =
          sent === undefined || sent < 0 ? left - occupancyOf(timing, microbatches, need, microbatch) : sent;
        const message = { receiver, bytes, began, left, arrived };
        const all = found.get(slot);
        if (all === undefined) found.set(slot, [message]);
        else all.push(message);
      }
    }
  }
  return found;
}

/** Slots that wait for each slot, as the schedule says. */
function waitersOf(
  { schedule }: PipelinePlan,
  { stages, microbatches }: Program,
  positions: ReadonlyMap<number, number>,
): ReadonlyMap<number, readonly number[]> {
  const waits = schedule.kind === 'policy' ? [] : (schedule.operations?.waits ?? []);
  const found = new Map<number, number[]>();
  for (let at = 0; at < waits.length; at += 6) {
    const [kind, stage, microbatch, ofKind, ofStage, ofMicrobatch] = waits.slice(at, at + 6);
    if (ofKind < kinds) continue;
    const whom = (resultOf[ofKind] * stages + ofStage) * microbatches + ofMicrobatch;
    const asked = (resultOf[kind] * stages + stage) * microbatches + microbatch;
    const whole = (resultOf[B] * stages + stage) * microbatches + microbatch;
    const who = kind === W && !positions.has(asked) ? whole : asked;
    const all = found.get(whom);
    if (all === undefined) found.set(whom, [who]);
    else all.push(who);
  }
  return found;
}

/** Bytes of one run that operations of the schedule send from a device to another. */
export function bytesOfOperations({
  declared,
  stages,
  placement,
  devices,
}: Program): (from: number, to: number) => number {
  if (declared === undefined) return () => 0;
  const sent = new Map<number, number>();
  for (const [row, waits] of declared.waits) {
    for (const { whom, only, bytes } of waits) {
      const key = placement[whom % stages] * devices + placement[row % stages];
      sent.set(key, (sent.get(key) ?? 0) + bytes * only.reduce((sum, each) => sum + each, 0));
    }
  }
  return (from, to) => sent.get(from * devices + to) ?? 0;
}
