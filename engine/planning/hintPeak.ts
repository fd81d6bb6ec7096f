/** What a building block holds, as an inlay hint behind its period: before anything is simulated. */
import { nothing, unpack } from '../basics/packed.ts';
import type { RowPlan } from '../values/plan.ts';
import { B, F, W } from '../values/program.ts';
import { count } from '../basics/quantities.ts';
import type { Notes } from './notes.ts';

/** Most microbatches that each device holds from their F to the end of the backward, summed over its stages. */
export const heldMost = (rows: readonly RowPlan[]): readonly number[] =>
  rows.map(({ kinds }) => {
    let held = 0;
    let most = 0;
    for (const kind of unpack(kinds)) {
      if (kind === F) most = Math.max(most, (held += 1));
      else if (kind === B || kind === W) held -= 1;
    }
    return most;
  });

/** The hint for the first pipeline that uses the block. */
export function hintPeak(notes: Notes, offset: number, rows: readonly RowPlan[], name: string): void {
  if (notes.derived.some((derived) => derived.offset === offset)) return;
  const held = heldMost(rows);
  const most = Math.max(0, ...held);
  const stages = new Set(unpack(rows[held.indexOf(most)]?.stages ?? nothing)).size;
  const unit = stages > 1 ? count(most, 'chunk', 'chunks') : count(most, 'microbatch', 'microbatches');
  notes.derived.push({
    offset,
    text: ` at most ${unit} on a device`,
    tooltip: `In "${name}", by device: ${held.join(', ')}. A stage is held for ⌈life / period⌉ microbatches at a time, where its life is the slots from F to the end of its backward.`,
  });
}
