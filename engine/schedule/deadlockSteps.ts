import { operationName, type Program } from '../values/program.ts';

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
  // On one device alone nothing is left out: it is all that there is to say.
  const alone = all.every(({ device }) => device === all[0].device);
  const plain = alone ? all : all.map((step, index) => inOrder(all, step, index));
  const kept = plain.filter((step, index) => {
    const before = plain[(index + plain.length - 1) % plain.length];
    return !(step.because === 'order' && before.because === 'order' && before.device === step.device);
  });
  const row = (step: DeadlockStep): number => step.position - program.offsets[step.device];
  const first = kept.reduce((least, step, index) => (row(step) < row(kept[least]) ? index : least), 0);
  return [...kept.slice(first), ...kept.slice(0, first)];
}

/** A step that needs what comes before it in its row comes after that anyway: if its neighbour is such a step, they are one run. */
function inOrder(all: readonly DeadlockStep[], step: DeadlockStep, index: number): DeadlockStep {
  const before = all[(index + all.length - 1) % all.length];
  const next = all[(index + 1) % all.length];
  if (step.because !== 'needs' || next.device !== step.device || next.position >= step.position) return step;
  const joins = [before, next].some(({ because, device }) => because === 'order' && device === step.device);
  return joins ? { ...step, because: 'order' } : step;
}

/** The operation's name, or PyTorch's name of the exchange next to it: `0SEND_F1`, `1RECV_F1`. */
export function stepName(program: Program, { word, exchange }: DeadlockStep): string {
  return exchange === undefined
    ? operationName(program, word)
    : operationName(program, word).replace(/[FBIW]/, (letter) => `${exchange}_${letter === 'F' ? 'F' : 'B'}`);
}

/** Whether a step comes "after" the next one only because the two share a slot. */
export const startsWithNext = (program: Program, step: DeadlockStep, next: DeadlockStep): boolean =>
  step.exchange === undefined &&
  next.exchange === undefined &&
  (next.position > step.position || sameSlot(program, next.position, step.position));

function sameSlot(program: Program, from: number, to: number): boolean {
  if (program.fused === undefined) return false;
  return program.fused.subarray(from, to).every((bit) => bit === 1);
}
