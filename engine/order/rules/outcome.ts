/** The program of a rule that has run, and what it could not start. */
import { kindOfRow, type Program, shiftFor } from '../../values/program.ts';
import { isFull, limitOver, type RowConditions } from './choice.ts';
import { turnOfReady } from './ready.ts';
import type { RuleRun } from './run.ts';
import { type BlockedOperation, sends } from './work.ts';

export function programOfRun({ work, layout, evictions, order, at, begun, room }: RuleRun): Program {
  const { devices, microbatches, split, copies } = work;
  const { stages, placement, offsets, local } = layout;
  const made = evictions === undefined ? { order, offsets } : withoutGaps(order, offsets, at);
  // Only devices that have sent something have a partner.
  const partner = Int32Array.from(work.keeper ?? [], (keeper, device) =>
    local[device].some((row) => kindOfRow(stages, row) === sends && begun[row] > 0) ? keeper : -1,
  );
  const waiting = room.waits();
  return {
    devices,
    stages,
    microbatches,
    split,
    placement,
    ...made,
    shift: shiftFor(microbatches),
    ...(copies && { copies }),
    ...(partner.some((each) => each >= 0) ? { partner, extended: true } : {}),
    ...(waiting === undefined ? {} : { room: waiting }),
  };
}

/** Devices have room for all E and L that may run; those that ran are fewer. */
function withoutGaps(order: Int32Array, offsets: Int32Array, at: Int32Array): Pick<Program, 'order' | 'offsets'> {
  const used = new Int32Array(offsets.length);
  for (const [device, end] of at.entries()) used[device + 1] = used[device] + end - offsets[device];
  const packed = new Int32Array(used[at.length]);
  for (const [device, end] of at.entries()) packed.set(order.subarray(offsets[device], end), used[device]);
  return { order: packed, offsets: used };
}

/** Operations that are ready, or wait only for operations of the schedule, and why they may not start. */
export function blockedOperations(run: RuleRun, conditions: RowConditions): readonly BlockedOperation[] {
  const { work, layout, waits, ready, next } = run;
  const { stages, microbatches, rows, placement } = layout;
  const blocked: BlockedOperation[] = [];
  for (let row = 0; row < rows; row += 1) {
    const device = placement[row % stages];
    const turn = turnOfReady(run, row);
    if (turn < 0) {
      const slot = row * microbatches + layout.microbatchAt(row, next[row]);
      const open = ready[row] === 1 ? (waits?.openOf(slot) ?? []) : [];
      if (open.length === 0) continue;
      const words = open.map((each) => layout.wordOfSlot(Math.trunc(each / microbatches), each % microbatches));
      blocked.push({ device, word: layout.wordOf(row, next[row]), conditions: [], waits: words });
      continue;
    }
    const result = kindOfRow(stages, row);
    const stage = row - result * stages;
    const owner = layout.ownerOf(device, result);
    const bytes = limitOver(run, result, stage);
    blocked.push({
      device,
      word: layout.wordOf(row, turn),
      conditions: conditions[row].filter(({ holds }) => holds() !== 1),
      ...(bytes === undefined ? {} : { limit: { bytes, held: work.memory.bytes(owner), owner } }),
      ...(isFull(run, result, stage) ? { inFlight: work.limits[stage] } : {}),
    });
  }
  return blocked;
}
