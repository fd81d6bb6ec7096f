import { LineIndex } from '../../grammar/index.ts';
import type { Analysis } from './check.ts';
import type { Report } from '../values/report.ts';

/** The report of a file: every pipeline that runs, and the findings of the file. `file` is the name to show. */
export function reportOf(analysis: Analysis, file: string): Report {
  const lines = new LineIndex(analysis.syntax.text);
  return {
    version: 1,
    file,
    pipelines: analysis.pipelines.flatMap((pipeline) => (pipeline.run === undefined ? [] : [pipeline.run.report])),
    jobs: analysis.jobs.flatMap((job) => (job.report === undefined ? [] : [job.report])),
    findings: analysis.findings.map(({ code, severity, message, place }) => ({
      code,
      severity,
      message,
      range: { start: lines.positionAt(place.start), end: lines.positionAt(place.end) },
    })),
  };
}
