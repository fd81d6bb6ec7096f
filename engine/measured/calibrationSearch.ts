/** A calibration that a thread finds: the run comes as its summary. */
import type { Search } from '../basics/searches.ts';
import { readSummary } from '../formats/recording/readSummary.ts';
import { planKey } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import { type CalibratedPlan, calibratedPlan } from './calibratedPlan.ts';

export interface CalibrationProblem {
  /** Of the file. */
  readonly text: string;
  readonly plan: PipelinePlan;
  readonly program: Program;
  /** Its summary, with the steps that are used. */
  readonly run: string;
  /** Which of its pipelines; undefined for the only one. */
  readonly replica?: number;
  readonly slowLayers: boolean;
}

export const calibrationSearch: Search<CalibrationProblem, CalibratedPlan | { readonly problem: string }> = {
  name: 'calibration',
  large: true,
  // It always takes longer than a request may.
  size: () => Infinity,
  key: ({ text, plan, run, replica, slowLayers }) =>
    `${planKey(plan)} ${replica ?? ''} ${slowLayers} ${text.length} ${text} ${run}`,
  *steps({ text, plan, program, run, replica, slowLayers }) {
    const read = readSummary(run);
    yield;
    if ('faults' in read) return { problem: read.faults[0].message };
    const recordings = replica === undefined ? read.recordings : read.recordings.slice(replica, replica + 1);
    if (recordings.length === 0) return { problem: `The run has no pipeline ${replica}.` };
    return calibratedPlan(text, plan, program, recordings, { skip: 0, slowLayers });
  },
};
