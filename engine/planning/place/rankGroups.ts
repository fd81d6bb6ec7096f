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
export const dataGroups = (devices: readonly number[], mesh: Mesh): Groups =>
  byIsland(overIslands.dense(devices, mesh), mesh);

/** Groups that hold the same experts. */
export const expertDataGroups = (devices: readonly number[], mesh: Mesh): Groups =>
  byIsland(overIslands.experts(devices, mesh), mesh);

/** Groups that hold the same weights, or the same experts, once islands have shared theirs. */
const overIslands = {
  dense: (devices: readonly number[], { tensor }: Mesh): Groups => strided(devices, devices.length / tensor, tensor),
  experts: (devices: readonly number[], { expert, expertTensor }: Mesh): Groups =>
    strided(devices, devices.length / (expert * expertTensor), expert * expertTensor),
};

const byIsland = (groups: Groups, { islands = 1 }: Mesh): Groups =>
  islands === 1 ? groups : slices(groups, groups[0].length / islands);

/** One device of each island: those with the same place, which hold the same weights or parts of them. */
export const acrossIslands = (kind: keyof typeof overIslands, devices: readonly number[], mesh: Mesh): Groups =>
  acrossSlices(overIslands[kind](devices, mesh), mesh.islands ?? 1);

const acrossSlices = (groups: Groups, count: number): Groups => strides(groups, groups[0].length / count);

/** Groups of ranks that hold copies of the same stages, joined one by one, and how many devices of a group are in one rank. */
export function joinedGroups<R extends { readonly devices: readonly number[]; readonly mesh: Mesh }>(
  members: readonly R[],
  groupsIn: (devices: readonly number[], mesh: Mesh) => Groups,
): { readonly groups: Groups; readonly each: number; readonly rank: R } {
  const parts = members.map(({ devices, mesh }) => groupsIn(devices, mesh));
  if (parts.length === 1) return { groups: parts[0], each: parts[0][0].length, rank: members[0] };
  const groups = parts[0].map((_, index) => parts.flatMap((part) => part[index]));
  return { groups, each: parts[0][0].length, rank: members[0] };
}

/** Neighbours of each group, `size` at a time: shard groups, each of which holds all. */
export const slices = (groups: Groups, size: number): Groups =>
  once(groups, `slices ${size}`, () =>
    groups.flatMap((group) =>
      Array.from({ length: group.length / size }, (_, part) => group.slice(part * size, (part + 1) * size)),
    ),
  );

/** Of each group, the devices with one place in their slices of `size`: those that hold the same part. */
export const strides = (groups: Groups, size: number): Groups =>
  once(groups, `strides ${size}`, () =>
    groups.flatMap((group) =>
      Array.from({ length: size }, (_, first) => group.filter((_device, index) => index % size === first)),
    ),
  );

/** Devices of equal position in two lists. */
export function pairs(from: readonly number[], to: readonly number[]): Groups {
  const ofFrom = paired.get(from) ?? new WeakMap<object, Groups>();
  paired.set(from, ofFrom);
  const groups = ofFrom.get(to) ?? from.map((device, position) => [device, to[position]]);
  ofFrom.set(to, groups);
  return groups;
}

const paired = new WeakMap<object, WeakMap<object, Groups>>();

/** Groups of `size` devices that are `stride` apart, block by block. */
const strided = (devices: readonly number[], size: number, stride: number): Groups =>
  once(devices, `strided ${size} ${stride}`, () => {
    const groups: number[][] = [];
    const block = size * stride;
    for (let first = 0; first < devices.length; first += block)
      for (let offset = 0; offset < stride; offset += 1)
        groups.push(Array.from({ length: size }, (_, index) => devices[first + offset + index * stride]));
    return groups;
  });

/** Plans of one cluster have the same lists of devices (`devicesInBlocks`), and so the same groups. */
function once(of: object, word: string, make: () => Groups): Groups {
  const ofObject = made.get(of) ?? new Map<string, Groups>();
  made.set(of, ofObject);
  const groups = ofObject.get(word) ?? make();
  ofObject.set(word, groups);
  return groups;
}

const made = new WeakMap<object, Map<string, Groups>>();
