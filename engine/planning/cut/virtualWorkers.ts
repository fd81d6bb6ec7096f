/** HetPipe's allocation policies: which devices are a virtual worker (Park et al., "HetPipe" (2020), section 8.1). */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { Allocation } from '../../definitions/cut.ts';
import type { DeviceDefinition } from '../../definitions/device.ts';
import { count } from '../../basics/quantities.ts';

/**
 * Devices of each virtual worker; a text says why the cluster has none. `seconds`: what the model takes on a device of a kind, by which nodes
 * are fast or slow.
 */
export function virtualWorkers(
  { name, devices, groups, nodes: indices }: ClusterDefinition,
  allocation: Allocation | undefined,
  seconds: (kind: DeviceDefinition) => number,
): readonly (readonly number[])[] | string {
  const range = (first: number, end: number): readonly number[] =>
    Array.from({ length: end - first }, (_, index) => first + index);
  if (allocation === undefined) return [range(0, devices.length)];
  const nodes = indices.map((index) => range(groups[index].first, groups[index].end));
  const held = nodes.reduce((sum, node) => sum + node.length, 0);
  if (nodes.length === 0 || held < devices.length)
    return `\`allocation = ${allocation}\` divides nodes among virtual workers, and ${nodes.length === 0 ? `"${name}" has no nodes` : `devices of "${name}" are outside its nodes`}`;
  if (allocation === 'node') return nodes;
  const [{ length: size }] = nodes;
  const odd = nodes.find((node) => node.length !== size);
  if (odd !== undefined)
    return `\`allocation = ${allocation}\` needs nodes with equally many devices, and nodes of "${name}" have ${size} and ${odd.length}`;
  if (allocation === 'equal') return range(0, size).map((at) => nodes.map((node) => node[at]));
  if (nodes.length % 2 !== 0 || size % 2 !== 0)
    return `\`allocation = hybrid\` joins halves of two nodes, and "${name}" has ${count(nodes.length, 'node', 'nodes')} of ${count(size, 'device', 'devices')}`;
  const speed = (node: readonly number[]): number =>
    node.reduce((sum, device) => sum + seconds(devices[device].kind), 0);
  const fastest = nodes.toSorted((a, b) => speed(a) - speed(b) || a[0] - b[0]);
  return range(0, nodes.length / 2).flatMap((pair) => {
    const [fast, slow] = [fastest[pair], fastest[nodes.length - 1 - pair]];
    return [0, size / 2].map((first) => [
      ...fast.slice(first, first + size / 2),
      ...slow.slice(first, first + size / 2),
    ]);
  });
}
