import type { RankStep } from './steps.ts';
import type { TraceFault } from './read.ts';

/** All that the files of one rank hold. */
export interface RankRun {
  readonly rank: number;
  /** The first of its files. */
  readonly file: string;
  /** Ranks of its pipeline, where the traces say so. */
  readonly pipelineRanks?: readonly number[];
  readonly steps: readonly RankStep[];
  /** Most bytes allocated above what was there at the beginning, where its files say so. */
  readonly peakBytes?: number;
}

/** What a fault of a whole rank points to: the beginning of its file. */
export const atTop = ({ file }: Pick<RankRun, 'file'>, message: string): TraceFault => ({
  file,
  line: 0,
  character: 0,
  message,
});
