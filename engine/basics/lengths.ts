/** What single microbatches take, where they have different lengths. */
import type { LengthsPlan, LengthStage, PipelinePlan } from '../values/plan.ts';

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

/** Number in the file of a microbatch of the program: a schedule may cut each into parts, and iterations repeat all of them. */
export const writtenMicrobatch = ({ kindOf, tokens }: LengthsPlan, microbatch: number): number =>
  Math.trunc((microbatch % kindOf.length) / (kindOf.length / tokens.length));

/** Tokens of a sample. */
export const tokensOfMicrobatch = (lengths: LengthsPlan, microbatch: number): number =>
  lengths.tokens[writtenMicrobatch(lengths, microbatch)];
