import { bitsOf } from '../order/copyTurns.ts';
import type { PipelinePlan, StageCopy } from '../values/plan.ts';
import type { ProgramCopies } from '../values/program.ts';

/** Copies as a program has them: one element for each stage of the program. */
export const programCopies = (copies: readonly StageCopy[]): ProgramCopies => ({
  stage: Int32Array.from(copies, (copy) => copy.stage),
  every: Int32Array.from(copies, (copy) => copy.every),
  first: Int32Array.from(copies, (copy) => copy.first),
  segment: Int32Array.from(copies, (copy) => copy.segment ?? -1),
  ...(copies.some(({ turns }) => turns !== undefined)
    ? { turns: copies.map((copy) => (copy.turns === undefined ? undefined : bitsOf(copy))) }
    : {}),
  ...(copies.some(({ spare, forwardOnly }) => spare === true || forwardOnly === true)
    ? { forwards: Uint8Array.from(copies, ({ spare, forwardOnly }) => Number(spare === true || forwardOnly === true)) }
    : {}),
  ...(copies.some(({ spare }) => spare === true)
    ? { spare: Uint8Array.from(copies, ({ spare }) => Number(spare === true)) }
    : {}),
});

/** The copies of a plan; undefined if no stage has any. */
export function planCopies({ stages }: PipelinePlan): ProgramCopies | undefined {
  if (stages.every(({ copy }) => copy === undefined)) return undefined;
  return programCopies(stages.map(({ copy }, stage) => copy ?? { stage, every: 1, first: 0 }));
}
