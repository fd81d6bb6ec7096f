import { B, I, letters, type Program } from '../values/program.ts';
import type { RunShape } from '../values/recording.ts';

/** Why a run does not match a program, in words that follow "the run does not match the pipeline:"; undefined if it may be one. */
export const otherRun = (program: Program, run: RunShape): string | undefined =>
  otherShape(program, run) ?? otherKind(program, run.kinds);

function otherShape(program: Program, { ranks, stages, microbatches, placement }: RunShape): string | undefined {
  const differ = (what: string, planned: number, ran: number): string =>
    `the plan has ${planned} ${what}, and ${ran} ran`;
  if (program.copies !== undefined || program.extended === true)
    return 'the plan has copies of stages or operations other than F, B, I and W, which no trace names';
  if (program.devices !== ranks.length) return differ('devices', program.devices, ranks.length);
  if (program.stages !== stages) return differ('stages', program.stages, stages);
  if (program.microbatches !== microbatches) return differ('microbatches', program.microbatches, microbatches);
  const stage = program.placement.findIndex((device, at) => device !== placement[at]);
  return stage < 0
    ? undefined
    : `stage ${stage} is on device ${program.placement[stage]} in the plan, and ran on device ${placement[stage]}`;
}

/** A whole backward has another time than its half. */
function otherKind(program: Program, kinds: readonly number[]): string | undefined {
  const planned = new Set<number>();
  for (const word of program.order) planned.add(Math.trunc((word >> program.shift) / program.stages));
  const other = kinds.find((kind) => !planned.has(kind));
  if (other === undefined) return undefined;
  const split = other === B ? 'the plan splits backwards into I and W, and the run did not' : '';
  const whole = other === I ? 'the run splits backwards into I and W, and the plan does not' : '';
  return split || whole || `the run has ${letters[other]}, and the plan has none`;
}
