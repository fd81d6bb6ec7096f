/** Sets of layers that can go from one stage to the next or the one before, so that still every stage needs earlier ones only. */
import type { Adjacency, Dag } from './graph.ts';

/** Nodes of one stage that can leave it together. */
export interface Move {
  readonly nodes: readonly number[];
  readonly weight: number;
}

/** Larger sets are not moved. */
const mostNodes = 32;

/** A count of steps that all searches of one cut share, so that large graphs end in time. */
export interface Budget {
  left: number;
}

/** Finds moves; made once for a graph, since it keeps marks. */
export interface Mover {
  /**
   * For each of `members`, which are all in one stage, the smallest set with it that can leave the stage. A set for the stage
   * before has all that the member needs there; a set for the stage behind has all that needs the member. Sets of all members, or
   * of too many nodes, are left out.
   */
  moves(members: readonly number[], stageOf: Int32Array, weights: Float64Array, to: 'before' | 'behind'): Move[];
}

export function moverOf(dag: Dag, budget: Budget): Mover {
  const marks = new Int32Array(dag.count);
  let mark = 0;
  const closure = (start: number, stageOf: Int32Array, { from, nodes }: Adjacency): number[] | undefined => {
    mark += 1;
    marks[start] = mark;
    const found = [start];
    for (let next = 0; next < found.length; next += 1) {
      budget.left -= 1 + from[found[next] + 1] - from[found[next]];
      for (let at = from[found[next]]; at < from[found[next] + 1]; at += 1) {
        const node = nodes[at];
        if (stageOf[node] !== stageOf[start] || marks[node] === mark) continue;
        if (found.length === mostNodes) return undefined;
        marks[node] = mark;
        found.push(node);
      }
    }
    return found;
  };
  return {
    moves(members, stageOf, weights, to) {
      const moves: Move[] = [];
      for (const start of members) {
        if (budget.left <= 0) break;
        const nodes = closure(start, stageOf, to === 'before' ? dag.needs : dag.users);
        if (nodes === undefined || nodes.length === members.length) continue;
        moves.push({ nodes, weight: nodes.reduce((sum, node) => sum + weights[node], 0) });
      }
      return moves;
    },
  };
}

/** Nodes of each stage, ascending. */
export function membersOf(stageOf: Int32Array, parts: number): number[][] {
  const members: number[][] = Array.from({ length: parts }, () => []);
  for (const [node, stage] of stageOf.entries()) members[stage].push(node);
  return members;
}
