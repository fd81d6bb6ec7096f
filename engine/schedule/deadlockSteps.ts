import type { Program } from '../program.ts';

/** One step of a circle of operations that wait for each other. */
export interface DeadlockStep {
  readonly word: number;
  readonly device: number;
  /** Position in `order`. */
  readonly position: number;
  /** Why it waits for the next step: it comes after it in the device's order, needs its result, or exchanges with it. */
  readonly because: 'order' | 'needs' | 'exchange';
  /** Set where the step is not the operation but a blocking send right after it, or a blocking receive right before it. */
  readonly exchange?: 'SEND' | 'RECV';
}

/** The circle with runs on one device condensed to their first step, beginning with the step that comes first in its row. */
export function condensed(program: Program, all: readonly DeadlockStep[]): readonly DeadlockStep[] {
  const kept = all.filter((step, index) => {
    const before = all[(index + all.length - 1) % all.length];
    return !(step.because === 'order' && before.because === 'order' && before.device === step.device);
  });
  const row = (step: DeadlockStep): number => step.position - program.offsets[step.device];
  const first = kept.reduce((least, step, index) => (row(step) < row(kept[least]) ? index : least), 0);
  return [...kept.slice(first), ...kept.slice(0, first)];
}
