import type { ProgramCopies } from '../values/program.ts';

/**
 * How many stages of the program are deeper than each. The number of a stage in the cut decides: copies are listed by direction, so
 * that their order says nothing about depth. Parts of a sequence stay in their order.
 */
export function depthsOf(copies: ProgramCopies | undefined, stages: number): Int32Array {
  const cut = (stage: number): number => copies?.stage[stage] ?? stage;
  const depths = new Int32Array(stages);
  const sorted = Array.from(depths, (_, stage) => stage).sort((a, b) => cut(a) - cut(b) || a - b);
  for (const [place, stage] of sorted.entries()) depths[stage] = stages - 1 - place;
  return depths;
}
