import type { PipelineReport } from '../../../../engine/values/report.ts';
import { analyseExample } from '../../../support/analyse.ts';

/** The report of a pipeline of `examples/systems/NAME.pipe`; throws where it does not run. */
export function systemReport(
  name: string,
  pipeline: string,
  overrides?: Readonly<Record<string, number>>,
): PipelineReport {
  const found = analyseExample(`systems/${name}.pipe`, overrides).pipelines.find(
    (evaluation) => evaluation.plan.name === pipeline,
  );
  if (found?.run === undefined) throw new Error(`${name}.pipe has no pipeline ${pipeline} that runs`);
  return found.run.report;
}

export const inFlight = ({ devices }: PipelineReport): readonly number[] => devices.map((device) => device.in_flight);
export const peaks = ({ devices }: PipelineReport): readonly number[] => devices.map((device) => device.peak);
