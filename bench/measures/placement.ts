import { placements } from '../../engine/network/placement/placements.ts';
import type { PlacementProblem } from '../../engine/network/placement/problem.ts';
import { measure } from '../measure.ts';
import { ms, type Table } from '../rows.ts';

type Hop = (from: number, to: number) => number;

/** Seconds of hops between 16 places. */
const workloads: readonly { readonly name: string; readonly hop: Hop; readonly ring?: true }[] = [
  { name: 'all alike', hop: () => 1 },
  { name: 'two nodes of 8', hop: (from, to) => (from >> 3 === to >> 3 ? 1 : 10) },
  { name: 'all unlike', hop: (from, to) => 1 + ((from * 7919 + to * 104729) % 97) },
  { name: 'all unlike, in a ring', hop: (from, to) => 1 + ((from * 7919 + to * 104729) % 97), ring: true },
];
const most = 300;

export function placementTable(): Table {
  const rows = workloads.map(({ name, hop, ring }) => {
    const problem = problemOf(16, hop, ring === true);
    const { best } = measure(() => placements(problem));
    return {
      cells: [name, String(problem.pairs.length), ms(best)],
      goal: { text: `< ${most} ms`, met: best < most },
    };
  });
  return { title: 'Best placement of 16 ranks', head: ['links', 'hops', 'time'], rows };
}

function problemOf(places: number, hop: Hop, ring: boolean): PlacementProblem {
  const all = Array.from({ length: places }, (_, place) => place);
  return {
    ranks: places,
    places,
    tables: [all.flatMap((from) => all.map((to) => hop(from, to)))],
    pairs: all.slice(ring ? 0 : 1).map((to) => ({ from: (to + places - 1) % places, to, worst: 0, sum: 0 })),
    allowed: all.map(() => all),
    nodes: all.map((place) => place >> 3),
    byNumber: all,
  };
}
