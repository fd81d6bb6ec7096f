/**
 * Which outermost nodes of a cluster are linked alike; a device outside nodes is treated as a node of one. The links of two nodes
 * may differ only in which node they are in. Then the nodes can change places and nothing else changes. A route between devices
 * of such nodes is found once, and moved to where it is needed.
 */
import { degree, edgeBetween, type Graph } from './graph.ts';

export interface Alike {
  /** Devices of one role have the same place in nodes that are alike. */
  readonly role: Int32Array;
  /** Outermost node of a vertex, −1 for none. */
  readonly nodeOf: Int32Array;
  /** A route that joins two devices, without the places of their nodes. */
  toMove(edges: readonly number[], from: number, to: number): readonly Station[];
  /** The edges of the route that joins two devices of the same roles, in one node if the others were in one. */
  move(route: readonly Station[], from: number, to: number): readonly number[];
}

/** A vertex by its number among the devices or switches of the node of `from` or `to`, or of all vertices (`rest`). */
export interface Station {
  readonly of: Side;
  readonly number: number;
}
type Side = 'from' | 'fromSwitches' | 'to' | 'toSwitches' | 'rest';

/** Nodes compared with each node. Copies of a `node[n]` are alike; if all nodes differ, no more time is spent on them. */
const most = 8;

export function alikeOf(graph: Graph): Alike {
  const { cluster, offsets, reverse, target } = graph;
  const { devices } = cluster;
  const nodes = nodesOf(graph);
  const nodeOf = new Int32Array(offsets.length - 1).fill(-1);
  const role = Int32Array.from(devices, (_, device) => device);
  const found: Node[] = [];
  for (const [index, node] of nodes.entries()) {
    nodeOf.fill(index, node.first, node.end);
    nodeOf.fill(index, node.switches, node.switchesEnd);
    const same = found.find((candidate) => linkedAlike(graph, candidate, node));
    if (same === undefined && found.length < most) found.push(node);
    if (same === undefined) continue;
    for (let at = node.first; at < node.end; at += 1) role[at] = same.first + at - node.first;
  }

  const firstOf = (side: Side, from: number, to: number): number => {
    switch (side) {
      case 'from':
        return nodes[nodeOf[from]].first;
      case 'fromSwitches':
        return nodes[nodeOf[from]].switches;
      case 'to':
        return nodes[nodeOf[to]].first;
      case 'toSwitches':
        return nodes[nodeOf[to]].switches;
      case 'rest':
        return 0;
    }
  };
  const sideOf = (vertex: number, from: number, to: number): Side => {
    const node = nodeOf[vertex];
    if (node >= 0 && node === nodeOf[from]) return vertex < devices.length ? 'from' : 'fromSwitches';
    if (node >= 0 && node === nodeOf[to]) return vertex < devices.length ? 'to' : 'toSwitches';
    // A third node stays where it is: the links of nodes that are alike lead to the same vertices of it.
    return 'rest';
  };

  return {
    role,
    nodeOf,
    toMove: (edges, from, to) =>
      edges.map((edge) => {
        const side = sideOf(target[edge], from, to);
        return { of: side, number: target[edge] - firstOf(side, from, to) };
      }),
    move(route, from, to) {
      let at = from;
      return route.map((station) => {
        const next = station.number + firstOf(station.of, from, to);
        // Found from the end with fewer links.
        const edge =
          degree(graph, at) <= degree(graph, next)
            ? edgeBetween(graph, at, next)
            : reverse[edgeBetween(graph, next, at)];
        at = next;
        return edge;
      });
    },
  };
}

/** Its devices and its switches, including those in inner nodes; the ends are exclusive. */
interface Node {
  readonly first: number;
  readonly end: number;
  readonly switches: number;
  readonly switchesEnd: number;
}

/** The outermost nodes whose switches have numbers in a row, then the devices outside nodes. */
function nodesOf({ cluster, offsets }: Graph): readonly Node[] {
  const { groups, nodes, devices } = cluster;
  const found = nodes.flatMap((outermost): readonly Node[] => {
    const { first, end, depth } = groups[outermost];
    const members: number[] = [];
    for (let group = outermost; group < groups.length; group += 1) {
      if (group > outermost && groups[group].depth <= depth) break;
      groups[group].switches?.forEach((vertex) => {
        // A switch that nothing is linked to may have no number among the vertices.
        if (vertex < offsets.length - 1) members.push(vertex);
      });
    }
    const switches = members[0] ?? devices.length;
    if (members.some((vertex, index) => vertex !== switches + index)) return [];
    return [{ first, end, switches, switchesEnd: switches + members.length }];
  });
  const loose = devices.flatMap(({ group }, at): readonly Node[] =>
    group === 0 ? [{ first: at, end: at + 1, switches: devices.length, switchesEnd: devices.length }] : [],
  );
  return [...found, ...loose];
}

function linkedAlike(graph: Graph, a: Node, b: Node): boolean {
  if (a.end - a.first !== b.end - b.first || a.switchesEnd - a.switches !== b.switchesEnd - b.switches) return false;
  for (let at = a.first; at < a.end; at += 1) if (!sameLinks(graph, a, b, at, at - a.first + b.first)) return false;
  for (let at = a.switches; at < a.switchesEnd; at += 1)
    if (!sameLinks(graph, a, b, at, at - a.switches + b.switches)) return false;
  return true;
}

/**
 * The vertices have the same links. Each goes to the same place of the vertex's node, or to the same vertex outside both nodes.
 */
function sameLinks({ offsets, target, links }: Graph, a: Node, b: Node, one: number, other: number): boolean {
  if (offsets[one + 1] - offsets[one] !== offsets[other + 1] - offsets[other]) return false;
  const shift = offsets[other] - offsets[one];
  for (let edge = offsets[one]; edge < offsets[one + 1]; edge += 1) {
    const [left, right] = [target[edge], target[edge + shift]];
    if (links[edge].link !== links[edge + shift].link) return false;
    const moved =
      left >= a.first && left < a.end
        ? left - a.first + b.first
        : left >= a.switches && left < a.switchesEnd
          ? left - a.switches + b.switches
          : left;
    if (moved !== right) return false;
  }
  return true;
}
