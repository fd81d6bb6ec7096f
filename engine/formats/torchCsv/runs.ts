import type { ComputeAction } from './table.ts';

/** A slot: one operation, or two fused. */
export type Slot = readonly [ComputeAction] | readonly [ComputeAction, ComputeAction];

/** Longest pattern that is looked for; a round of ZB-V has six operations. */
const longest = 8;

/**
 * Slots as the language writes them, shortest first: `F[0..3]`, `zip(F[4..7], B[0..3])`, `fused(F[7], B[3])`. `stages`: whether
 * operations must name their stage. Linear in the slots.
 */
export function writtenRuns(slots: readonly Slot[], stages: boolean): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < slots.length;) {
    let best = { period: 1, times: 1, gain: 0 };
    for (let period = 1; period <= longest && at + period <= slots.length; period += 1) {
      const times = repeats(slots, at, period);
      // Each pattern costs its written parts; a pattern of one costs nothing more than its operation.
      const gain = times * period - period - (period > 1 ? 1 : 0);
      if (times > 1 && gain > best.gain) best = { period, times, gain };
    }
    const written = slots.slice(at, at + best.period).map((slot) => writtenSlot(slot, best.times, stages));
    parts.push(best.period === 1 ? written[0] : `zip(${written.join(', ')})`);
    at += best.period * best.times;
  }
  return parts;
}

/** How often the slots from `at` on repeat with a period, each time with the next microbatch. */
function repeats(slots: readonly Slot[], at: number, period: number): number {
  let length = period;
  while (at + length < slots.length && follows(slots[at + length - period], slots[at + length])) length += 1;
  return Math.trunc(length / period);
}

const follows = (slot: Slot, next: Slot): boolean =>
  slot.length === next.length &&
  slot.every((action, index) => {
    const other = next[index];
    return (
      other !== undefined &&
      action.stage === other.stage &&
      action.type === other.type &&
      action.microbatch + 1 === other.microbatch
    );
  });

function writtenSlot(slot: Slot, times: number, stages: boolean): string {
  const operations = slot.map(({ type, stage, microbatch }) => {
    const range = times === 1 ? String(microbatch) : `${microbatch}..${microbatch + times - 1}`;
    return `${type}[${range}${stages ? `, stage = ${stage}` : ''}]`;
  });
  return operations.length === 1 ? operations[0] : `fused(${operations.join(', ')})`;
}
