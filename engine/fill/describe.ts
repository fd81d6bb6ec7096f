/** A fill job in words, for the terminal, hovers and the preview. */
import type { FillDeviceReport, FillReport } from '../values/fillReport.ts';
import { bytes, count, share, time } from '../basics/quantities.ts';

/** `training small: 412 tasks (51.5 passes) in 38 % of the idle time`. */
export const fillSummary = ({ job, work, tasks, passes, recovered }: FillReport): string =>
  `${work === 'training' ? 'training' : 'inference of'} ${job}: ${count(tasks, 'task', 'tasks')} (${Number(passes.toPrecision(3))} passes) in ${share(recovered)} of the idle time`;

/** What stops the job on a device; undefined where its next task only waits for the next iteration. */
export function fillStop({ name, next, longest }: FillDeviceReport): string | undefined {
  if (next === null) return `${name}: every layer of the fill job takes no time`;
  if (next.fits) return undefined;
  return `${name}: ${next.layer} (${time(next.seconds)}, ${bytes(next.bytes)}) fits into no idle interval; the longest is ${time(longest)}`;
}
