import type { IterationsDigest, LoggedRun, Recording, RunDigest } from '../values/recording.ts';
import { plainSteps } from './logged.ts';
import { endOf, startOf } from './measure.ts';

/** What a plan keeps of a recording. */
export const digestOf = ({ ranks, stages, microbatches, placement, steps }: Recording): RunDigest => ({
  ranks,
  stages,
  microbatches,
  placement: [...placement],
  kinds: [...new Set(steps.flatMap(({ rows }) => rows.flatMap(({ kind }) => [...new Set(kind)])))],
  steps: steps.map((step) => [startOf(step), endOf(step)]),
});

/** The same of a run that was only logged. */
export const iterationsOf = (run: LoggedRun): IterationsDigest => ({
  ranks: run.ranks,
  iterations: plainSteps(run).map(({ seconds }) => seconds),
});
