/** How the devices of a stage share its layers and its samples: the ranks of each kind of parallelism. */
import type { LayerSetting } from './types.ts';
import type { DevicePlan, MeshPlan } from '../values/plan.ts';
import { count } from '../basics/quantities.ts';

export interface Mesh extends Pick<
  LayerSetting,
  'tensor' | 'sequenceParallel' | 'context' | 'contextExchange' | 'expert' | 'expertTensor'
> {
  readonly data: number;
  /** Parts of the data ranks that train by themselves. Ranks of different ones hold different weights. Absent: 1. */
  readonly islands?: number;
}

/** One device by itself. */
export const lone: Mesh = { tensor: 1, sequenceParallel: false, context: 1, data: 1, expert: 1, expertTensor: 1 };

/** Devices of a stage that has no replicas: expert ranks are among these. */
export const sizeOf = ({ tensor, context, data }: Pick<Mesh, 'tensor' | 'context' | 'data'>): number =>
  tensor * context * data;

/** `tensor 8 × data 2`, for messages; what is 1 is left out. */
export const meshName = ({ tensor, context, data }: Pick<Mesh, 'tensor' | 'context' | 'data'>): string => {
  const parts = Object.entries({ tensor, context, data }).filter(([, ranks]) => ranks > 1);
  return parts.map(([name, ranks]) => `${name} ${ranks}`).join(' × ') || 'one device';
};

/** Whether two stages are split alike, rank by rank. */
export const sameMesh = (one: Mesh, other: Mesh): boolean =>
  one === other ||
  (sameRanks(one, other) &&
    one.sequenceParallel === other.sequenceParallel &&
    one.contextExchange === other.contextExchange &&
    one.islands === other.islands &&
    one.expertTensor === other.expertTensor);

/** Whether two meshes have as many ranks of each kind that a plan names. */
export const sameRanks = (one: MeshPlan, other: MeshPlan): boolean =>
  one.tensor === other.tensor &&
  one.context === other.context &&
  one.data === other.data &&
  one.expert === other.expert;

/** `tensor 8 × context 2 × data 4: 64 devices, expert ranks 8`; empty where each rank is one device. */
export function meshText(
  pipeline: MeshPlan,
  { members = 1, mesh = pipeline }: Pick<DevicePlan, 'members' | 'mesh'>,
): string {
  if (members === 1) return '';
  const replicas = members / sizeOf(mesh);
  const copies = replicas > 1 ? count(replicas, 'replica', 'replicas') : undefined;
  const name = sizeOf(mesh) === 1 ? copies : [meshName(mesh), ...(copies === undefined ? [] : [copies])].join(' × ');
  return `${name}: ${count(members, 'device', 'devices')}${mesh.expert > 1 ? `, expert ranks ${mesh.expert}` : ''}`;
}
