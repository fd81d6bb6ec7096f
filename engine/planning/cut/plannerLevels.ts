import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { routeBetween } from '../../network/index.ts';
import type { PlannerLevel } from './planners/pipedreamProblem.ts';

/**
 * Levels of a cluster of nested nodes, from the innermost, for machines of `size` devices in a row. `undefined` if the nodes of
 * one depth differ, if devices are named in links, or if a machine spans a part of a node. A level that is as fast as the level
 * inside it is left out.
 */
export function plannerLevels(
  cluster: ClusterDefinition,
  size: number,
  bytes: number,
): readonly PlannerLevel[] | undefined {
  const { devices, groups, named } = cluster;
  if (named.size > 0 || devices.length % size !== 0) return undefined;
  const depths = groups.reduce((most, { depth }) => Math.max(most, depth), 0);
  const levels: PlannerLevel[] = [];
  let unit = size;
  for (let depth = depths; depth >= 0; depth -= 1) {
    const nodes = groups.filter((group) => group.depth === depth);
    const [{ first, end }] = nodes;
    const width = end - first;
    if (nodes.some((node) => node.end - node.first !== width) || nodes.length * width !== devices.length)
      return undefined;
    if (width <= unit && unit % width === 0) continue;
    if (width % unit !== 0) return undefined;
    let bandwidth = Infinity;
    // Nodes of one depth have the links of one template, or the slowest decides.
    for (const node of nodes) {
      const route = routeBetween(cluster, node.first, node.first + unit, bytes);
      if (route === undefined) return undefined;
      bandwidth = Math.min(bandwidth, route.bandwidth);
    }
    const inner = levels.at(-1);
    if (inner !== undefined && bandwidth >= inner.bandwidth)
      levels[levels.length - 1] = { machines: (inner.machines * width) / unit, bandwidth: inner.bandwidth };
    else levels.push({ machines: width / unit, bandwidth });
    unit = width;
  }
  return levels;
}
