/** A lane during one iteration: from the times at which gradients are ready to the times at which layers may use them. */
import type { Buckets, Sent } from '../../values/exchangeTimeline.ts';
import type { ExchangeOrder, ExchangeRule, LaneCall } from '../../values/exchangePlan.ts';
import { arrivals } from './arrivals.ts';
import { bucketsByCycle, bucketsOf, type LaneTensor } from './buckets.ts';
import { type Handing, type Items, momentOf, ranksBy } from './items.ts';
import { gathersOf, pullsOf } from './returns.ts';
import { send } from './send.ts';
import { type Pulls, sendBothWays } from './sendBothWays.ts';
import { sendCutting } from './sendCutting.ts';
import { allThere, SentColumns } from './sent.ts';

/** A rule without `best`. Buckets are a separate column. */
export interface SettledRule extends Pick<
  ExchangeRule,
  'order' | 'cycle' | 'fuse' | 'strict' | 'ack' | 'earlyStart' | 'halves'
> {
  readonly partition: 'whole' | number | 'at_preemption';
  readonly credit: 'unlimited' | 'piece' | number;
}

export interface LaneProblem {
  /** From the front layer to the last. */
  readonly tensors: readonly LaneTensor[];
  readonly calls: readonly LaneCall[];
  readonly rule: SettledRule;
  /** By tensor: 1 where a bucket closes with it. Without meaning where buckets close by `cycle`. */
  readonly closes: Uint8Array;
  /** By tensor, seconds: when its gradients are ready. */
  readonly ready: Float64Array;
  /** By tensor, seconds: the longest path from the first forward that needs it to the end of its iteration. */
  readonly tail: Float64Array;
  /** Seconds: start of the first last-backward, from which cycles count. */
  readonly origin: number;
  /** By tensor, its place in the order of `tio` or `tao`. */
  readonly pulls?: Int32Array;
}

export interface LaneRun {
  readonly buckets: Buckets;
  /** Collectives, reduce-scatters or pushes. */
  readonly sent: Sent;
  /** All-gathers or pulls. */
  readonly back?: Sent;
  /** By tensor, seconds: when layers may use it. A tensor without bytes is there when it is ready. */
  readonly arrival: Float64Array;
}

export function runLane(problem: LaneProblem): LaneRun {
  const buckets = bucketsIn(problem);
  const legs = buckets.ready.length === 0 ? { sent: new SentColumns(0) } : legsOf(sendingOf(problem, buckets), buckets);
  return laneRun(problem, buckets, legs);
}

/** A lane of which is known what it sent. */
export const laneRun = (
  { tensors, rule, ready, calls }: LaneProblem,
  buckets: Buckets,
  legs: Pick<LaneRun, 'sent' | 'back'>,
): LaneRun => ({
  buckets,
  ...legs,
  arrival: arrivals(ready, tensors, buckets, rule.earlyStart, legs, delaysOf(calls)),
});

export const bucketsIn = ({ tensors, rule, ready, closes, origin }: LaneProblem): Buckets =>
  rule.cycle === undefined
    ? bucketsOf(tensors, ready, closes)
    : bucketsByCycle(tensors, ready, rule.cycle, rule.fuse ?? Infinity, origin);

/** How a lane sends its buckets. */
export interface Sending {
  readonly items: Items;
  readonly handing: Handing;
  /** Seconds within which two events are one moment. */
  readonly moment: number;
  /** An item is cut when one of a lesser rank gets ready. */
  readonly isCut: boolean;
  /** Only if something comes back. */
  readonly back?: Returning;
}

/** By call, seconds after which what has left the lane is there. */
export const delaysOf = (calls: readonly LaneCall[]): Float64Array =>
  Float64Array.from(calls, ({ delay = 0 }) => delay);

export interface Returning extends Pulls {
  /** Gathers follow all scatters. Pulls follow the push of their piece, on the same lane or on a second one. */
  readonly kind: 'gathers' | 'pulls' | 'pullsOnLane';
}

export function sendingOf({ calls, rule, tail, pulls }: LaneProblem, buckets: Buckets): Sending {
  // Servers are pushed to before anything is pulled.
  const apart = rule.halves === 'apart';
  const backs = calls.map(({ halves, pull }) => (apart ? (halves?.gather ?? pull) : pull));
  const returns = buckets.call.some((call) => backs[call] !== undefined);
  const pulled = returns && !apart;
  const onLane = pulled && calls.some(({ oneLane }) => oneLane);
  // TicTac orders pulls, and pushes go as they get ready.
  const afterAll = pulled && (rule.order === 'tio' || rule.order === 'tao');
  const rank = ranksBy(urgency(rule.order, buckets, tail, pulls));
  const isCutting = rule.partition === 'at_preemption';
  const items: Items = {
    ...buckets,
    rank: afterAll ? Int32Array.from(rank, (_, bucket) => bucket) : rank,
    costs: calls.map(({ push, halves }) => (apart && halves !== undefined ? halves.scatter : push)),
  };
  const kind = !pulled ? 'gathers' : onLane ? 'pullsOnLane' : 'pulls';
  return {
    items,
    handing: {
      piece: typeof rule.partition === 'number' ? rule.partition : Infinity,
      credit: isCutting ? 'piece' : rule.credit === 'unlimited' ? Infinity : rule.credit,
      strict: rule.strict,
      ack: rule.ack,
    },
    moment: momentOf(items),
    isCut: isCutting && !onLane,
    ...(returns ? { back: { kind, costs: backs, rank, afterAll, delays: delaysOf(calls) } } : {}),
  };
}

function legsOf(sending: Sending, { front }: Buckets): Pick<LaneRun, 'sent' | 'back'> {
  const { items, handing, moment, isCut, back } = sending;
  if (back?.kind === 'pullsOnLane') return sendBothWays(items, handing, back, moment);
  const sent = isCut ? sendCutting(items, moment) : send(items, handing, moment, back?.kind === 'pulls');
  if (back === undefined) return { sent };
  return back.kind === 'pulls'
    ? { sent, back: send(pullsOf(items, back, sent), oneAtATime, moment) }
    : {
        sent,
        back: send(gathersOf(items, back.costs, front, allThere(sent, items.call, back.delays)), handing, moment),
      };
}

const oneAtATime: Handing = { piece: Infinity, credit: 'piece', strict: false, ack: 0 };

/** The less, the sooner a bucket goes; of equal ones the older. */
function urgency(
  order: ExchangeOrder,
  { offsets, members, front }: Buckets,
  tail: Float64Array,
  pulls: Int32Array | undefined,
): Float64Array {
  if (order === 'ready') return new Float64Array(front.length);
  if (order === 'forward') return Float64Array.from(front);
  return Float64Array.from(front, (_, bucket) => {
    let least = Infinity;
    for (let at = offsets[bucket]; at < offsets[bucket + 1]; at += 1)
      least = Math.min(least, order === 'tail' ? -tail[members[at]] : (pulls?.[members[at]] ?? 0));
    return least;
  });
}
