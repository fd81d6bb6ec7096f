import type { LaneTimeline, Sent } from '../../engine/values/exchangeTimeline.ts';
import type { Timeline } from '../../engine/values/timeline.ts';
import type { Lane, Lanes, Leg } from '../picture/lanes.ts';

/** Lanes of a timeline as the page shows them; undefined where no rule orders an exchange. O(pieces). */
export function lanesOf({
  exchange,
  timing,
  program,
}: Pick<Timeline, 'exchange' | 'timing' | 'program'>): Lanes | undefined {
  const rule = timing.exchange?.rule;
  if (exchange === undefined || rule === undefined) return undefined;
  const ofDevice = new Int32Array(program.devices).fill(-1);
  exchange.lanes.forEach(({ plan }, lane) => {
    for (const device of plan.devices) ofDevice[device] = lane;
  });
  const apart = rule.halves === 'apart';
  const all = exchange.lanes.map((lane) => laneOf(lane, apart));
  return {
    rule: rule.name,
    // Periods that differ say nothing of the iteration before.
    repeats: !rule.barrier && exchange.steady,
    period: exchange.period,
    all,
    ofDevice,
    legs: all.reduce((most, { legs }) => Math.max(most, legs.length), 0),
  };
}

function laneOf({ plan, buckets, sent, back, ready, arrival, needed }: LaneTimeline, apart: boolean): Lane {
  const servers = plan.calls.some(({ pull }) => pull !== undefined);
  const [there, again] = servers ? ['push', 'pull'] : apart ? ['scatter', 'gather'] : ['send', 'return'];
  return {
    name: plan.name,
    tensors: plan.tensors.map(({ layer, stage, bytes, before }) => ({ layer, stage, bytes, before })),
    buckets: {
      offsets: buckets.offsets.slice(),
      members: buckets.members.slice(),
      ready: buckets.ready.slice(),
      bytes: buckets.bytes.slice(),
      front: buckets.front.slice(),
      call: Array.from(buckets.call, (call) => plan.calls[call].name),
    },
    legs: [legOf(there, sent), ...(back === undefined ? [] : [legOf(again, back)])],
    ready: ready.slice(),
    arrival: arrival.slice(),
    needed: needed.slice(),
  };
}

/** Columns of a run may be longer than what they hold. */
const legOf = (name: string, { length, bucket, count, bytes, overhead, start, end, shared }: Sent): Leg => ({
  name,
  bucket: bucket.slice(0, length),
  count: count.slice(0, length),
  bytes: bytes.slice(0, length),
  overhead: overhead.slice(0, length),
  start: start.slice(0, length),
  end: end.slice(0, length),
  ...(shared === undefined ? {} : { shared: shared.slice(0, length) }),
});
