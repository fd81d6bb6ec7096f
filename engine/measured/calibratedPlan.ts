/** A plan's text with the times of a run, what is to be said of it, or why there is none: for the command line and the editor. */
import { iterationTime, share, time } from '../basics/quantities.ts';
import { laidOut } from '../formats/toPipe.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import type { Recording } from '../values/recording.ts';
import { plannedLength } from '../simulate/plannedLength.ts';
import { accuracyOf, calibrate, type Calibration } from './calibrate.ts';
import { orderDifference } from './pinned.ts';
import { calibratedText } from './planText.ts';

/** A calibrated plan with more drift is not to be believed. */
export const mostDrift = 0.05;

/** Of a run that was only logged. */
export const withoutOperations =
  'the log has whole iterations, and no times of operations: record a trace of some steps too';

export interface CalibratedPlan {
  readonly text: string;
  /** Without a function: it may come from a thread. */
  readonly found: Omit<Calibration, 'flights'>;
  readonly remarks: readonly string[];
}

export function calibratedPlan(
  text: string,
  plan: PipelinePlan,
  program: Program,
  recordings: readonly Recording[],
  options: { readonly skip: number; readonly slowLayers: boolean },
): CalibratedPlan | { readonly problem: string } {
  const refuse = (problem: string) => ({ problem: refusal(plan, problem) });
  if (recordings.length === 0) return refuse(withoutOperations);
  if (recordings.length > 1)
    return refuse(
      `${recordings.length} pipelines ran, and the mean over them is wrong for each: name the ranks of one with --ranks ${recordings[0].ranks.join(',')}`,
    );
  const found = calibrate(plan, program, recordings[0], options);
  if ('problem' in found) return refuse(found.problem);
  const made = calibratedText(text, plan, found);
  if ('problem' in made) return refuse(made.problem);
  const { flights: _flights, ...kept } = found;
  return { text: laidOut(made.text), found: kept, remarks: made.remarks };
}

const refusal = ({ name }: PipelinePlan, problem: string): string =>
  `pipeline "${name}" cannot be calibrated: ${problem}.`;

/** A pipeline and the order of its operations. */
interface Planned {
  readonly plan: PipelinePlan;
  readonly program: Program;
}

/**
 * How well the new text meets the run. `again`: the pipeline under the new text; undefined if it does not run. Its times are tried on
 * the order that ran, whatever order the new text makes for them.
 */
export function calibrationSaid(
  { found, remarks }: Pick<CalibratedPlan, 'found' | 'remarks'>,
  plan: PipelinePlan,
  again: Planned | undefined,
): { readonly lines: readonly string[]; readonly drift: number } | { readonly problem: string } {
  const length = again === undefined ? Number.NaN : plannedLength(again.plan, found.ran);
  if (again === undefined || Number.isNaN(length))
    return { problem: refusal(plan, 'the file with the measured times does not run') };
  const drift = driftFrom(found.measured);
  const lines = [
    `Iteration, without the optimizer’s step: planned ${iterationTime(found.planned)} (${drift(found.planned)}), measured ${iterationTime(found.measured)}, calibrated ${iterationTime(length)} (${drift(length)}).`,
    ...orderLines(again, found, length),
    accuracyOf(found),
    ...remarks,
  ];
  return { lines, drift: found.measured / length - 1 };
}

/** A drift is a share of what a plan says, here as in a report. */
const driftFrom =
  (measured: number) =>
  (length: number): string =>
    `drift ${share(measured / length - 1, true)}`;

/** The order that the calibrated file makes, if it is another one than ran. */
function orderLines(
  { plan, program }: Planned,
  { ran, measured }: Pick<Calibration, 'ran' | 'measured'>,
  length: number,
) {
  const { cells, of, dependsOnTimes } = orderDifference(plan, program, ran);
  if (cells === 0) return [];
  const own = plannedLength(plan, program);
  const apart = time(Math.abs(length - own));
  const change = own === length ? 'as long' : `${apart} ${own < length ? 'less' : 'more'}`;
  const figures = `${iterationTime(own)}, ${change} (${driftFrom(measured)(own)})`;
  return [
    dependsOnTimes
      ? `Calibrated is the order that ran. The schedule makes its order for the times: for these it places ${cells} of ${of} operations otherwise, and takes ${figures}.`
      : `Calibrated is the order that ran, which has ${cells} of ${of} operations at another place than the schedule. The schedule takes ${figures}.`,
  ];
}
