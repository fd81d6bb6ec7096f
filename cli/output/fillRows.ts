import type { PipelineReport } from '../../engine/values/report.ts';
import { fillStop, fillSummary } from '../../engine/fill/describe.ts';
import { bytes, count, share, time } from '../../engine/basics/quantities.ts';

/** What other work the devices do while they idle: all together, then each; none where the pipeline has no fill job. */
export function fillRows({ fill }: PipelineReport): string[][] {
  if (fill === undefined) return [];
  return [
    ['all devices', fillSummary(fill)],
    ...fill.devices.map((device) => [
      device.name,
      `${share(device.recovered)} of ${time(device.idle)}, ${count(device.tasks, 'task', 'tasks')} in ${device.used} of ${count(device.intervals, 'interval', 'intervals')}`,
      fillStop(device) === undefined || device.next === null
        ? ''
        : `stops at ${device.next.layer}: ${time(device.next.seconds)}, ${bytes(device.next.bytes)}`,
    ]),
  ];
}
