/** All-reduces in levels: inside nodes, and between them. */
import type { Ring } from '../../costs/types.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { type Groups, ringsAtOnce, type UnreachableRank } from './rings.ts';

/**
 * Levels of an all-reduce over each group in three parts. First a reduce-scatter inside each node. Then an all-reduce of what a
 * device has, among the devices that have the same part, one of each node. Last an all-gather inside. With g devices in each of N
 * nodes: 2(g − 1)/g · S/B₁ + 2(N − 1)/N · (S/g)/B₂ + 2(g − 1)·α₁ + 2(N − 1)·α₂ (Cho et al., *BlueConnect*, SysML 2019). All
 * groups, and all g rings between nodes, run at once. A node is the innermost `node` around a device.
 *
 * `undefined` if there is one level: all members are in one node, or each is in a different one. Also `undefined` if the members
 * of a group are not spread evenly over nodes, or if the spread differs between groups.
 */
export function levelsOf(
  cluster: ClusterDefinition,
  groups: Groups,
  bytes: number,
): readonly Level[] | UnreachableRank | undefined {
  const inside: (readonly number[])[] = [];
  const between: (readonly number[])[] = [];
  let [size, nodes] = [0, 0];
  for (const group of groups) {
    const byNode = new Map<number, number[]>();
    for (const device of group) {
      const node = cluster.devices[device].group;
      const members = byNode.get(node);
      if (members === undefined) byNode.set(node, [device]);
      else members.push(device);
    }
    const parts = [...byNode.values()];
    const first = parts[0]?.length ?? 0;
    if (size === 0) [size, nodes] = [first, parts.length];
    if (parts.length !== nodes || parts.some((part) => part.length !== size)) return undefined;
    if (size <= 1 || nodes <= 1) return undefined;
    inside.push(...parts);
    for (let place = 0; place < size; place += 1) between.push(parts.map((part) => part[place]));
  }
  if (size === 0) return undefined;
  const within = ringsAtOnce(cluster, inside, bytes / size);
  if ('from' in within) return within;
  const across = ringsAtOnce(cluster, between, bytes / size / nodes);
  if ('from' in across) return across;
  return [
    { ranks: size, ring: within, rings: { groups: inside, bytes: bytes / size } },
    { ranks: nodes, ring: across, rings: { groups: between, bytes: bytes / size / nodes } },
  ];
}

/** Rings of `ranks` ranks each. Each ring reduces everything that the levels before left to a rank. */
export interface Level {
  readonly ranks: number;
  readonly ring: Ring;
  /** The members of each ring, and bytes for which its routes are chosen. */
  readonly rings?: { readonly groups: Groups; readonly bytes: number };
}
