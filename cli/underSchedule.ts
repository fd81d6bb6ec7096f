/** `--schedule NAME` without a shape: the pipelines of a file under another schedule, each as `compare --schedules` runs it. */
import { type CompareRequest, planned, plannedUnder } from '../engine/advice/compare.ts';
import { declaredPipelines, pipelineProblem } from './pipelines.ts';
import type { OtherSchedule } from './unitShape.ts';

export interface UnderSchedule {
  readonly request: CompareRequest;
  /** A line for each pipeline whose model is not cut as the file says. */
  readonly recut: string;
}

/** The request with the text in which `only`, or every pipeline of the file, has the schedule; `name` is the file for people. */
export function underSchedule(
  written: CompareRequest,
  variant: OtherSchedule,
  name: string,
  only: string | undefined,
): UnderSchedule | { readonly problem: string } {
  let base = planned(written);
  const analysis = { uri: written.uri, resolution: base.resolution, findings: base.resolution.findings };
  const problem = pipelineProblem({ name, analysis }, only, undefined);
  if (problem !== undefined) return { problem };
  let request = written;
  let recut = '';
  for (const pipeline of only === undefined ? declaredPipelines(analysis) : [only]) {
    const made = plannedUnder(request, base, pipeline, variant);
    if ('problem' in made)
      return {
        problem: `Pipeline "${pipeline}" of ${name} does not run under ${variant.schedule}: ${made.problem.message}`,
      };
    base = made.from;
    if (made.instead !== undefined)
      recut += `${name}: the stages of "${pipeline}" are for ${variant.schedule}; the file has ${made.instead}.\n`;
    request = { ...request, text: base.syntax.text };
  }
  return { request, recut };
}
