/** How the devices of a pipeline rank share its work, in words. */
import { count } from './quantities.ts';
import { meshName, sizeOf } from './read/mesh.ts';
import type { DevicePlan, MeshPlan } from './plan.ts';

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
