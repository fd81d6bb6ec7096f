import type { JobReport } from '../../engine/values/jobReport.ts';
import { amount, bytes, count, share, time, show } from '../../engine/basics/quantities.ts';
import type { Colours } from '../colours.ts';
import { table } from './table.ts';

/** The figures of one job, and a row for each worker. */
export function jobText(report: JobReport, colours: Colours): string {
  const parts = [
    report.sync === 'wsp' ? `wsp, distance ${report.distance}` : report.sync,
    count(report.workers.length, 'worker', 'workers'),
    `waves of ${count(report.wave, 'minibatch', 'minibatches')}`,
    count(report.waves, 'wave', 'waves'),
  ];
  const figures = [
    ['Throughput', colours.bold(`${Number(report.throughput.toPrecision(4))} samples/s`), 'of all workers'],
    stalenessRow(report, colours),
    [
      'Servers',
      show(report.server_traffic, 'bandwidth'),
      `in and out, over ${count(report.servers, 'server', 'servers')}`,
    ],
  ];
  if (!report.steady) figures.push(['', '', 'the fastest worker still gains on the slowest, so it will wait more']);
  const head = ['', 'wave', 'alone', 'minibatches', 'waits', 'idle', 'push', 'pull', 'lead'].map((cell) =>
    colours.dim(cell),
  );
  const rows = report.workers.map((worker) => [
    worker.name,
    time(worker.period),
    time(worker.period_alone),
    `${amount(worker.minibatches_per_second)}/s`,
    `${time(worker.waiting)} (${share(worker.waiting_share)})`,
    share(worker.idle),
    bytes(worker.pushed),
    bytes(worker.pulled),
    String(worker.lead),
  ]);
  return `${colours.bold(report.name)}  ${parts.join(' · ')}\n\n${table(figures)}${colours.bold('Workers')}\n${table([head, ...rows])}`;
}

function stalenessRow(report: JobReport, colours: Colours): readonly string[] {
  if (report.sync === 'wsp') {
    const { local, bound, observed } = report.staleness;
    const words = `updates of another worker missed at most, of ${bound} allowed; ${local} of its worker`;
    return ['Staleness', colours.bold(String(observed)), words];
  }
  const { local, mean, largest } = report.staleness;
  if (mean === null || largest === null)
    return ['Staleness', colours.bold('unknown'), 'no update reaches the servers in the last half; raise `waves`'];
  const words = `updates of all other workers missed on average, ${largest} at most; ${local} of its worker`;
  return ['Staleness', colours.bold(amount(mean)), words];
}
