/** Links that make a ring of ranks slow, and the cluster in which they do not. */
import type { ClusterDefinition, ClusterGroup, LinkDefinition } from '../../definitions/cluster.ts';
import type { Place } from '../../values/plan.ts';
import { routesOf } from '../routes/routesOf.ts';
import type { Groups } from './rings.ts';

export interface SlowLinks {
  /** Ends of the slow links, without direction: vertices of the cluster. */
  readonly ends: readonly (readonly [number, number])[];
  /** Where the first one is written. */
  readonly place: Place;
  /** Bytes per second of the slowest link, and of it for each flow of the rings. */
  readonly bandwidth: number;
  readonly share: number;
  /** The share that the next faster links leave to a flow. */
  readonly next: number;
  /** The same cluster, in which the slow links leave as much. */
  readonly without: ClusterDefinition;
}

/** A resource that flows of rings take. */
interface Loaded {
  readonly link: LinkDefinition;
  readonly group: number;
  readonly kind: 'named' | 'plain';
  readonly ends: readonly [number, number];
  flows: number;
}

/** Shares of nearly the same size are the same. */
const same = 1 + 1e-9;

/**
 * `undefined` if all links leave the same to the flows of the rings, or if two ranks have no route. The slowest links decide how fast
 * a ring is, and the others wait for them.
 */
export function slowLinks(cluster: ClusterDefinition, groups: Groups, bytes: number): SlowLinks | undefined {
  const loaded = loadedBy(cluster, groups, bytes);
  if (loaded === undefined) return undefined;
  const shareOf = ({ link, flows }: Loaded): number => link.bandwidth / flows;
  const share = loaded.reduce((least, each) => Math.min(least, shareOf(each)), Infinity);
  const next = loaded.reduce(
    (least, each) => (shareOf(each) > share * same ? Math.min(least, shareOf(each)) : least),
    Infinity,
  );
  const slow = loaded.filter((each) => shareOf(each) <= share * same);
  if (next === Infinity || slow.length === 0) return undefined;
  const [{ link }] = slow;
  return {
    ends: distinct(slow.map(({ ends: [a, b] }) => [Math.min(a, b), Math.max(a, b)] as const)),
    place: link.place,
    bandwidth: link.bandwidth,
    share,
    next,
    without: faster(cluster, slow, next),
  };
}

function loadedBy(cluster: ClusterDefinition, groups: Groups, bytes: number): readonly Loaded[] | undefined {
  const { graph, between } = routesOf(cluster);
  const found = new Map<string, Loaded>();
  const add = (key: string, make: Omit<Loaded, 'flows'>): void => {
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...make, flows: 1 });
    else known.flows += 1;
  };
  for (const group of groups)
    for (const [index, from] of group.entries()) {
      const to = group[(index + 1) % group.length];
      if (from === to) continue;
      const route = between(from, to, bytes);
      if (route === undefined) return undefined;
      if (route.kind === 'plain') {
        const { link, group: node } = route;
        const [a, b] = link.sharing === 'half' ? [Math.min(from, to), Math.max(from, to)] : [from, to];
        const key = link.sharing === 'shared' ? `plain ${node}` : `plain ${node} ${a} ${b}`;
        add(key, { link, group: node, kind: 'plain', ends: [from, to] });
        continue;
      }
      const taken = new Map(route.edges.map((edge) => [graph.channel[edge], edge]));
      for (const [channel, edge] of taken) {
        const { link, group: node } = graph.links[edge];
        const ends = [graph.target[graph.reverse[edge]], graph.target[edge]] as const;
        add(`named ${channel}`, { link, group: node, kind: 'named', ends });
      }
    }
  return [...found.values()];
}

const distinct = (pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] => [
  ...new Map(pairs.map((pair) => [pair.join(' '), pair])).values(),
];

/** The slow links with as many bytes per second as leave `share` to each flow. Plain links of a node are one link. */
function faster(cluster: ClusterDefinition, slow: readonly Loaded[], share: number): ClusterDefinition {
  const named = new Map(Array.from(cluster.named, ([vertex, links]) => [vertex, new Map(links)]));
  const groups: ClusterGroup[] = [...cluster.groups];
  for (const { link, kind, group, ends, flows } of slow) {
    const bandwidth = share * flows;
    const around = groups[group];
    if (kind === 'plain') {
      if (around.link !== undefined) groups[group] = { ...around, link: quicker(around.link, bandwidth) };
      continue;
    }
    const quicken = (from: number, to: number): void => {
      const known = named.get(from)?.get(to);
      if (known !== undefined) named.get(from)?.set(to, { ...known, link: quicker(known.link, bandwidth) });
    };
    if (link.sharing !== 'shared') for (const from of ends) for (const to of ends) quicken(from, to);
    else
      // A bus is one link between many.
      for (const [from, links] of named)
        for (const [to, of] of links) if (of.link.id === link.id && of.group === group) quicken(from, to);
  }
  return { ...cluster, named, groups };
}

const quicker = (link: LinkDefinition, bandwidth: number): LinkDefinition => ({
  ...link,
  bandwidth: Math.max(link.bandwidth, bandwidth),
});
