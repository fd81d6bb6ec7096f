import type { EdgePlan } from '../values/plan.ts';
import { peerResults, peersOf, updateResult } from './peers.ts';
import { type Program, resultsIn, type ShiftedNeeds } from '../values/program.ts';

/** Results of F, B, I and W. */
export const resultKinds = 3;

export interface Dependencies extends ShiftedNeeds {
  /** Needs of result row r: `needs[offsets[r]]` to `needs[offsets[r + 1]]`. */
  readonly offsets: Int32Array;
  /** Index into the plan's edges that each need comes from; −1 where it is the stage's own. */
  readonly edge: Int32Array;
  /** Bytes of the message of each need, where the schedule declares operations; NaN where an edge or the stage itself decides. */
  readonly needBytes?: Float64Array;
}

/** What the operations of a program wait for, whatever kinds it has. */
export const programDependencies = (program: Program, edges: readonly EdgePlan[]): Dependencies =>
  resultsIn(program) === resultKinds ? dependenciesOf(edges, program.stages) : extendedDependencies(edges, program);

/** Pairs of results (`who`, `whom`) of one stage: who waits for whom, beyond the three of every program. */
export const ownNeeds: readonly (readonly [number, number])[] = [
  [3, 0], // R needs F
  [1, 3], // B and I need R
  [4, 1], // U needs the input gradient,
  [4, 2], // and the weight gradient
  [5, 0], // E needs F
  [6, 5], // L needs E
  [1, 6], // B and I need L
];

/** All kinds of results. What a program leaves out, nothing waits for. */
function extendedDependencies(edges: readonly EdgePlan[], program: Program): Dependencies {
  const { stages } = program;
  const rows: {
    readonly need: number;
    readonly edge: number;
    readonly shift?: number;
    readonly only?: Uint8Array;
    readonly bytes?: number;
  }[][] = Array.from({ length: resultsIn(program) * stages }, () => []);
  const base = dependenciesOf(edges, stages);
  for (let row = 0; row < resultKinds * stages; row += 1) {
    for (let at = base.offsets[row]; at < base.offsets[row + 1]; at += 1)
      rows[row].push({ need: base.needs[at], edge: base.edge[at] });
  }
  for (const [who, whom] of ownNeeds) {
    for (let stage = 0; stage < stages; stage += 1)
      rows[who * stages + stage].push({ need: whom * stages + stage, edge: -1 });
  }
  const peers = peersOf(program);
  for (const [stage, list] of peers?.entries() ?? []) {
    for (const peer of list)
      for (const result of peerResults)
        rows[updateResult * stages + stage].push({ need: result * stages + peer.stage, edge: -1, shift: peer.shift });
  }
  const { declared, room } = program;
  const listed = declared !== undefined || room !== undefined;
  for (const [row, waits] of [...(declared?.waits ?? []), ...(room ?? [])])
    for (const { whom, shift, only, bytes } of waits) rows[row].push({ need: whom, edge: -1, shift, only, bytes });
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach((row, index) => (offsets[index + 1] = offsets[index] + row.length));
  const flat = rows.flat();
  return {
    offsets,
    needs: Int32Array.from(flat, (each) => each.need),
    edge: Int32Array.from(flat, (each) => each.edge),
    ...(peers === undefined && !listed ? {} : { needShift: Int32Array.from(flat, (each) => each.shift ?? 0) }),
    ...(!listed
      ? {}
      : {
          needOnly: flat.map((each) => each.only),
          needBytes: Float64Array.from(flat, (each) => each.bytes ?? NaN),
        }),
  };
}

/**
 * F of a stage needs F of the stages before it. Its backward needs its F and the backward of the stages after it. Its W needs its
 * I. A linear pass over stages and edges.
 */
export function dependenciesOf(edges: readonly EdgePlan[], stages: number): Dependencies {
  const offsets = new Int32Array(resultKinds * stages + 1);
  for (let stage = 0; stage < stages; stage += 1) {
    offsets[stages + stage + 1] += 1;
    offsets[2 * stages + stage + 1] += 1;
  }
  for (const { from, to, forwardOnly } of edges) {
    offsets[to + 1] += 1;
    if (forwardOnly !== true) offsets[stages + from + 1] += 1;
  }
  for (let row = 0; row < resultKinds * stages; row += 1) offsets[row + 1] += offsets[row];
  const needs = new Int32Array(offsets[resultKinds * stages]);
  const edge = new Int32Array(needs.length).fill(-1);
  const next = offsets.slice(0, resultKinds * stages);
  for (let stage = 0; stage < stages; stage += 1) {
    needs[next[stages + stage]++] = stage;
    needs[next[2 * stages + stage]++] = stages + stage;
  }
  for (const [index, { from, to, forwardOnly }] of edges.entries()) {
    edge[next[to]] = index;
    needs[next[to]++] = from;
    if (forwardOnly === true) continue;
    edge[next[stages + from]] = index;
    needs[next[stages + from]++] = stages + to;
  }
  return { offsets, needs, edge };
}
