import { packTrees } from '../../engine/network/trees/pack.ts';
import type { TreeProblem } from '../../engine/network/trees/problem.ts';
import { measure } from '../measure.ts';
import { ms, type Table } from '../rows.ts';

/** Links between 16 ranks. */
const workloads = [
  { name: 'all alike', rate: () => 10 },
  { name: 'two nodes of 8', rate: (from: number, to: number) => (from >> 3 === to >> 3 ? 100 : 10) },
  { name: 'all unlike', rate: (from: number, to: number) => 1 + ((from * 7919 + to * 104729) % 97) },
];
const most = 50;

export function treesTable(): Table {
  const rows = workloads.map(({ name, rate }) => {
    const problem = linksOf(16, rate);
    const { best } = measure(() => packTrees(problem));
    return {
      cells: [name, String(problem.capacity.length), ms(best)],
      goal: { text: `< ${most} ms`, met: best < most },
    };
  });
  return { title: 'Trees over 16 ranks', head: ['links', 'number', 'time'], rows };
}

function linksOf(ranks: number, rate: (from: number, to: number) => number): TreeProblem {
  const pairs = Array.from({ length: ranks }, (_, from) =>
    Array.from({ length: ranks - 1 - from }, (__, offset) => ({ from, to: from + 1 + offset })),
  ).flat();
  return {
    ranks,
    edges: pairs.map(({ from, to }, resource) => ({ from, to, uses: [{ resource, amount: 1 }] })),
    capacity: pairs.map(({ from, to }) => rate(from, to)),
  };
}
