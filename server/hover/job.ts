import type { View } from '../view.ts';
import { amount, count, share, time, show } from '../../engine/quantities.ts';
import { sections, table } from './markdown.ts';

/** What its workers reach together, and how long each waits. */
export function jobText(view: View, name: string): string {
  const report = view.analysis.jobs.find((job) => job.plan.name === name)?.report;
  if (report === undefined) return '';
  const { staleness } = report;
  return sections(
    `${Number(report.throughput.toPrecision(4))} samples/s · waves of ${count(report.wave, 'minibatch', 'minibatches')} · servers ${show(report.server_traffic, 'bandwidth')}`,
    `A minibatch misses at most ${staleness.observed} updates of another worker (the bound is ${staleness.bound}) and ${staleness.local} updates of its worker.`,
    table(
      report.workers.map((worker) => [
        worker.name,
        `${time(worker.period)} a wave, ${amount(worker.minibatches_per_second)} minibatches/s, waits ${share(worker.waiting_share)}`,
      ]),
    ),
    report.steady ? undefined : 'The fastest worker still gains on the slowest.',
  );
}
