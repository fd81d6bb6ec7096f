import type { View } from '../view.ts';
import type { JobReport } from '../../engine/values/jobReport.ts';
import { amount, count, share, time, show } from '../../engine/basics/quantities.ts';
import { sections, table } from './markdown.ts';

/** What its workers reach together, and how long each waits. */
export function jobText(view: View, name: string): string {
  const report = view.analysis.jobs.find((job) => job.plan.name === name)?.report;
  if (report === undefined) return '';
  return sections(
    `${Number(report.throughput.toPrecision(4))} samples/s · waves of ${count(report.wave, 'minibatch', 'minibatches')} · servers ${show(report.server_traffic, 'bandwidth')}`,
    stalenessSentence(report),
    table(
      report.workers.map((worker) => [
        worker.name,
        `${time(worker.period)} a wave, ${amount(worker.minibatches_per_second)} minibatches/s, waits ${share(worker.waiting_share)}`,
      ]),
    ),
    report.steady ? undefined : 'The fastest worker still gains on the slowest.',
  );
}

function stalenessSentence(report: JobReport): string {
  if (report.sync === 'wsp') {
    const { local, bound, observed } = report.staleness;
    return `A minibatch misses at most ${observed} updates of another worker (the bound is ${bound}) and ${local} updates of its worker.`;
  }
  const { local, mean, largest } = report.staleness;
  if (mean === null || largest === null)
    return 'No update reaches the servers in the last half of the run. Raise `waves` to see the staleness.';
  return `On average a minibatch misses ${amount(mean)} updates of all other workers, at most ${largest}, and ${local} updates of its worker.`;
}
