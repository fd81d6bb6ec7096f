/** What single microbatches take, where they have different lengths. */
import type { LengthsPlan, LengthStage, PipelinePlan } from './plan.ts';

/** The kind of a microbatch; iterations after the first repeat its microbatches. */
export const kindOfMicrobatch = ({ kindOf }: Pick<LengthsPlan, 'kindOf'>, microbatch: number): number =>
  kindOf[microbatch % kindOf.length];

/** Figures of a stage for one microbatch: seconds and bytes. */
export const stageFor = (
  { stages, lengths }: Pick<PipelinePlan, 'stages' | 'lengths'>,
  stage: number,
  microbatch: number,
): LengthStage =>
  lengths === undefined ? stages[stage] : lengths.kinds[kindOfMicrobatch(lengths, microbatch)].stages[stage];
