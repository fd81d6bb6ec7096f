/** A clock table as rows: each device works through its slots in order. */
import type { RowsBody } from '../definitions/schedule.ts';
import type { Entry } from '../../grammar/syntax.ts';
import type { RowPlan } from '../plan.ts';
import { B, F, I, letters, W } from '../program.ts';
import { type Frame, outside, tooManyOperations } from '../sequences/frame.ts';
import type { SlotEntry, SlotTable } from './slots.ts';

type Numbers = Parameters<RowsBody['expand']>[0];

/** Slots of the operations of each kind: `stage * microbatches + microbatch`, or by stage where they repeat. */
interface Slots {
  readonly at: readonly (Float64Array | undefined)[];
  readonly microbatches: number;
  readonly period: number | undefined;
}

/** Rows with the slot of each operation; `undefined` where the table is wrong for these numbers (reported). */
export function slotRows(frame: Frame, table: SlotTable, numbers: Numbers): readonly RowPlan[] | undefined {
  const { stages, microbatches, devices, stagesOf } = numbers;
  const { entries } = table;
  const operations = entries.length * stages * microbatches;
  if (operations > frame.operations) {
    tooManyOperations(frame, entries[0].entry.key, operations);
    return undefined;
  }
  const slots = slotsOf(frame, table, numbers);
  if (slots === undefined || !isCausal(frame, table, slots, numbers)) return undefined;
  const rows: RowPlan[] = [];
  for (let device = 0; device < devices; device += 1) {
    const runs = (stage: number, microbatch: number): boolean =>
      stagesOf.running === undefined || stagesOf.running(device, microbatch).includes(stage);
    if (stagesOf.running === undefined && !isApart(frame, table, slots, stagesOf.all[device], device)) return undefined;
    const row = rowOf(frame, table, slots, stagesOf.all[device], runs, device);
    if (row === undefined) return undefined;
    rows.push(row);
  }
  return rows;
}

const slotAt = ({ at, microbatches, period }: Slots, index: number, stage: number, microbatch: number): number => {
  const list = at[index];
  if (list === undefined) return NaN;
  return period === undefined ? list[stage * microbatches + microbatch] : list[stage] + period * microbatch;
};

function slotsOf(frame: Frame, { entries, period }: SlotTable, { stages, microbatches }: Numbers): Slots | undefined {
  const turn = period?.code.at(frame);
  if (period !== undefined && !(Number.isSafeInteger(turn) && Number(turn) >= 1)) {
    outside(frame, period.value, 'The period', String(turn), 'a whole number of at least 1');
    return undefined;
  }
  const each = period === undefined ? microbatches : 1;
  const at: (Float64Array | undefined)[] = [];
  for (const { kind, at: written } of entries) {
    const list = written === undefined ? undefined : new Float64Array(stages * each);
    at.push(list);
    if (written === undefined || list === undefined) continue;
    for (let stage = 0; stage < stages; stage += 1) {
      for (let microbatch = 0; microbatch < each; microbatch += 1) {
        frame.slots[written.stage] = stage;
        if (written.microbatch !== undefined) frame.slots[written.microbatch] = microbatch;
        const slot = written.code.at(frame);
        const of = written.microbatch === undefined ? `stage ${stage}` : `stage ${stage}, microbatch ${microbatch}`;
        if (!(Number.isInteger(slot) && slot >= 0 && slot <= latest))
          outside(
            frame,
            written.value,
            `The slot of ${letters[kind]} of ${of}`,
            String(slot),
            `a whole number from 0 to ${latest.toLocaleString('en-US')}`,
          );
        if (frame.failed) return undefined;
        list[stage * each + microbatch] = slot;
      }
    }
  }
  return { at, microbatches, period: turn };
}

/** Latest slot of a table. */
const latest = 2 ** 31 - 1;

const sentence = (kind: number, stage: number, microbatch: number, slot: number): string =>
  `${stage}${letters[kind]}${microbatch} is in slot ${slot.toLocaleString('en-US')}`;

/** Reports a problem at an entry, with the other entry that it is about. */
function refuse({ report }: Frame, at: Entry, other: Entry, problem: string): false {
  const related = at === other ? [] : [{ place: report.place(other), message: 'The other slot.' }];
  report.report('schedule/slot', at, { problem }, { related });
  return false;
}

