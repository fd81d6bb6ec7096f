import type { EdgePlan } from '../../values/plan.ts';
import { type Dependencies, dependenciesOf, resultKinds } from '../dependencies.ts';

/**
 * What the operations of a rule wait for: as in every program, and with R between the forward and the backward of a stage. `results`:
 * kinds of results that the rule has rows for. Those after R wait for nothing here.
 */
export function ruleDependencies(
  edges: readonly EdgePlan[],
  stages: number,
  again: Uint8Array,
  results = resultKinds,
): Dependencies {
  const base = dependenciesOf(edges, stages);
  const count = Math.max(results, again.includes(1) ? resultKinds + 1 : 0);
  if (count === resultKinds) return base;
  const needs: number[] = [];
  const edge: number[] = [];
  const offsets = new Int32Array(count * stages + 1);
  for (let row = 0; row < count * stages; row += 1) {
    const stage = row % stages;
    const result = Math.trunc(row / stages);
    for (let at = base.offsets[row]; result < resultKinds && at < base.offsets[row + 1]; at += 1) {
      needs.push(base.needs[at]);
      edge.push(base.edge[at]);
    }
    const own = result === resultKinds ? stage : result === 1 ? resultKinds * stages + stage : -1;
    if (own >= 0 && again[stage] === 1) {
      needs.push(own);
      edge.push(-1);
    }
    offsets[row + 1] = needs.length;
  }
  return { offsets, needs: Int32Array.from(needs), edge: Int32Array.from(edge) };
}

/** Who needs each row, as compressed rows. */
export function consumersOf(
  { offsets, needs }: Dependencies,
  rows: number,
): { readonly offsets: Int32Array; readonly rows: Int32Array } {
  const starts = new Int32Array(rows + 1);
  const total = offsets[rows];
  for (let need = 0; need < total; need += 1) starts[needs[need] + 1] += 1;
  for (let row = 0; row < rows; row += 1) starts[row + 1] += starts[row];
  const result = new Int32Array(total);
  const next = starts.slice(0, rows);
  for (let row = 0; row < rows; row += 1) {
    for (let need = offsets[row]; need < offsets[row + 1]; need += 1) {
      result[next[needs[need]]] = row;
      next[needs[need]] += 1;
    }
  }
  return { offsets: starts, rows: result };
}
