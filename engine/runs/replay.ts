/**
 * Runs a recorded step again with other times: every rank keeps its order, and an operation starts once its rank is free and its
 * message is there. With its own times this is what the step takes without the time between operations.
 */
import { F, W } from '../values/program.ts';
import type { RecordedCall, RecordedRow, RecordedStep, Recording } from '../values/recording.ts';

/** Seconds under which a step runs again. */
export interface Times {
  work(replica: number, rank: number, row: RecordedRow, at: number): number;
  /** From the end of an operation on one rank to its message on another. */
  flight(replica: number, from: number, to: number): number;
  call(replica: number, rank: number, call: RecordedCall): number;
}

/** Seconds of the step with number `index` of all replicas, which meet in its calls; NaN if its order cannot run. */
export function replay(replicas: readonly Recording[], index: number, times: Times): number {
  const steps = replicas.map(({ steps: all }) => all[index]);
  const ready = replicas.map(({ ranks }) => new Float64Array(ranks.length));
  runCalls(steps, 'before', ready, times);
  for (const [replica, recording] of replicas.entries())
    if (!runOperations(recording, steps[replica], replica, ready[replica], times)) return Number.NaN;
  runCalls(steps, 'after', ready, times);
  return Math.max(...ready.map((ends) => Math.max(...ends)));
}

/** Moves `ready` to the ends of the ranks' last operations. */
function runOperations(
  { stages, microbatches, placement }: Recording,
  { rows }: RecordedStep,
  replica: number,
  ready: Float64Array,
  times: Times,
): boolean {
  // Ends of outputs, then of input gradients.
  const made = new Float64Array(2 * stages * microbatches).fill(Number.NaN);
  const slot = (gradient: boolean, stage: number, microbatch: number): number =>
    ((gradient ? stages : 0) + stage) * microbatches + microbatch;
  const next = new Int32Array(rows.length);
  let moved = true;
  while (moved) {
    moved = false;
    for (const [rank, row] of rows.entries())
      while (next[rank] < row.kind.length) {
        const at = next[rank];
        const [kind, stage, microbatch] = [row.kind[at], row.stage[at], row.microbatch[at]];
        const from = kind === F ? stage - 1 : stage + 1;
        const needs = kind !== W && from >= 0 && from < stages;
        const message = needs ? made[slot(kind !== F, from, microbatch)] : 0;
        if (Number.isNaN(message)) break;
        const flight = needs && placement[from] !== rank ? times.flight(replica, placement[from], rank) : 0;
        ready[rank] = Math.max(ready[rank], message + flight) + times.work(replica, rank, row, at);
        if (kind !== W) made[slot(kind !== F, stage, microbatch)] = ready[rank];
        next[rank] += 1;
        moved = true;
      }
  }
  return rows.every(({ kind }, rank) => next[rank] === kind.length);
}

/** Calls in their order. Ranks that make one together begin it together. */
function runCalls(
  steps: readonly RecordedStep[],
  when: 'before' | 'after',
  ready: readonly Float64Array[],
  times: Times,
): void {
  for (const [index, { name, together }] of (steps[0][when] ?? []).entries()) {
    const members = steps.flatMap((step, replica) => {
      const call = step[when]?.[index];
      if (call?.name !== name) return [];
      return [...call.seconds.keys()]
        .filter((rank) => !Number.isNaN(call.seconds[rank]))
        .map((rank) => ({ replica, rank, call }));
    });
    const groupOf = ({ replica, rank }: { readonly replica: number; readonly rank: number }): string =>
      ({ rank: `${replica} ${rank}`, replicas: `${rank}`, pipeline: `${replica}`, everyone: '' })[together];
    const begin = new Map<string, number>();
    for (const member of members)
      begin.set(groupOf(member), Math.max(begin.get(groupOf(member)) ?? 0, ready[member.replica][member.rank]));
    for (const member of members)
      ready[member.replica][member.rank] =
        (begin.get(groupOf(member)) ?? 0) + times.call(member.replica, member.rank, member.call);
  }
}