/** Whether each operation comes after what it needs. */
function isCausal(
  frame: Frame,
  { entries }: SlotTable,
  slots: Slots,
  { stages, microbatches, before }: Numbers,
): boolean {
  const index = new Map(entries.map(({ kind }, at) => [kind, at]));
  const [forward, input, weight] = [index.get(F), index.get(B) ?? index.get(I), index.get(W)];
  if (forward === undefined || input === undefined) return true;
  const count = slots.period === undefined ? microbatches : 1;
  for (let stage = 0; stage < stages; stage += 1) {
    const sources = before === undefined ? (stage === 0 ? [] : [stage - 1]) : before[stage];
    for (let microbatch = 0; microbatch < count; microbatch += 1) {
      const late = (user: number, userStage: number, need: number, needStage: number): boolean => {
        const [mine, other] = [slotAt(slots, user, userStage, microbatch), slotAt(slots, need, needStage, microbatch)];
        if (!(other >= mine)) return false;
        const [at, of] = [entries[user], entries[need]];
        const problem = `${sentence(at.kind, userStage, microbatch, mine)} but needs ${sentence(of.kind, needStage, microbatch, other).replace(' is ', ', which is ')}`;
        return !refuse(frame, at.entry, of.entry, problem);
      };
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
    for (const stage of entry.at === undefined ? [] : stages) {
      const slot = slotAt(slots, index, stage, 0);
      const other = taken.get(slot % period);
      if (other !== undefined) {
        const problem = `${sentence(entry.kind, stage, 0, slot)} and ${sentence(other.entry.kind, other.stage, 0, other.slot)} of device ${device}, which are equal modulo the period ${period}`;
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
  runs: (stage: number, microbatch: number) => boolean,
  device: number,
): RowPlan | undefined {
  const { microbatches } = slots;
  const fixed: {
    readonly index: number;
    readonly stage: number;
    readonly microbatch: number;
    readonly slot: number;
  }[] = [];
  for (const [index, { at }] of entries.entries()) {
    for (const stage of at === undefined ? [] : stages)
      for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
        if (runs(stage, microbatch))
          fixed.push({ index, stage, microbatch, slot: slotAt(slots, index, stage, microbatch) });
  }
  fixed.sort((a, b) => a.slot - b.slot || a.index - b.index || a.stage - b.stage);
  const kinds: number[] = [];
  const rowStages: number[] = [];
  const rowMicrobatches: number[] = [];
  const items: number[] = [];
  const rowSlots: number[] = [];
  const write = (item: number, stage: number, microbatch: number, slot: number): void => {
    kinds.push(entries[item].kind);
    rowStages.push(stage);
    rowMicrobatches.push(microbatch);
    items.push(item);
    rowSlots.push(slot);
  };
  // Weight gradients in the order of their I, one in each free slot.
  const free = entries.findIndex(({ at }) => at === undefined);
  const waiting: number[] = [];
  let first = 0;
  let next = 0;
  const fillUntil = (slot: number): void => {
    for (; next < slot && first < waiting.length; next += 1, first += 1)
      write(free, Math.trunc(waiting[first] / microbatches), waiting[first] % microbatches, next);
  };
  let last: (typeof fixed)[number] | undefined;
  for (const operation of fixed) {
    const { index, stage, microbatch, slot } = operation;
    if (last?.slot === slot) {
      const [a, b] = [entries[index], entries[last.index]];
      const problem = `${sentence(a.kind, stage, microbatch, slot)} of device ${device}, which holds ${last.stage}${letters[b.kind]}${last.microbatch}`;
      refuse(frame, a.entry, b.entry, problem);
      return undefined;
    }
    fillUntil(slot);
    write(index, stage, microbatch, slot);
    if (free >= 0 && entries[index].kind === I) waiting.push(stage * microbatches + microbatch);
    next = slot + 1;
    last = operation;
  }
  fillUntil(Infinity);
  return { kinds, stages: rowStages, microbatches: rowMicrobatches, items, slots: rowSlots };
}
