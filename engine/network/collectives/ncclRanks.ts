import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { routesOf } from '../routes/routesOf.ts';
import type { NcclRanks } from './nccl.ts';
import type { Groups } from './rings.ts';

/** A link inside a node is PCIe if it is slower than the slowest NVLink, or later than NCCL's step over NVLink by far. */
const slowestNvlink = 18e9;
const latestNvlink = 5e-6;

/** NCCL's nodes are the innermost nodes around the ranks. A cluster does not say what its links are, so their figures decide. */
export function ncclRanksOf(cluster: ClusterDefinition, groups: Groups, bytes: number): Omit<NcclRanks, 'bandwidth'> {
  const nodeOf = (device: number): number => cluster.devices[device].group;
  const routes = routesOf(cluster);
  let inside: NcclRanks['inside'] = 'nvlink';
  for (const group of groups)
    for (const [index, from] of group.entries()) {
      const to = group[(index + 1) % group.length];
      const route = from === to || nodeOf(from) !== nodeOf(to) ? undefined : routes.between(from, to, bytes);
      if (route !== undefined && (route.bandwidth < slowestNvlink || route.latency >= latestNvlink)) inside = 'pci';
    }
  const [first = []] = groups;
  return { ranks: first.length, nodes: new Set(first.map(nodeOf)).size, inside };
}
