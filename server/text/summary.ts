import { behind } from '../../engine/analyze/accuracyWords.ts';
import { fullest } from '../../engine/basics/fullest.ts';
import { bytes, iterationTime, share } from '../../engine/basics/quantities.ts';
import type { PipelineReport } from '../../engine/values/report.ts';

/**
 * `iteration 132 ms · bubble 27.3 % · peak 5 GiB of 16 GiB · MFU 41.3 %`; the peak of the fullest device, and model FLOPs where layers
 * are derived. Of an asynchronous schedule `period 3 ms · bubble 0 % · staleness 3 · peak …`.
 */
export function summary(report: PipelineReport): string {
  const device = fullest(report);
  const asynchronous = report.asynchronous !== undefined;
  const parts = [
    `${asynchronous ? 'period' : 'iteration'} ${iterationTime(report.iteration)}${behind(report.accuracy?.time)}`,
    ...(report.jitter === undefined ? [] : [`p95 ${iterationTime(report.jitter.p95)}`]),
    `bubble ${share(report.bubble.makespan)}`,
  ];
  if (asynchronous) parts.push(`staleness ${Math.max(0, ...report.stages.map((stage) => stage.staleness))}`);
  // Layers of which only times are given hold nothing that is known.
  if (device !== undefined && device.peak > 0)
    parts.push(`peak ${bytes(device.peak)} of ${bytes(device.capacity)}${behind(report.accuracy?.memory)}`);
  if (report.model_flops !== undefined) parts.push(`MFU ${share(report.model_flops.utilisation)}`);
  return parts.join(' · ');
}
