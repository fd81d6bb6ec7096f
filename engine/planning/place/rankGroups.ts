/**
 * Which devices of one pipeline rank work together, in the order of Megatron-LM (`tp-cp-ep-dp`). Tensor ranks are innermost, then
 * context ranks, then data ranks. Replicas that split microbatches are further data ranks. Expert ranks are neighbours among the
 * context and data ranks, and among the tensor ranks too if these do not split experts.
 */
import type { Mesh } from '../../costs/mesh.ts';
import type { GroupName } from '../../costs/types.ts';

/** Devices in groups; each device of the rank is in one. */
export type Groups = readonly (readonly number[])[];

/** Groups that work on one microbatch together. */
export function groupsOf(devices: readonly number[], mesh: Mesh, name: GroupName): Groups {
  const { tensor, context, expert, expertTensor } = mesh;
  if (name === 'tensor') return strided(devices, tensor, 1);
  return name === 'context' ? strided(devices, context, tensor) : strided(devices, expert, expertTensor);
}

/** Groups that hold the same weights, and reduce their gradients. */
export const dataGroups = (devices: readonly number[], { tensor }: Mesh): Groups =>
  strided(devices, devices.length / tensor, tensor);

/** Groups that hold the same experts. */
export function expertDataGroups(devices: readonly number[], { expert, expertTensor }: Mesh): Groups {
  const stride = expert * expertTensor;
  return strided(devices, devices.length / stride, stride);
}

/** Groups of ranks that hold copies of the same stages, joined one by one, and how many devices of a group are in one rank. */
export function joinedGroups<R extends { readonly devices: readonly number[]; readonly mesh: Mesh }>(
  members: readonly R[],
  groupsIn: (devices: readonly number[], mesh: Mesh) => Groups,
): { readonly groups: Groups; readonly each: number; readonly rank: R } {
  const parts = members.map(({ devices, mesh }) => groupsIn(devices, mesh));
  const groups = parts[0].map((_, index) => parts.flatMap((part) => part[index]));
  return { groups, each: parts[0][0].length, rank: members[0] };
}

/** Neighbours of a group, `size` at a time: shard groups, each of which holds all. */
export const slices = (group: readonly number[], size: number): Groups =>
  Array.from({ length: group.length / size }, (_, part) => group.slice(part * size, (part + 1) * size));

/** Of each group, the devices with one place in their slices of `size`: those that hold the same part. */
export const strides = (group: readonly number[], size: number): Groups =>
  Array.from({ length: size }, (_, first) => group.filter((_device, index) => index % size === first));

/** Groups of `size` devices that are `stride` apart, block by block. */
function strided(devices: readonly number[], size: number, stride: number): Groups {
  const groups: number[][] = [];
  const block = size * stride;
  for (let first = 0; first < devices.length; first += block)
    for (let offset = 0; offset < stride; offset += 1)
      groups.push(Array.from({ length: size }, (_, index) => devices[first + offset + index * stride]));
  return groups;
}
