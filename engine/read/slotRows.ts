/** A clock table as rows: each device works through its slots in order. */
import type { ScheduleNumbers } from '../definitions/schedule.ts';
import type { PlacedNumbers, SlotBlock } from '../definitions/scheduleEvaluator.ts';
import type { Entry } from '../../grammar/syntax.ts';
import { pack } from '../basics/packed.ts';
import type { RowPlan } from '../values/plan.ts';
import { B, E, F, I, kinds as firstDeclared, L, W } from '../values/program.ts';
import { countsEach, type Frame, outside, tooManyOperations } from '../sequences/frame.ts';
import { ascending } from './ascending.ts';
import { type DeclaredPlace, declaredPlaces } from './declaredPlaces.ts';
import type { SlotEntry, SlotTable } from './slots.ts';

/** Slots of the operations of each kind: `stage * microbatches + microbatch`, or by stage where they repeat. */
interface Slots {
  readonly at: readonly (Float64Array | undefined)[];
  readonly microbatches: number;
  readonly period: number | undefined;
}

/** Rows with the slot of each operation; `undefined` where the table is wrong for these numbers (reported). */
export function slotRows(frame: Frame, table: SlotTable, one: PlacedNumbers): readonly RowPlan[] | undefined {
  // Without a flush, the table has the microbatches of all iterations.
  const numbers = { ...one, microbatches: one.microbatches * (one.iterations ?? 1) };
  const { stages, microbatches, devices, stagesOf } = numbers;
  const { entries } = table;
  const operations = entries.length * stages * microbatches;
  if (operations > frame.operations) {
    tooManyOperations(frame, entries[0].entry.key, operations);
    return undefined;
  }
  const slots = slotsOf(frame, table, numbers);
  if (slots === undefined || !isCausal(frame, table, slots, numbers)) return undefined;
  const places = declaredPlaces(frame, table, numbers, (index, stage, microbatch) =>
    slotAt(slots, index, stage, microbatch),
  );
  if (places === undefined) return undefined;
  const rows: RowPlan[] = [];
  for (let device = 0; device < devices; device += 1) {
    const { running } = stagesOf;
    const runs =
      running === undefined
        ? undefined
        : (stage: number, microbatch: number): boolean => running(device, microbatch).includes(stage);
    if (running === undefined && !isApart(frame, table, slots, stagesOf.all[device], device)) return undefined;
    const row = rowOf(frame, table, slots, stagesOf.all[device], runs, device, places[device]);
    if (row === undefined) return undefined;
    frame.device = device;
    frame.keeper = undefined;
    table.keeper?.keep(frame);
    if (frame.failed) return undefined;
    rows.push(frame.keeper === undefined ? row : { ...row, keeper: frame.keeper });
  }
  return rows;
}

/** Slots of one microbatch; `undefined` without a period, or where a number is wrong (reported). */
export function blockOf(frame: Frame, table: SlotTable, numbers: ScheduleNumbers): SlotBlock | undefined {
  if (table.period === undefined || table.entries.length * numbers.stages > frame.operations) return undefined;
  const found = slotsOf(frame, table, numbers);
  if (found?.period === undefined) return undefined;
  const kinds = table.entries.flatMap(({ kind, operation }, index) => {
    const slots = found.at[index];
    return slots === undefined || operation !== undefined ? [] : [{ kind, slots: Array.from(slots) }];
  });
  return { period: found.period, kinds };
}

/** E and L take no slot: they may share one with another operation, which they precede. */
export const takesNoSlot = (kind: number): boolean => kind === E || kind === L;

/** A negative slot leaves E, L and operations of the schedule out. */
const mayMiss = (kind: number): boolean => takesNoSlot(kind) || kind >= firstDeclared;

/** Whether an operation is left out. */
const isOut = ({ at }: Slots, { kind }: SlotEntry, index: number, place: number): boolean =>
  mayMiss(kind) && (at[index]?.[place] ?? 0) < 0;

const slotAt = ({ at, microbatches, period }: Slots, index: number, stage: number, microbatch: number): number => {
  const list = at[index];
  if (list === undefined) return NaN;
  return period === undefined ? list[stage * microbatches + microbatch] : list[stage] + period * microbatch;
};

