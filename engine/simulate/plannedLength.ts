import { timingOf } from './timing.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import { lengthIn } from './lengthIn.ts';

/** Seconds of a plan's operations, without the exchange of gradients and the optimizer's step, which no trace names. */
export const plannedLength = (plan: PipelinePlan, program: Program): number =>
  lengthIn(program, timingOf(plan, program, { freeStep: true }));
