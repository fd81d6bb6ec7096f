import { directSearches, runSearch, type Search } from '../../searches.ts';
import { balancedStarts } from './balancedStarts.ts';
import { cutDag, type DagCut, type DagCutRequest } from './dag/cutDag.ts';

/** A graph of layers to cut: plain data. */
type GraphCutProblem = Omit<DagCutRequest, 'inOrder'>;

const graphCutSearch: Search<GraphCutProblem, DagCut> = {
  name: 'cut of a graph',
  size: ({ dag, kinds }) => 25 * dag.count * kinds.length + 2_000_000,
  *steps(problem) {
    const { kinds, times } = problem;
    const inOrder = (order: Int32Array) => balancedStarts(order, [...kinds], (node, kind) => times[kind][node]);
    yield;
    return cutDag({ ...problem, inOrder });
  },
};

const searches = directSearches();

/** The fastest cut of a graph, from memory if the same graph was cut before: an edit that leaves it as it is cuts nothing again. */
export const graphCut = (problem: GraphCutProblem): DagCut =>
  searches.answer(graphCutSearch, problem) ?? runSearch(graphCutSearch, problem);
