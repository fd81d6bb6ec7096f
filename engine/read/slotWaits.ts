/** Whether the operations that a schedule declares are behind what they wait for, in its clock table. */
import type { ScheduleNumbers } from '../definitions/schedule.ts';
import type { UsedOperations } from '../definitions/scheduleEvaluator.ts';
import { unpack } from '../basics/packed.ts';
import type { RowPlan } from '../values/plan.ts';
import { B, I, W } from '../values/program.ts';
import type { Frame } from '../sequences/frame.ts';
import { refuse, sentence, takesNoSlot } from './slotRows.ts';
import type { SlotTable } from './slots.ts';

/** False where one is not, which is reported. What no slot runs is left to the check of the order. */
export function waitsInOrder(
  frame: Frame,
  { entries }: SlotTable,
  rows: readonly RowPlan[],
  { stages, microbatches, iterations = 1 }: ScheduleNumbers,
  { waits }: UsedOperations,
): boolean {
  const total = microbatches * iterations;
  const slotOf = new Map<number, number>();
  const keyOf = (kind: number, stage: number, microbatch: number): number =>
    (kind * stages + stage) * total + microbatch;
  for (const row of rows) {
    // A row of one device has no slots: it runs in the order in which it is written.
    if (row.slots === undefined) continue;
    const [kinds, of, numbers, slots] = [row.kinds, row.stages, row.microbatches, row.slots].map(unpack);
    for (const [at, kind] of kinds.entries()) slotOf.set(keyOf(kind, of[at], numbers[at]), slots[at]);
  }
  const written = new Map(entries.map((entry) => [entry.kind, entry]));
  // A backward is one operation or two.
  const kindOf = (kind: number): number =>
    written.has(kind) ? kind : kind === B ? I : kind === W || kind === I ? B : kind;
  for (let at = 0; at < waits.length; at += 8) {
    const [kind, stage, microbatch, , ofKind, ofStage, ofMicrobatch, waitsItself] = waits.slice(at, at + 8);
    const declared = [kind, stage, microbatch] as const;
    const other = [kindOf(ofKind), ofStage, ofMicrobatch] as const;
    const [user, need] = waitsItself === 1 ? [declared, other] : [other, declared];
    const [mine, needed] = [slotOf.get(keyOf(...user)), slotOf.get(keyOf(...need))];
    const [by, of] = [written.get(user[0]), written.get(need[0])];
    if (mine === undefined || needed === undefined || by === undefined || of === undefined) continue;
    if (needed < mine || (needed === mine && takesNoSlot(need[0]) && !takesNoSlot(user[0]))) continue;
    const problem = `${sentence(by, user[1], user[2], mine)} but needs ${sentence(of, need[1], need[2], needed).replace(' is ', ', which is ')}`;
    return refuse(frame, by.entry, of.entry, problem);
  }
  return true;
}
