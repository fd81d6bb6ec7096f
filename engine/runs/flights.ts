/**
 * How long messages take from sending to arriving, by pair of ranks. Only a message that a rank already waited for tells it: of others
 * nobody knows when the rank looked.
 */
import { time } from '../basics/quantities.ts';
import type { Recording, RecordedStep } from '../values/recording.ts';
import { messagesOf } from './clocks.ts';
import { median } from './statistics.ts';

/** Seconds of messages from one rank of the pipeline to another, ascending. */
export interface PairFlights {
  readonly from: number;
  readonly to: number;
  readonly seconds: readonly number[];
}

export interface Flight {
  readonly count: number;
  readonly median: number;
}

export interface LinkFlight extends Flight {
  readonly from: number;
  readonly to: number;
}

export interface Flights {
  /** From a rank to another; with a count of 0, the median of all pairs that are not slow, since these have too few messages. */
  readonly of: (from: number, to: number) => Flight;
  /** Pairs whose messages take much longer than others. */
  readonly slow: readonly LinkFlight[];
  /** All pairs that are not slow, together. */
  readonly others: Flight;
}

/** Fewer messages have no median. */
const leastMessages = 3;
/** What the slow messages of a step must take longer, as a share of the iteration: less is not worth a word. */
const leastShare = 0.01;

export function pairFlights(recording: Recording, steps: readonly RecordedStep[]): readonly PairFlights[] {
  const pairs = new Map<number, { readonly from: number; readonly to: number; readonly seconds: number[] }>();
  for (const step of steps)
    for (const { from, to, waited, posted, arrived } of messagesOf(recording, step)) {
      if (!waited) continue;
      const key = from * recording.ranks.length + to;
      const pair = pairs.get(key) ?? { from, to, seconds: [] };
      pairs.set(key, pair);
      pair.seconds.push(arrived - posted);
    }
  return [...pairs.values()].map((pair) => ({ ...pair, seconds: pair.seconds.toSorted((a, b) => a - b) }));
}

export const flightOf = (pairs: readonly PairFlights[]): Flight => {
  const all = pairs.flatMap(({ seconds }) => seconds);
  return { count: all.length, median: median(all) };
};

interface MeasuredFlights {
  readonly flights: readonly PairFlights[];
  readonly iteration: number;
  readonly steps: readonly RecordedStep[];
}

/**
 * `planned`: seconds that a message between two ranks takes in the plan. A link that is slow there is not slow for being so: links are
 * compared by what their messages take beyond the plan.
 */
export function flightsIn(
  { flights, iteration, steps }: MeasuredFlights,
  planned: (from: number, to: number) => number,
): Flights {
  const known = flights
    .filter(({ seconds }) => seconds.length >= leastMessages)
    .map((pair) => ({ pair, beyond: pair.seconds.map((one) => one - planned(pair.from, pair.to)) }))
    .toSorted((a, b) => median(a.beyond) - median(b.beyond));
  const first = known.findIndex((one, at) => {
    if (at === 0) return false;
    const faster = known.slice(0, at);
    const usual = faster.flatMap(({ beyond }) => beyond).toSorted((a, b) => a - b);
    const more = median(one.beyond) - median(usual);
    return (
      // The middle halves of the two lie apart.
      median(one.beyond.slice(0, Math.ceil(one.beyond.length / 2))) >
        median(usual.slice(Math.floor(usual.length / 2))) &&
      more > flightOf(faster.map(({ pair }) => pair)).median &&
      more * one.beyond.length > leastShare * iteration * steps.length
    );
  });
  // Most links are as links are.
  const slow = first < 0 || known.length - first > first ? [] : known.slice(first).map(({ pair }) => pair);
  const others = flightOf(flights.filter((pair) => !slow.includes(pair)));
  const own = new Map(known.map(({ pair }) => [`${pair.from} ${pair.to}`, flightOf([pair])]));
  return {
    of: (from, to) => own.get(`${from} ${to}`) ?? { count: 0, median: others.median },
    slow: slow
      .map((pair) => ({ from: pair.from, to: pair.to, ...flightOf([pair]) }))
      .toSorted((a, b) => a.from - b.from || a.to - b.to),
    others,
  };
}

/** `messages from gpu[1] to gpu[2]: 20.3 ms, others 0.4 ms`. */
export const slowLinkWords = (
  { from, to, median }: LinkFlight,
  others: Flight,
  nameOf: (rank: number) => string,
): string => `messages from ${nameOf(from)} to ${nameOf(to)}: ${time(median)}, others ${time(others.median)}`;
