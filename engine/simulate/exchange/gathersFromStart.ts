import { callOverhead, callSeconds } from '../../basics/callCost.ts';
import type { TimedCall } from '../../values/exchangePlan.ts';
import type { ExchangeTiming } from '../../values/exchangeTimeline.ts';
import type { Timeline } from '../../values/timeline.ts';
import { runFromStart } from '../sharing/fromStart.ts';
import { bucketsIn, type LaneRun } from './lane.ts';
import { laneProblems, type LaneSettings } from './laneProblems.ts';
import { SentColumns } from './sent.ts';

/** Updated weights that come back from the start of an iteration on: bucket after bucket, the front layer first. */
export function gathersFromStart(exchange: ExchangeTiming, base: Timeline, settings: LaneSettings): readonly LaneRun[] {
  const problems = laneProblems(base, exchange, settings);
  const gathers = problems.map((problem) => {
    const buckets = bucketsIn(problem);
    const order = Array.from(buckets.front, (_, bucket) => bucket).sort((a, b) => buckets.front[a] - buckets.front[b]);
    const calls = order.map((bucket): TimedCall => {
      const { halves, links } = problem.calls[buckets.call[bucket]];
      const bytes = buckets.bytes[bucket];
      if (halves === undefined) return { seconds: 0, overhead: 0, passes: [] };
      const { gather } = halves;
      const [seconds, overhead] = [callSeconds(gather, bytes), callOverhead(gather, bytes)];
      return { seconds, overhead, passes: links?.gather ?? [] };
    });
    return { buckets, order, calls };
  });
  const shared =
    exchange.links === undefined
      ? undefined
      : runFromStart(
          exchange.links,
          gathers.map(({ calls }) => calls),
        );
  return gathers.map(({ buckets, order, calls }, lane) => {
    const arrival = new Float64Array(problems[lane].tensors.length);
    const sent = new SentColumns(buckets.front.length);
    const slowed = shared?.[lane].slowed;
    const isSent = (bucket: number): boolean => problems[lane].calls[buckets.call[bucket]].halves !== undefined;
    let now = 0;
    for (const [place, bucket] of order.entries()) {
      const { seconds, overhead } = calls[place];
      const end = shared?.[lane].ends[place] ?? now + seconds;
      if (isSent(bucket)) sent.add(bucket, 1, buckets.bytes[bucket], overhead, now, end);
      now = end;
      for (let at = buckets.offsets[bucket]; at < buckets.offsets[bucket + 1]; at += 1)
        arrival[buckets.members[at]] = now;
    }
    if (slowed === undefined) return { buckets, sent, arrival };
    const kept = slowed.filter((_, place) => isSent(order[place]));
    return { buckets, sent: Object.assign(sent, { shared: Float64Array.from(kept) }), arrival };
  });
}
