import { bytes, count, share, time } from '../engine/quantities.ts';
import type { PipelinePlan } from '../engine/plan.ts';
import { resultOfKind } from '../engine/timeline.ts';
import type { Selection } from './scene.ts';
import type { Picture } from './worker/result.ts';

/** A picture with the plan that it was made of. */
export interface Exhibit {
  readonly plan: PipelinePlan;
  readonly picture: Picture;
  /** Chunk of each stage: how many stages of its device come before it. */
  readonly chunk: Uint8Array;
}

export function exhibit(plan: PipelinePlan, picture: Picture): Exhibit {
  const seen = new Map<number, number>();
  const chunk = Uint8Array.from(plan.placement, (device) => {
    const index = seen.get(device) ?? 0;
    seen.set(device, index + 1);
    return index;
  });
  return { plan, picture, chunk };
}

/** `8 devices, 231 ms, bubble 32.5 %, peak 73.7 GiB on gpu[0]`. */
export function sentence({ plan, picture }: Exhibit): string {
  const { report } = picture;
  const highest = report.devices.reduce(
    (most, device, index) => (device.peak > report.devices[most].peak ? index : most),
    0,
  );
  const stale = Math.max(0, ...report.stages.map((stage) => stage.staleness));
  const late = report.asynchronous === undefined ? '' : `, staleness ${stale}`;
  const period = report.asynchronous === undefined ? '' : 'period ';
  const peak =
    report.devices.length === 0 ? '' : `, peak ${bytes(report.devices[highest].peak)} on ${plan.devices[highest].name}`;
  const flops = report.model_flops === undefined ? '' : `, MFU ${share(report.model_flops.utilisation)}`;
  return `${count(report.devices.length, 'device', 'devices')}, ${period}${time(report.iteration, 4)}, bubble ${share(report.bubble.makespan)}${peak}${late}${flops}`;
}

/** The same operation in another timeline of the same shape; nothing where there is none. */
export function carrySelection(selection: Selection | undefined, from: Picture, to: Picture): Selection | undefined {
  if (selection?.kind === 'device')
    return from.columns.rows === to.columns.rows && selection.device < to.columns.rows ? selection : undefined;
  if (selection?.kind !== 'block') return undefined;
  const code = from.columns.word[selection.block];
  if (code < 0 || from.columns.stages !== to.columns.stages) return undefined;
  const microbatch = code & ((1 << from.columns.shift) - 1);
  if (microbatch >= to.columns.microbatches) return undefined;
  const row = code >> from.columns.shift;
  const kind = Math.trunc(row / from.columns.stages);
  const block =
    to.maker[
      (resultOfKind[kind] * to.columns.stages + (row % to.columns.stages)) * to.columns.microbatches + microbatch
    ];
  return block < 0 ? undefined : { kind: 'block', block };
}
