import type { Groups } from '../../costs/framework.ts';
/** What the framework and other programs hold of a device's memory in a pipeline. */
import type { DeviceDefinition } from '../../definitions/device.ts';
import type { DevicePlan } from '../../values/plan.ts';
import type { EngineOptions } from '../../basics/host.ts';
import type { Ranks } from '../place/ranks.ts';
import { frameworkBytes } from '../../costs/framework.ts';

/**
 * What something else holds of a device of this kind in a pipeline with these groups; never more than the device has. The parts
 * only where they are known.
 */
export function reservedOf(
  { memory, reserved }: DeviceDefinition,
  groups: Groups,
  settings: EngineOptions['memory'],
): Pick<DevicePlan, 'reserved' | 'reservedParts'> {
  if (reserved !== 'framework') return { reserved };
  const found = frameworkBytes(groups, settings);
  const context = Math.min(found.context, memory);
  const communicators = Math.min(found.communicators, memory - context);
  return { reserved: context + communicators, reservedParts: { context, communicators } };
}

/** Of a device that talks to no other. */
export const alone: Groups = { pipeline: false, tensor: 1, context: 1, data: 1, expert: 1 };

/** Groups of the devices of one pipeline rank; copies and replicas of a stage reduce their gradients together. */
export function communicatorsOf(ranks: Ranks, rank: number): Groups {
  const { tensor, context, data, expert } = ranks.ranks[rank].mesh;
  const pipeline = ranks.ranks.length > 1;
  return { pipeline, tensor, context, expert, data: sharesGradients(ranks, rank) ? Math.max(2, data) : data };
}

/** Whether gradients of a stage on this rank are reduced with other ranks or among replicas of the stage. */
function sharesGradients({ ranks, placement, copies }: Ranks, rank: number): boolean {
  if ((ranks[rank].split ?? 1) > 1) return true;
  if (copies === undefined) return false;
  const here = new Set(
    copies.flatMap(({ stage, away }, index) => (placement[index] === rank && away !== true ? [stage] : [])),
  );
  return copies.some(({ stage, away }, index) => placement[index] !== rank && away !== true && here.has(stage));
}
