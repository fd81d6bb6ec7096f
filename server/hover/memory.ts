/** What fills a device at the moment of its peak. */
import { fullest } from '../../engine/basics/fullest.ts';
import { itemName, itemTimes, peakText } from '../../engine/analyze/itemWords.ts';
import { reservedText, type Unit, unitOf } from '../../engine/analyze/memoryWords.ts';
import type { DeviceReport, PipelineReport } from '../../engine/values/report.ts';
import type { PipelinePlan, StagePlan } from '../../engine/values/plan.ts';
import { stageName } from '../../engine/costs/stages.ts';
import { bytes, count, list, share } from '../../engine/basics/quantities.ts';
import { columns, sections } from './markdown.ts';

/** Devices that are listed before the rest is counted. */
const mostDevices = 8;

/**
 * Every item at the peak with its bytes and share of the capacity, what is left, and what other programs hold. `shown`: name in
 * the file of a stage whose activations are listed by part elsewhere.
 */
export function memoryText(plan: PipelinePlan, device: DeviceReport, shown?: string): string {
  const { capacity, memory_items: items, peak, name } = device;
  const unit = unitOf(plan);
  const part = (size: number): string => (capacity > 0 ? share(size / capacity) : '');
  const left = capacity - peak;
  const reserved = reservedText(device);
  return sections(
    `${name} peaks at ${peakText(device, unit)}:`,
    columns(
      [
        ...items.map((item) => [itemName(item, device), bytes(item.bytes), part(item.bytes), itemTimes(item)]),
        [left < 0 ? '**over**' : '**left**', bytes(Math.abs(left)), part(Math.abs(left)), ''],
      ],
      ['left', 'right', 'right', 'left'],
    ),
    ...items.flatMap(({ kind, stage }) =>
      kind === 'activations'
        ? partsText(
            plan.stages.find((stagePlan) => stagePlan.name === stage),
            unit,
            shown,
          )
        : [],
    ),
    reserved === '' ? undefined : `Of its ${bytes(capacity + device.memory.reserved)}, ${reserved}.`,
  );
}

/** Of what one microbatch leaves, which part of the layers leaves how much; nothing where that is not known. */
function partsText(stage: StagePlan | undefined, unit: Unit, shown: string | undefined): readonly string[] {
  const parts = Object.entries(stage?.activationParts ?? {}).filter(([, size]) => size > 0);
  if (stage === undefined || parts.length === 0 || stageName(stage) === shown) return [];
  return [`One ${unit} of ${stage.name} keeps ${list(parts.map(([name, size]) => `${name} ${bytes(size)}`))}.`];
}

/** All devices of a pipeline in one line each, and the fullest of them in full. */
export function devicesText(plan: PipelinePlan, { devices }: PipelineReport): string {
  const most = fullest({ devices });
  if (most === undefined) return '';
  const shown = devices.slice(0, mostDevices);
  const rest = devices.length - shown.length;
  return sections(
    columns(
      shown.map((deviceReport) => [
        `${deviceReport.name}: ${list(deviceReport.stages)}`,
        bytes(deviceReport.peak),
        deviceReport.capacity > 0 ? share(deviceReport.peak / deviceReport.capacity) : '',
        deviceReport.peak > deviceReport.capacity
          ? `${bytes(deviceReport.peak - deviceReport.capacity)} over`
          : `${bytes(deviceReport.capacity - deviceReport.peak)} left`,
      ]),
      ['left', 'right', 'right', 'right'],
    ),
    rest === 0 ? undefined : `And ${count(rest, 'device', 'devices')} more.`,
    memoryText(plan, most),
  );
}