function slotsOf(
  frame: Frame,
  { entries, period }: SlotTable,
  { stages, microbatches }: ScheduleNumbers,
): Slots | undefined {
  const turn = period?.code.at(frame);
  if (period !== undefined && !(Number.isSafeInteger(turn) && Number(turn) >= 1)) {
    outside(frame, period.value, 'The period', String(turn), 'a whole number of at least 1');
    return undefined;
  }
  const each = period === undefined ? microbatches : 1;
  const at: (Float64Array | undefined)[] = [];
  for (const { kind, name, at: written } of entries) {
    const ofStages = written?.stage === undefined ? 1 : stages;
    const list = written === undefined ? undefined : new Float64Array(ofStages * each);
    at.push(list);
    if (written === undefined || list === undefined) continue;
    if (!countsEach(frame, written.value, list.length)) return undefined;
    for (let stage = 0; stage < ofStages; stage += 1) {
      for (let microbatch = 0; microbatch < each; microbatch += 1) {
        if (written.stage !== undefined) frame.slots[written.stage] = stage;
        if (written.microbatch !== undefined) frame.slots[written.microbatch] = microbatch;
        const slot = written.code.at(frame);
        if (!(Number.isInteger(slot) && (slot >= 0 || mayMiss(kind)) && slot <= latest)) {
          const of = [
            ...(written.stage === undefined ? [] : [`stage ${stage}`]),
            ...(written.microbatch === undefined ? [] : [`microbatch ${microbatch}`]),
          ];
          const allowed = `a whole number from 0 to ${latest.toLocaleString('en-US')}`;
          outside(
            frame,
            written.value,
            `The slot of ${name}${of.length === 0 ? '' : ` of ${of.join(', ')}`}`,
            String(slot),
            allowed,
          );
        }
        if (frame.failed) return undefined;
        list[stage * each + microbatch] = slot;
      }
    }
  }
  const slots = { at, microbatches, period: turn };
  if (period === undefined || turn === undefined) return slots;
  const last = at.reduce((most, list) => list?.reduce((later, slot) => Math.max(later, slot), most) ?? most, 0);
  if (last + turn * (microbatches - 1) > latest) {
    const largest = Math.floor((latest - last) / (microbatches - 1)).toLocaleString('en-US');
    outside(frame, period.value, 'The period', String(turn), `at most ${largest} with ${microbatches} microbatches`);
    return undefined;
  }
  return slots;
}

/** Latest slot of a table. Weight gradients in free slots come later, and their slots are 31-bit numbers too. */
const latest = 2 ** 30 - 1;

export const sentence = ({ name }: SlotEntry, stage: number, microbatch: number, slot: number): string =>
  `${stage}${name}${microbatch} is in slot ${slot.toLocaleString('en-US')}`;

/** Reports a problem at an entry, with the other entry that it is about. */
export function refuse({ report }: Frame, at: Entry, other: Entry, problem: string): false {
  const related = at === other ? [] : [{ place: report.place(other), message: 'The other slot.' }];
  report.report('schedule/slot', at, { problem }, { related });
  return false;
}

/** Whether each operation comes after what it needs. */
function isCausal(
  frame: Frame,
  { entries }: SlotTable,
  slots: Slots,
  { stages, microbatches, before }: PlacedNumbers,
): boolean {
  const index = new Map(entries.map(({ kind }, at) => [kind, at]));
  const [forward, input, weight] = [index.get(F), index.get(B) ?? index.get(I), index.get(W)];
  if (forward === undefined || input === undefined) return true;
  const count = slots.period === undefined ? microbatches : 1;
  let microbatch = 0;
  const late = (user: number, userStage: number, need: number, needStage: number): boolean => {
    const mine = slotAt(slots, user, userStage, microbatch);
    const other = slotAt(slots, need, needStage, microbatch);
    if (!(other >= mine)) return false;
    const [at, of] = [entries[user], entries[need]];
    const problem = `${sentence(at, userStage, microbatch, mine)} but needs ${sentence(of, needStage, microbatch, other).replace(' is ', ', which is ')}`;
    return !refuse(frame, at.entry, of.entry, problem);
  };
  /** Whether a copy back is in a later slot than its backward; in the same slot it comes first. */
  const behind = (user: number, stage: number, need: number): boolean => {
    const [mine, other] = [slotAt(slots, user, stage, microbatch), slotAt(slots, need, stage, microbatch)];
    return other > mine && late(user, stage, need, stage);
  };
  const [out, back] = [index.get(E), index.get(L)];
  for (let stage = 0; stage < stages; stage += 1) {
    const sources = before === undefined ? (stage === 0 ? [] : [stage - 1]) : before[stage];
    for (microbatch = 0; microbatch < count; microbatch += 1) {
      if (out !== undefined && back !== undefined && !isOut(slots, entries[out], out, stage * count + microbatch)) {
        if (late(out, stage, forward, stage) || late(back, stage, out, stage)) return false;
        if (!isOut(slots, entries[back], back, stage * count + microbatch) && behind(input, stage, back)) return false;
      }
      if (late(input, stage, forward, stage)) return false;
      if (weight !== undefined && late(weight, stage, input, stage)) return false;
      for (const source of sources)
        if (late(forward, stage, forward, source) || late(input, source, input, stage)) return false;
    }
  }
  return true;
}

