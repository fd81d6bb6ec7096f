/** Steps of a rank: what its files hold, by the profiler's steps. */
import { countBelow } from '../../basics/column.ts';
import { operationsOf } from './operations.ts';
import type { Operation } from './operation.ts';
import type { ComputeSlice, RankTrace } from './rankTrace.ts';
import { messagesOf } from './waits.ts';

export interface RankStep {
  readonly number: number;
  readonly trace: RankTrace;
  readonly operations: readonly Operation[];
  /** Microseconds of the optimizer's step; NaN where unknown. */
  readonly optimizer: number;
}

/** Steps of all files of a rank, the earliest first. Steps that count anew in a later file are numbered on. */
export function stepsOf(files: readonly RankTrace[]): readonly RankStep[] {
  const steps = files
    .toSorted((a, b) => Number(a.base - b.base) + (a.computing[0].from - b.computing[0].from) * 1e3)
    .flatMap(stepsInFile);
  const ascending = steps.every((step, at) => at === 0 || step.number > steps[at - 1].number);
  return ascending ? steps : steps.map((step, number) => ({ ...step, number }));
}

function stepsInFile(trace: RankTrace): readonly RankStep[] {
  const messages = messagesOf(trace);
  return bounds(trace)
    .map(({ number, slices, from, to }): RankStep => ({
      number,
      trace,
      operations: operationsOf(trace, messages, slices),
      optimizer: optimizerWithin(trace, from, to),
    }))
    .filter(({ operations }) => operations.length > 0);
}

interface Bounds {
  readonly number: number;
  readonly slices: readonly ComputeSlice[];
  readonly from: number;
  readonly to: number;
}

/** A slice is of the step in which it starts. Without the profiler's steps, one begins where an operation runs again. */
function bounds({ steps, computing }: RankTrace): readonly Bounds[] {
  const starts = Float64Array.from(computing, ({ from }) => from);
  const between = (from: number, to: number): readonly ComputeSlice[] =>
    computing.slice(countBelow(starts, from), countBelow(starts, to));
  if (steps.length > 0) return steps.map(({ number, from, to }) => ({ number, slices: between(from, to), from, to }));
  const begins = repeats(computing);
  return begins.map((begin, number) => {
    const from = computing[begin].from;
    const to = number + 1 < begins.length ? computing[begins[number + 1]].from : Number.POSITIVE_INFINITY;
    return { number, slices: between(from, to), from: number === 0 ? Number.NEGATIVE_INFINITY : from, to };
  });
}

/** Positions at which steps begin, if no operation runs twice in a step. */
function repeats(computing: readonly ComputeSlice[]): readonly number[] {
  const begins = [0];
  let seen = new Set<string>();
  for (const [at, { actions }] of computing.entries()) {
    const names = actions.map(({ stage, type, microbatch }) => `${stage}${type}${microbatch}`);
    if (names.some((name) => seen.has(name))) {
      begins.push(at);
      seen = new Set();
    }
    for (const name of names) seen.add(name);
  }
  return begins;
}

function optimizerWithin({ optimizer }: RankTrace, from: number, to: number): number {
  let sum = 0;
  const first = countBelow(optimizer.from, from);
  const after = countBelow(optimizer.from, to);
  for (let at = first; at < after; at += 1) sum += optimizer.to[at] - optimizer.from[at];
  return after > first ? sum : Number.NaN;
}
