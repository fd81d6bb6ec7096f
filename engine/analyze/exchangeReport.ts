/** The report of a rule of exchange: lanes, tensors, and what devices wait for. */
import type { LaneTimeline, Sent } from '../values/exchangeTimeline.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { ExchangeReport, ExposedReport, LaneReport, TensorReport } from '../values/exchangeReport.ts';
import { exposedTotal, noExposed } from '../simulate/exchange/exposed.ts';
import type { Timeline } from '../values/timeline.ts';

/** Tensors that the report names. */
const namedTensors = 10_000;

/** `least`: an iteration that no order of operations can be under. */
export function exchangeReport(
  plan: PipelinePlan,
  { exchange, timing }: Timeline,
  least: () => number,
): ExchangeReport | undefined {
  const rule = timing.exchange?.rule;
  if (exchange === undefined || rule === undefined) return undefined;
  const { period, steady, lanes, chosen = {} } = exchange;
  const bound = Math.min(period, Math.max(least(), exchange.bound));
  const origin = lanes.reduce((first, lane) => Math.min(first, lane.origin), Infinity);
  return {
    rule: rule.name,
    order: rule.order,
    barrier: rule.barrier,
    ...{ period, steady, bound },
    // Rounding may leave −1e−16.
    gap: bound > 0 ? Math.max(0, (period - bound) / bound) : 0,
    ...chosen,
    lanes: lanes.map((lane) => laneReport(plan, lane)),
    tensors: lanes.flatMap((lane) => tensorReports(plan, lane, origin)).slice(0, namedTensors),
    exposed: exposedReport(plan, exchange.exposed),
  };
}

const legs = ({ sent, back }: LaneTimeline): readonly Sent[] => (back === undefined ? [sent] : [sent, back]);

/** Seconds in which a lane is not idle, in either direction. */
export function laneBusy(lane: LaneTimeline): number {
  const parts = legs(lane)
    .flatMap(({ length, start, end }) => Array.from({ length }, (_, row) => [start[row], end[row]] as const))
    .sort((a, b) => a[0] - b[0]);
  let [busy, until] = [0, -Infinity];
  for (const [from, to] of parts) {
    busy += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return busy;
}

function laneReport(plan: PipelinePlan, lane: LaneTimeline): LaneReport {
  const { name, stages, calls, tensors } = lane.plan;
  const used = new Set(lane.buckets.call);
  let [count, overhead] = [0, 0];
  for (const leg of legs(lane))
    for (let row = 0; row < leg.length; row += 1) {
      count += leg.count[row];
      overhead += leg.count[row] * leg.overhead[row];
    }
  return {
    name,
    stages: stages.map((stage) => plan.stages[stage].name),
    collectives: [...new Set(calls.flatMap((call, index) => (used.has(index) ? [call.name] : [])))],
    bytes: tensors.reduce((sum, { bytes }) => sum + bytes, 0),
    buckets: lane.buckets.ready.length,
    busy: laneBusy(lane),
    calls: count,
    overhead,
  };
}

function tensorReports(plan: PipelinePlan, lane: LaneTimeline, origin: number): readonly TensorReport[] {
  const { buckets, sent, ready, arrival, needed } = lane;
  const bucketOf = new Int32Array(ready.length).fill(-1);
  buckets.ready.forEach((_, bucket) => {
    for (let at = buckets.offsets[bucket]; at < buckets.offsets[bucket + 1]; at += 1)
      bucketOf[buckets.members[at]] = bucket;
  });
  const begun = new Float64Array(buckets.ready.length).fill(Infinity);
  const pieces = new Int32Array(buckets.ready.length);
  for (let row = 0; row < sent.length; row += 1) {
    begun[sent.bucket[row]] = Math.min(begun[sent.bucket[row]], sent.start[row]);
    pieces[sent.bucket[row]] += sent.count[row];
  }
  return lane.plan.tensors.flatMap(({ layer, stage, bytes, call }, tensor) => {
    const bucket = bucketOf[tensor];
    if (bucket < 0) return [];
    const { name: by } = lane.plan.calls[call];
    return {
      ...{ layer, stage: plan.stages[stage].name, bytes, by },
      ready: ready[tensor] - origin,
      sent: begun[bucket] - origin,
      arrived: arrival[tensor] - origin,
      needed: needed[tensor] - origin,
      slack: needed[tensor] - arrival[tensor],
      pieces: pieces[bucket],
    };
  });
}

/** Of the device that waits longest. */
function exposedReport(plan: PipelinePlan, exposed: readonly ReturnType<typeof noExposed>[]): ExposedReport {
  const worst = exposed.reduce(
    (most, each, device) => (exposedTotal(each) > exposedTotal(exposed[most]) ? device : most),
    0,
  );
  const { own, blocked, overhead, credit, fused, barrier, server, shared } = exposed[worst] ?? noExposed();
  return {
    device: plan.devices[worst].name,
    total: exposedTotal(exposed[worst] ?? noExposed()),
    ...{ own, blocked, overhead, credit, fused, barrier, server },
    ...(shared > 0 ? { shared } : {}),
  };
}
