import { devicesInWords, iterationTime, share } from '../../engine/basics/quantities.ts';
import { memoryAmount } from '../../engine/analyze/unitWords.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { Picture } from '../picture/picture.ts';
import { smallShare } from './smallShare.ts';

/** A picture with the plan that it was made of. */
export interface ShownTimeline {
  readonly plan: PipelinePlan;
  readonly picture: Picture;
  /** Chunk of each stage: how many stages of its device come before it. */
  readonly chunk: Uint8Array;
}

export function shownTimeline(plan: PipelinePlan, picture: Picture): ShownTimeline {
  const seen = new Map<number, number>();
  const chunk = Uint8Array.from(plan.placement, (device) => {
    const index = seen.get(device) ?? 0;
    seen.set(device, index + 1);
    return index;
  });
  return { plan, picture, chunk };
}

/** `8 devices, 231 ms, bubble 32.5 %, peak 73.7 GiB on gpu[0]`. */
export function timelineSentence({ plan, picture }: ShownTimeline): string {
  const { report } = picture;
  const highest = report.devices.reduce(
    (most, device, index) => (device.peak > report.devices[most].peak ? index : most),
    0,
  );
  const stale = Math.max(0, ...report.stages.map((stage) => stage.staleness));
  const late = report.asynchronous === undefined ? '' : `, staleness ${stale}`;
  const period = report.asynchronous === undefined && report.exchange?.barrier !== false ? '' : 'period ';
  const idle =
    report.exchange !== undefined && report.devices.length === 1
      ? `waits for gradients ${smallShare(report.exchange.exposed.total / report.exchange.period)}`
      : `bubble ${smallShare(report.bubble.makespan)}`;
  const peak =
    report.devices.length === 0
      ? ''
      : `, peak ${memoryAmount(report.devices[highest].peak, plan.unitTimes)} on ${plan.devices[highest].name}`;
  const flops = report.model_flops === undefined ? '' : `, MFU ${share(report.model_flops.utilisation)}`;
  return `${devicesInWords(plan.devices)}, ${period}${iterationTime(report.iteration)}, ${idle}${peak}${late}${flops}`;
}
