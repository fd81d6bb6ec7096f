/** A job in words, for code lenses and the preview. */
import type { JobReport, JobWorkerReport } from '../values/jobReport.ts';
import { amount, share, time } from '../basics/quantities.ts';

/** `667 samples/s · staleness 4 of at most 6 · slow waits 12 %`: of the worker that waits most. Under `free`, `staleness 1.5, at most 4`. */
export function jobSummary(report: JobReport): string {
  const { throughput, workers } = report;
  const waiting = workers.reduce<JobWorkerReport | undefined>(
    (most, worker) => (worker.waiting_share > (most?.waiting_share ?? 0) ? worker : most),
    undefined,
  );
  return [
    `${amount(throughput)} samples/s`,
    stalenessWords(report),
    waiting === undefined ? 'no worker waits' : `${waiting.name} waits ${share(waiting.waiting_share)}`,
  ].join(' · ');
}

function stalenessWords(report: JobReport): string {
  if (report.sync === 'wsp') return `staleness ${report.staleness.observed} of at most ${report.staleness.bound}`;
  const { mean, largest } = report.staleness;
  return mean === null || largest === null
    ? 'no update reaches the servers'
    : `staleness ${amount(mean)}, at most ${largest}`;
}

/** `fast: 140 ms a wave alone, 698 ms in the job`. */
export const workerSummary = ({ name, period, period_alone }: JobWorkerReport): string =>
  `${name}: ${time(period_alone)} per wave alone, ${time(period)} in the job`;
