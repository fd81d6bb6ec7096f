/** The figures of a pipeline that ran. */
import { behind, fitWords } from '../../engine/analyze/accuracyWords.ts';
import { exposedCommunication } from '../../engine/analyze/shares.ts';
import { fullest } from '../../engine/basics/fullest.ts';
import { bytes, iterationTime, share } from '../../engine/basics/quantities.ts';
import type { PipelineReport } from '../../engine/values/report.ts';
import type { Fields, SummaryItem } from './summary.ts';

/** `train: 1f1b, 9.61 s ± 8 %, bubble 11.1 %, MFU 41 %, peak 71 GiB of 79.6 GiB ± 4 % on gpu[0], fits in 19 of 20 such runs`. */
export function pipelineItem(report: PipelineReport): SummaryItem {
  const { name, schedule, iteration, bubble, accuracy, model_flops: flops } = report;
  const device = fullest(report);
  const memory = accuracy?.memory;
  const isUnit = report.unit_times === true;
  const parts = [
    schedule,
    `${iterationTime(iteration)}${behind(accuracy?.time)}`,
    `bubble ${share(bubble.makespan)}`,
    ...(flops === undefined ? [] : [`MFU ${share(flops.utilisation)}`]),
    ...(device === undefined || isUnit
      ? []
      : [`peak ${bytes(device.peak)} of ${bytes(device.capacity)}${behind(memory)} on ${device.name}`]),
    ...(device === undefined || isUnit
      ? []
      : device.peak > device.capacity
        ? ['does not fit']
        : memory === undefined
          ? []
          : [fitWords(memory)]),
  ];
  return { line: `${name}: ${parts.join(', ')}`, data: pipelineFields(report) };
}

export function pipelineFields(report: PipelineReport): Fields {
  const { name, schedule, microbatches, iteration, throughput, bubble, accuracy, model_flops: flops, tokens } = report;
  const device = fullest(report);
  return {
    name,
    schedule,
    microbatches,
    iteration_seconds: iteration,
    samples_per_second: throughput,
    ...(tokens === undefined ? {} : { tokens_per_second: tokens.per_second }),
    bubble_share: bubble.makespan,
    least_bubble_share: bubble.bound,
    ...(flops === undefined ? {} : { mfu_share: flops.utilisation }),
    exposed_communication_share: exposedCommunication(report),
    ...(device === undefined || report.unit_times === true
      ? {}
      : {
          peak_bytes: device.peak,
          capacity_bytes: device.capacity,
          fullest_device: device.name,
          fits: report.devices.every(({ peak, capacity }) => peak <= capacity),
        }),
    ...(accuracy?.time === undefined ? {} : { time_spread_share: accuracy.time.share }),
    ...(accuracy?.memory === undefined
      ? {}
      : { fits_in_runs: accuracy.memory.fit, published_runs: accuracy.memory.runs }),
  };
}
