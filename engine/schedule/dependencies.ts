import type { EdgePlan } from '../plan/plan.ts';

/**
 * What operations wait for. A result is the output of F, the input gradient (of B or of I: whoever waits need not know which)
 * or the weight gradient of W; its row is `result * stages + stage`, and its slot `row * microbatches + microbatch`.
 */
export const resultOf: readonly number[] = [0, 1, 1, 2];
export const resultKinds = 3;

export interface Dependencies {
  /** Needs of result row r: `needs[offsets[r]]` to `needs[offsets[r + 1]]`, each a result row of the same microbatch. */
  readonly offsets: Int32Array;
  readonly needs: Int32Array;
  /** Index into the plan's edges that each need comes from; −1 where it is the stage's own. */
  readonly edge: Int32Array;
}

/**
 * F of a stage needs F of the stages before it; its backward needs its own F and the backward of the stages after it; its W
 * needs its own I. A linear pass over stages and edges.
 */
export function dependenciesOf(edges: readonly EdgePlan[], stages: number): Dependencies {
  const offsets = new Int32Array(resultKinds * stages + 1);
  for (let stage = 0; stage < stages; stage += 1) {
    offsets[stages + stage + 1] += 1;
    offsets[2 * stages + stage + 1] += 1;
  }
  for (const { from, to } of edges) {
    offsets[to + 1] += 1;
    offsets[stages + from + 1] += 1;
  }
  for (let row = 0; row < resultKinds * stages; row += 1) offsets[row + 1] += offsets[row];
  const needs = new Int32Array(offsets[resultKinds * stages]);
  const edge = new Int32Array(needs.length).fill(-1);
  const next = offsets.slice(0, resultKinds * stages);
  for (let stage = 0; stage < stages; stage += 1) {
    needs[next[stages + stage]++] = stage;
    needs[next[2 * stages + stage]++] = stages + stage;
  }
  for (const [index, { from, to }] of edges.entries()) {
    edge[next[to]] = index;
    needs[next[to]++] = from;
    edge[next[stages + from]] = index;
    needs[next[stages + from]++] = stages + to;
  }
  return { offsets, needs, edge };
}