/** Whether no two operations of a device have slots that are equal modulo the period. */
function isApart(
  frame: Frame,
  { entries }: SlotTable,
  slots: Slots,
  stages: readonly number[],
  device: number,
): boolean {
  const { period } = slots;
  if (period === undefined) return true;
  const taken = new Map<number, { readonly entry: SlotEntry; readonly stage: number; readonly slot: number }>();
  for (const [index, entry] of entries.entries()) {
    // An operation of the schedule may run on several devices in turn.
    const isHere = entry.at?.stage !== undefined && entry.operation?.on === undefined;
    for (const stage of !isHere || takesNoSlot(entry.kind) ? [] : stages) {
      const slot = slotAt(slots, index, stage, 0);
      if (slot < 0) continue;
      const other = taken.get(slot % period);
      if (other !== undefined) {
        const problem = `${sentence(entry, stage, 0, slot)} and ${sentence(other.entry, other.stage, 0, other.slot)} of device ${device}, which are equal modulo the period ${period}`;
        return refuse(frame, entry.entry, other.entry.entry, problem);
      }
      taken.set(slot % period, { entry, stage, slot });
    }
  }
  return true;
}

/** The operations of a device in the order of their slots. */
function rowOf(
  frame: Frame,
  { entries }: SlotTable,
  slots: Slots,
  stages: readonly number[],
  runs: ((stage: number, microbatch: number) => boolean) | undefined,
  device: number,
  places: readonly DeclaredPlace[],
): RowPlan | undefined {
  const { microbatches } = slots;
  const most = entries.length * stages.length * microbatches + places.length;
  // Everything that has a slot, in the order in which it is written: by entry, then by stage.
  const slotOf = new Int32Array(most);
  const indexOf = new Uint8Array(most);
  const stageOf = new Int32Array(most);
  const microbatchOf = new Int32Array(most);
  let count = 0;
  const { period } = slots;
  for (const [index, list] of slots.at.entries()) {
    if (entries[index].operation !== undefined) continue;
    for (const stage of list === undefined ? [] : stages)
      for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
        if (list === undefined || (runs !== undefined && !runs(stage, microbatch))) continue;
        const place = period === undefined ? stage * microbatches + microbatch : stage;
        if (isOut(slots, entries[index], index, place)) continue;
        slotOf[count] = period === undefined ? list[place] : list[place] + period * microbatch;
        indexOf[count] = index;
        stageOf[count] = stage;
        microbatchOf[count] = microbatch;
        count += 1;
      }
  }
  for (const { item, stage, microbatch, slot } of places) {
    slotOf[count] = slot;
    indexOf[count] = item;
    stageOf[count] = stage;
    microbatchOf[count] = microbatch;
    count += 1;
  }
  const order = ascending(slotOf.subarray(0, count));
  const kinds = new Uint8Array(most);
  const rowStages = new Int32Array(most);
  const rowMicrobatches = new Int32Array(most);
  const items = new Uint8Array(most);
  const rowSlots = new Int32Array(most);
  let written = 0;
  const write = (item: number, stage: number, microbatch: number, slot: number): void => {
    kinds[written] = entries[item].kind;
    rowStages[written] = stage;
    rowMicrobatches[written] = microbatch;
    items[written] = item;
    rowSlots[written] = slot;
    written += 1;
  };
  // Weight gradients in the order of their I, one in each free slot.
  const free = entries.findIndex(({ at }) => at === undefined);
  const waiting = new Int32Array(free < 0 ? 0 : count);
  let waits = 0;
  let first = 0;
  let next = 0;
  const fillUntil = (slot: number): void => {
    for (; next < slot && first < waits; next += 1, first += 1)
      write(free, stageOf[waiting[first]], microbatchOf[waiting[first]], next);
  };
  /** The last operation that takes its slot. */
  let last = -1;
  for (let at = 0; at < count; at += 1) {
    const place = order[at];
    const index = indexOf[place];
    const stage = stageOf[place];
    const microbatch = microbatchOf[place];
    const slot = slotOf[place];
    const takesNone = takesNoSlot(entries[index].kind);
    if (last >= 0 && slotOf[last] === slot && !takesNone) {
      const [a, b] = [entries[index], entries[indexOf[last]]];
      const problem = `${sentence(a, stage, microbatch, slot)} of device ${device}, which holds ${stageOf[last]}${b.name}${microbatchOf[last]}`;
      refuse(frame, a.entry, b.entry, problem);
      return undefined;
    }
    fillUntil(slot);
    write(index, stage, microbatch, slot);
    if (free >= 0 && entries[index].kind === I) waiting[waits++] = place;
    if (takesNone) continue;
    next = slot + 1;
    last = place;
  }
  fillUntil(Infinity);
  return {
    kinds: pack(kinds, written),
    stages: pack(rowStages, written),
    microbatches: pack(rowMicrobatches, written),
    items: pack(items, written),
    slots: pack(rowSlots, written),
  };
}
