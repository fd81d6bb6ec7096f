import type { Search } from '../../basics/searches.ts';
import { balancedStarts } from './balancedStarts.ts';
import { cutDag, type DagCut, type DagCutRequest } from './dag/cutDag.ts';

/** A graph of layers to cut: plain data. */
type GraphCutProblem = Omit<DagCutRequest, 'inOrder'>;

/** Steps for each layer and stage: all orders, and the moves of layers up to their budget. */
const stepsOf = { order: 25, moves: 4_000 };
const mostMoves = 2_000_000;

/** The fastest cut of a graph. An edit that leaves the graph as it is cuts nothing again, as hosts remember the answer. */
export const graphCut: Search<GraphCutProblem, DagCut> = {
  name: 'cut of a graph',
  size({ dag, kinds }) {
    const places = dag.count * kinds.length;
    return stepsOf.order * places + Math.min(mostMoves, stepsOf.moves * places);
  },
  *steps(problem) {
    const { kinds, times } = problem;
    const inOrder = (order: Int32Array) => balancedStarts(order, [...kinds], (node, kind) => times[kind][node]);
    yield;
    return cutDag({ ...problem, inOrder });
  },
};
