/** Placement over many places: whole nodes first, then the ranks inside each node. */
import { type Chain, mostPlaces } from './chain.ts';
import { chainOf } from './numbers.ts';
import type { PlacementProblem } from './problem.ts';

/** The best placement of a chain; `undefined` if its ranks cannot be placed. */
type Solver = (chain: Chain) => readonly number[] | undefined;

/** Ranks next to each other that are in one node by number: the first, and the one behind the last. */
interface Run {
  readonly first: number;
  readonly end: number;
  readonly node: number;
}

/**
 * A placement that puts each run of ranks into a node of the best chain of nodes, and then each rank. A hop between nodes is the
 * fastest that two of their places have. `undefined` if the ranks of a node are not a run, or a node has too many places.
 */
export function nodesFirst(problem: PlacementProblem, best: Solver): readonly number[] | undefined {
  const chain = chainOf(problem);
  const members = membersOf(problem);
  const runs = runsOf(problem);
  const nodes = [...members.keys()];
  if (new Set(runs.map(({ node }) => node)).size < runs.length) return undefined;
  if (runs.some(({ node }) => (members.get(node)?.length ?? 0) > mostPlaces)) return undefined;
  const order =
    nodes.length > mostPlaces ? runs.map(({ node }) => node) : nodeOrder(problem, { chain, members, runs }, best);
  if (order === undefined) return undefined;
  const found: number[] = [];
  for (const [index, run] of runs.entries()) {
    const here = members.get(order[index]) ?? [];
    const next = index + 1 < runs.length ? (members.get(order[index + 1]) ?? []) : undefined;
    const inside = best(insideOf(chain, problem, run, here, found.at(-1), next));
    if (inside === undefined) return undefined;
    found.push(...inside.map((place) => here[place]));
  }
  return found;
}

function membersOf({ nodes, allowed }: PlacementProblem): ReadonlyMap<number, readonly number[]> {
  const usable = new Set(allowed.flat());
  const found = new Map<number, number[]>();
  for (const [place, node] of nodes.entries()) {
    if (!usable.has(place)) continue;
    const known = found.get(node);
    if (known === undefined) found.set(node, [place]);
    else known.push(place);
  }
  return found;
}

function runsOf({ ranks, nodes, byNumber }: PlacementProblem): readonly Run[] {
  const runs: Run[] = [];
  for (let first = 0; first < ranks;) {
    const node = nodes[byNumber[first]];
    let end = first + 1;
    while (end < ranks && nodes[byNumber[end]] === node) end += 1;
    runs.push({ first, end, node });
    first = end;
  }
  return runs;
}

interface Parts {
  readonly chain: Chain;
  readonly members: ReadonlyMap<number, readonly number[]>;
  readonly runs: readonly Run[];
}

/** Node of each run. */
function nodeOrder(
  { allowed, places }: PlacementProblem,
  { chain, members, runs }: Parts,
  best: Solver,
): readonly number[] | undefined {
  const nodes = [...members.keys()];
  const between = (tables: readonly Float64Array[]): readonly Float64Array[] =>
    runs.map(({ end }) => {
      const table = tables[end - 1];
      const least = new Float64Array(nodes.length * nodes.length);
      for (const [a, from] of nodes.entries())
        for (const [b, to] of nodes.entries())
          least[a * nodes.length + b] = leastHop(table, places, members.get(from) ?? [], members.get(to) ?? []);
      return least;
    });
  const found = best({
    places: nodes.length,
    ranks: runs.length,
    worst: between(chain.worst),
    sum: between(chain.sum),
    others: runs.map(() => []),
    allowed: Int32Array.from(runs, (run) =>
      nodes.reduce(
        (bits, node, index) => (takes(allowed, run, members.get(node) ?? []) ? bits | (1 << index) : bits),
        0,
      ),
    ),
  });
  return found?.map((index) => nodes[index]);
}

/** Whether a node may have a run: as many places as ranks, and each rank may take one of them. */
const takes = (allowed: PlacementProblem['allowed'], { first, end }: Run, places: readonly number[]): boolean =>
  places.length >= end - first && allowed.slice(first, end).every((set) => places.some((place) => set.includes(place)));

function leastHop(table: Float64Array, places: number, from: readonly number[], to: readonly number[]): number {
  let least = Infinity;
  for (const a of from) for (const b of to) least = Math.min(least, table[a * places + b]);
  return least;
}

/** The ranks of a run on the places of a node, between the last place before it and the fastest hop to the next node. */
function insideOf(
  { worst, sum }: Chain,
  { allowed, places }: PlacementProblem,
  { first, end }: Run,
  here: readonly number[],
  before: number | undefined,
  next: readonly number[] | undefined,
): Chain {
  const inside = (table: Float64Array): Float64Array =>
    Float64Array.from({ length: here.length * here.length }, (_, hop) => {
      const [from, to] = [here[Math.trunc(hop / here.length)], here[hop % here.length]];
      return table[from * places + to];
    });
  return {
    places: here.length,
    ranks: end - first,
    worst: worst.slice(first, end).map(inside),
    sum: sum.slice(first, end).map(inside),
    others: Array.from({ length: end - first }, () => []),
    allowed: Int32Array.from(allowed.slice(first, end), (set) =>
      here.reduce((bits, place, index) => (set.includes(place) ? bits | (1 << index) : bits), 0),
    ),
    ...(before === undefined
      ? {}
      : { entry: Float64Array.from(here, (place) => worst[first - 1][before * places + place]) }),
    ...(next === undefined
      ? {}
      : { exit: Float64Array.from(here, (place) => leastHop(worst[end - 1], places, [place], next)) }),
  };
}
