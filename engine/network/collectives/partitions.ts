/** Levels of an all-reduce over ranks that are grouped, and grouped again. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { Level } from './levels.ts';
import { type Groups, ringsAtOnce, type UnreachableRank } from './rings.ts';

/** Parts of equal size of all groups. Each is a run of parts of the next finer partition. */
export type Partition = Groups;

/** Sizes of parts that should be equal, from the largest down. */
export interface Uneven {
  readonly problem: 'uneven';
  readonly sizes: readonly number[];
}

/** Ranks of one part have the same key. */
export type PartKey = (rank: number) => unknown;

/**
 * Levels from the finest partition out. The last partition has the groups as parts. A level has a ring for each member of a finer
 * part: it goes through the members of the same place in all finer parts of one part. All rings of a level run at once.
 */
export function levelsOver(
  cluster: ClusterDefinition,
  partitions: readonly Partition[],
  bytes: number,
): readonly Level[] | UnreachableRank {
  const levels: Level[] = [];
  let finer = 1;
  for (const parts of partitions) {
    const size = parts[0]?.length ?? 0;
    if (size <= finer) continue;
    const ranks = size / finer;
    const rings: (readonly number[])[] = [];
    for (const part of parts)
      for (let place = 0; place < finer; place += 1)
        rings.push(Array.from({ length: ranks }, (_, index) => part[index * finer + place]));
    const ring = ringsAtOnce(cluster, rings, bytes / size);
    if ('from' in ring) return ring;
    levels.push({ ranks, ring, rings: { groups: rings, bytes: bytes / size } });
    finer = size;
  }
  return levels;
}

/** Groups split by keys, from the finest partition out; `keysOf` gives the keys for a group, from the coarsest in. */
export function partitionsBy(
  groups: Groups,
  keysOf: (group: readonly number[]) => readonly PartKey[],
): readonly Partition[] | Uneven {
  const keys = groups.map(keysOf);
  const split: (readonly number[])[][] = [];
  for (const [index, group] of groups.entries()) {
    let parts: Groups = [group];
    (split[0] ??= []).push(group);
    for (const [depth, key] of keys[index].entries()) {
      parts = parts.flatMap((part) => byKey(part, key));
      (split[depth + 1] ??= []).push(...parts);
    }
  }
  const sizes = split.map((parts) => new Set(parts.map(({ length }) => length)));
  const uneven = sizes.find(({ size }) => size > 1);
  if (uneven !== undefined) return { problem: 'uneven', sizes: [...uneven].sort((a, b) => b - a) };
  // Finer parts decide the order of ranks in coarser ones.
  const order = new Map((split.at(-1) ?? []).flat().map((rank, place) => [rank, place]));
  const placeOf = (rank: number): number => order.get(rank) ?? 0;
  return split.map((parts) => parts.map((part) => part.toSorted((a, b) => placeOf(a) - placeOf(b)))).toReversed();
}

/** In the order in which keys come up. */
function byKey(part: readonly number[], key: PartKey): Groups {
  const found = new Map<unknown, number[]>();
  for (const rank of part) {
    const at = key(rank);
    const known = found.get(at);
    if (known === undefined) found.set(at, [rank]);
    else known.push(rank);
  }
  return [...found.values()];
}

/**
 * Groups split by the nodes around their ranks, from the innermost node out. Ranks outside all nodes of a depth are together in
 * the node around them, as in `levelsOf`.
 */
export function nodePartitions(
  { devices, groups: nodes }: ClusterDefinition,
  groups: Groups,
): readonly Partition[] | Uneven {
  const depths = Array.from({ length: Math.max(0, ...nodes.map(({ depth }) => depth)) }, (_, index) => index + 1);
  const keys = depths.map((depth) => (rank: number) => {
    let node = devices[rank].group;
    while (nodes[node].depth > depth) node = nodes[node].parent;
    return node;
  });
  return partitionsBy(groups, () => keys);
}
