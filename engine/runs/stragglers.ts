/**
 * What slow operations cost. "Understanding Stragglers in Large Model Training Using What-if Analysis" (OSDI 2025) defines it: steps run
 * again with ideal times for all operations, or for all but some.
 *
 * S is the time with own times over the time with ideal ones. S_t keeps the own times of one kind t, S_w of one worker w. M_S is the
 * share of the loss that goes away if the last stage alone becomes ideal. It is over 1 if others then wait less than in the ideal job.
 */
import type { Recording } from '../values/recording.ts';
import { idealCalls } from './idealCalls.ts';
import { withoutFirst } from './iteration.ts';
import { kindName, kindsPresent } from './kinds.ts';
import { replay, type Times } from './replay.ts';
import { mean } from './statistics.ts';

export interface Stragglers {
  /** Mean seconds of a step with own times, and with ideal ones. */
  readonly own: number;
  readonly ideal: number;
  readonly slowdown: number;
  /** By kind of operation or name of a call, the largest first. */
  readonly kinds: readonly { readonly name: string; readonly slowdown: number }[];
  /** By rank of the pipeline, over all replicas. */
  readonly ranks: readonly number[];
  /** By replica; empty for a single one. */
  readonly replicas: readonly number[];
  /** Of the rank that has the last stage. */
  readonly lastStage: number;
}

type Keep = (name: string, replica: number, rank: number) => boolean;

/** `idealOf`: seconds that an operation should take. Only steps of all replicas are used. */
export function stragglersOf(
  recordings: readonly Recording[],
  skip: number,
  flight: Times['flight'],
  idealOf: (kind: number, stage: number) => number,
): Stragglers {
  const replicas = commonSteps(recordings);
  const [first] = replicas;
  const indexes = withoutFirst([...first.steps.keys()], skip);
  const calls = idealCalls(replicas, indexes);
  const under = (keep: Keep): number => {
    const times: Times = {
      flight,
      work: (replica, rank, row, at) =>
        keep(kindName(row, at), replica, rank) && !Number.isNaN(row.work[at])
          ? row.work[at]
          : idealOf(row.kind[at], row.stage[at]),
      call: (replica, rank, call) =>
        keep(call.name, replica, rank) ? call.seconds[rank] : (calls.get(call.name) ?? call.seconds[rank]),
    };
    return mean(indexes.map((index) => replay(replicas, index, times)));
  };
  const own = under(() => true);
  const ideal = under(() => false);
  const last = first.placement[first.stages - 1];
  const names = [...kindsPresent(first), ...calls.keys()];
  return {
    own,
    ideal,
    slowdown: own / ideal,
    kinds: names
      .map((name) => ({ name, slowdown: under((kept) => kept === name) / ideal }))
      .toSorted((a, b) => b.slowdown - a.slowdown),
    ranks: first.ranks.map((_, rank) => under((_name, _replica, kept) => kept === rank) / ideal),
    replicas:
      replicas.length === 1 ? [] : replicas.map((_, replica) => under((_name, kept) => kept === replica) / ideal),
    lastStage: (own - under((_name, _replica, rank) => rank !== last)) / (own - ideal),
  };
}

/** Replicas with the steps that all of them have. */
function commonSteps(replicas: readonly Recording[]): readonly Recording[] {
  const numbers = replicas.map(({ steps }) => new Set(steps.map(({ number }) => number)));
  return replicas.map((replica) => ({
    ...replica,
    steps: replica.steps.filter(({ number }) => numbers.every((all) => all.has(number))),
  }));
}
