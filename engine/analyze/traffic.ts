/** What the ranks of devices and stages exchange in one iteration, apart from the transfers between stages. */
import { microbatchesOf, microbatchOf, type Program, rowOf } from '../values/program.ts';
import { scaleTraffic } from '../costs/collectives.ts';
import type { PipelinePlan, TrafficName, TrafficPlan } from '../values/plan.ts';
import { type Timeline, arrivalAt, endAt, startAt, stepAt } from '../values/timeline.ts';
import { slotFirst } from './binding.ts';
import { exposedTotal } from '../simulate/exchange/exposed.ts';
import { laneBusy } from './exchangeReport.ts';
import { updatesPerMinibatch } from './steady.ts';
import type { PipelineReport, StageReport, TrafficReport } from '../values/report.ts';

/** Gradients and updated weights of a device, in one iteration. In an asynchronous schedule all of it is exposed: the updates contain it. */
export function syncTraffic(plan: PipelinePlan, timeline: Timeline, device: number): TrafficReport {
  const { sync, bytes = 0, overlap = [], outer } = plan.step[device];
  const inBuckets = overlap.reduce(
    (sum, { buckets }) => buckets.reduce((all, { seconds, gather }) => all + seconds + (gather?.seconds ?? 0), sum),
    0,
  );
  const ordered = laneTraffic(plan, timeline, device);
  if (ordered !== undefined)
    return { bytes: bytes + ordered.bytes, time: sync + ordered.time, exposed: sync + ordered.exposed };
  const shared = outer === undefined ? 0 : outer.seconds / outer.every;
  const time = sync + inBuckets + shared + (timeline.slowed?.[device] ?? 0);
  if (timeline.program.weights !== undefined) {
    if (bytes + time === 0) return { bytes: 0, time: 0, exposed: 0 };
    const updates = updatesPerMinibatch(timeline.program, device);
    return { bytes: updates * bytes, time: updates * time, exposed: updates * time };
  }
  return { bytes, time, exposed: timeline.exchanged[device] - stepAt(timeline, device) + gatherWait(timeline, device) };
}

/** What a device exchanges on the lanes of a rule; the waits of forwards for it are exposed. */
function laneTraffic(plan: PipelinePlan, { exchange }: Timeline, device: number): TrafficReport | undefined {
  const lanes = exchange?.lanes.filter((lane) => lane.plan.devices.includes(device)) ?? [];
  if (exchange === undefined || lanes.length === 0) return undefined;
  const own = (stage: number): boolean => {
    const cut = plan.stages[stage].copy?.stage ?? stage;
    return plan.stages.some(({ copy }, index) => (copy?.stage ?? index) === cut && plan.placement[index] === device);
  };
  const bytes = lanes.reduce(
    (sum, { plan: { tensors, calls } }) =>
      tensors.reduce((all, each) => all + (own(each.stage) ? each.bytes * (calls[each.call].sends ?? 0) : 0), sum),
    0,
  );
  return {
    bytes,
    time: lanes.reduce((sum, lane) => sum + laneBusy(lane), 0),
    exposed: exposedTotal(exchange.exposed[device]),
  };
}

/** Seconds that a device waits for nothing but weights that are being gathered. */
function gatherWait(timeline: Timeline, device: number): number {
  const { program, timing } = timeline;
  if (timing.release === undefined) return 0;
  const { order, offsets, stages } = program;
  const seen = new Set<number>();
  let waited = 0;
  for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
    const row = rowOf(program, order[at]);
    if (row >= stages || seen.has(row) || slotFirst(timeline, at) !== at) continue;
    seen.add(row);
    if (timing.release[row] === 0) continue;
    let ready = at === offsets[device] ? 0 : endAt(timeline, at - 1);
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1)
      ready = Math.max(ready, arrivalAt(timeline, need, microbatchOf(program, order[at])) || 0);
    waited += Math.max(0, Math.min(timing.release[row], startAt(timeline, at)) - ready);
  }
  return waited;
}

/** Of one stage, for the microbatches that it runs in one iteration; undefined where it has none. */
export function stageTraffic(plan: PipelinePlan, program: Program, index: number): StageReport['traffic'] {
  const { traffic } = plan.stages[index];
  if (traffic === undefined) return undefined;
  const all = scaleTraffic(traffic, microbatchesOf(program, index) / plan.iterations);
  const found: { -readonly [Name in TrafficName]?: TrafficReport } = {};
  for (const [name, { bytes, time, exposed }] of Object.entries(all) as [TrafficName, TrafficPlan][])
    found[name] = { bytes, time, exposed };
  return found;
}

const trafficNames: readonly TrafficName[] = ['tensor', 'context', 'expert', 'weights'];
export type GroupKind = TrafficName | 'sync';
/** What each group exchanges, as people read it. */
export const groupWords: Readonly<Record<GroupKind, string>> = {
  tensor: 'tensor ranks',
  context: 'context ranks',
  expert: 'expert ranks',
  weights: 'sharded weights',
  sync: 'gradients',
};

/** The same for any communication: transfers between stages, too. */
export const communicationWords = { links: 'transfers', ...groupWords } as const;

/** The sums of each kind over the stages of each device, those that anything moves for. */
export function trafficByDevice({ devices, stages }: Pick<PipelineReport, 'devices' | 'stages'>): readonly {
  readonly kind: GroupKind;
  readonly devices: readonly TrafficReport[];
}[] {
  const byName = new Map(stages.map((stage) => [stage.name, stage]));
  const none: TrafficReport = { bytes: 0, time: 0, exposed: 0 };
  const add = (a: TrafficReport, b: TrafficReport = none) => ({
    bytes: a.bytes + b.bytes,
    time: a.time + b.time,
    exposed: a.exposed + b.exposed,
  });
  const groups = trafficNames.map((kind) => ({
    kind,
    devices: devices.map((device) =>
      device.stages.reduce((sum, name) => add(sum, byName.get(name)?.traffic?.[kind]), none),
    ),
  }));
  return [...groups, { kind: 'sync' as const, devices: devices.map(({ sync }) => sync) }].filter((candidate) =>
    candidate.devices.some(({ bytes, time }) => bytes > 0 || time > 0),
  );
}
