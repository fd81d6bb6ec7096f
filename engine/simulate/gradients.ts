/** Exchanges of gradients during the last backwards. */
import type { TensorMaker } from '../values/exchangeTimeline.ts';
import type { TimedCall } from '../values/exchangePlan.ts';
import type { BucketPlan, PipelinePlan, StepPlan } from '../values/plan.ts';
import { exchangeTail } from '../order/exchangeTail.ts';
import { B, F, kindOf, kindOfRow, type Program, rowOf, W } from '../values/program.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import { runFromStart } from './sharing/fromStart.ts';
import { sharedStepEnds } from './sharing/steps.ts';
import { type GradientBucket, type Timeline, type Timing, endAt, startAt, stepAt } from '../values/timeline.ts';

/** Buckets of all stages; copies of a stage share theirs. Empty where nothing overlaps. */
export function gradientBuckets(plan: PipelinePlan, program: Program): readonly GradientBucket[] {
  const found = new Map<string, Omit<GradientBucket, 'members'> & { readonly members: TensorMaker[] }>();
  plan.step.forEach(({ overlap = [] }, device) => {
    for (const { stage, buckets } of overlap) {
      buckets.forEach(({ seconds, left, calls }, index) => {
        const key = `${cutStage(plan, stage)} ${index}`;
        const bucket = found.get(key) ?? { seconds, ...(calls === undefined ? {} : { calls }), members: [] };
        found.set(key, bucket);
        bucket.members.push(makerOf(plan, program, device, stage, left));
      });
    }
  });
  return [...found.values()];
}

/** Shares of the last operations of a stage that remain when gradients are ready; `left` is by part of the backward. */
export function makerOf(
  plan: PipelinePlan,
  { apart }: Program,
  device: number,
  stage: number,
  left: BucketPlan['left'],
): TensorMaker {
  const { recompute, backwardInput, backwardWeight } = plan.stages[stage];
  const again = apart?.[stage] === 1 ? 0 : recompute;
  const whole = again + backwardInput + backwardWeight;
  const remaining = left.recompute * again + left.input * backwardInput + left.weight * backwardWeight;
  return { device, stage, whole: whole > 0 ? remaining / whole : 0, weight: left.weight };
}

/**
 * When the forwards of each stage may start, by row (`rows` of them), so that none of its layers runs before its weights are
 * there. A device gathers from 0 on, bucket after bucket, in the order in which its forwards need them. An operation may have to
 * wait for a layer within it. Its end is the same as if it started later by that time. Undefined if nothing is gathered.
 */
export function releases(plan: PipelinePlan, rows: number): Float64Array | undefined {
  if (
    plan.step.every(({ overlap = [] }) =>
      overlap.every(({ buckets }) => buckets.every(({ gather }) => gather === undefined)),
    )
  )
    return undefined;
  const release = new Float64Array(rows);
  const firstRow = F * plan.stages.length;
  const gathers = plan.step.map((step) => gathersOf(plan, step));
  const shared = sharedGathers(plan, gathers);
  gathers.forEach((waits, device) => {
    let gathered = 0;
    for (const [at, { stage, seconds, before }] of waits.entries()) {
      gathered = shared?.[device][at] ?? gathered + seconds;
      for (const index of stagesOn(plan.placement, device)) {
        if (cutStage(plan, index) !== cutStage(plan, stage)) continue;
        const { forward } = plan.stages[index];
        release[firstRow + index] = Math.max(release[firstRow + index], gathered - before * forward);
      }
    }
  });
  return release;
}

type StageGather = NonNullable<BucketPlan['gather']> & { readonly stage: number };

/** In the order in which forwards need them. Backwards reach the last layers first, forwards the first. */
const gathersOf = (plan: PipelinePlan, { overlap = [] }: StepPlan): readonly StageGather[] =>
  overlap
    .toSorted((a, b) => cutStage(plan, a.stage) - cutStage(plan, b.stage))
    .flatMap(({ stage, buckets }) =>
      buckets.toReversed().flatMap(({ gather }) => (gather === undefined ? [] : [{ ...gather, stage }])),
    );

/** By device, ends of its gathers where devices slow each other down. */
function sharedGathers(
  { linkSharing }: PipelinePlan,
  gathers: readonly (readonly StageGather[])[],
): readonly (readonly number[])[] | undefined {
  if (linkSharing === undefined) return undefined;
  const callsOf = ({ seconds, calls }: StageGather): readonly TimedCall[] =>
    calls ?? [{ seconds, overhead: 0, passes: [] }];
  const rates = Float64Array.from(linkSharing.links, ({ bandwidth }) => bandwidth);
  const times = runFromStart(
    rates,
    gathers.map((waits) => waits.flatMap(callsOf)),
  );
  return times?.map(({ ends }, device) => {
    let last = -1;
    return gathers[device].map((wait) => ends[(last += callsOf(wait).length)]);
  });
}

/** By device, the least device that holds a copy of one of its stages, or of one of theirs; undefined where each has its own. */
export function holdersOf({ stages, placement, devices }: PipelinePlan): Int32Array | undefined {
  if (stages.every(({ copy }) => copy === undefined)) return undefined;
  const leader = Int32Array.from(devices, (_, device) => device);
  const of = new Map<number, number>();
  stages.forEach((stage, index) => {
    const cut = stage.copy?.stage ?? index;
    const first = leader[placement[index]];
    const other = leader[of.get(cut) ?? placement[index]];
    of.set(cut, placement[index]);
    const least = Math.min(first, other);
    leader.forEach((now, device) => {
      if (now === first || now === other) leader[device] = least;
    });
  });
  return leader.every((value, device) => value === device) ? undefined : leader;
}

/**
 * When each device has exchanged its gradients, seconds. After its last operation and its buckets, it exchanges what is in no
 * bucket. This begins when all devices that hold copies of its stages are ready too. Exchanges that share links slow each other down.
 */
export function exchangedAt(
  timeline: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts' | 'blocking' | 'last'>,
): Pick<Timeline, 'exchanged' | 'slowed'> & {
  /** End of each bucket, as `timing.buckets`. */
  readonly bucketEnd?: Float64Array;
} {
  const { timing, last } = timeline;
  const ready = last.map((_, device) => stepAt(timeline, device));
  if (timing.sharing !== undefined) {
    const { links, sync } = timing.sharing;
    const buckets = readyBuckets(timeline, timing.buckets ?? []).map((bucket) => ({
      ...{ index: bucket.index, ready: bucket.ready },
      calls: bucket.calls ?? [{ seconds: bucket.seconds, overhead: 0, passes: [] }],
      devices: bucket.members.map(({ device }) => device),
    }));
    const ends = sharedStepEnds({ links, buckets, ready, sync, holders: timing.holders });
    if (ends !== undefined) return ends;
  }
  if (timing.buckets === undefined) return { exchanged: syncedAfter(ready, timing) };
  const { free, bucketEnd } = bucketEnds(timeline, timing.buckets);
  free.forEach((end, device) => {
    ready[device] = Math.max(ready[device], end);
  });
  return { exchanged: syncedAfter(ready, timing), bucketEnd };
}

/** When each device has exchanged what no bucket and no lane carries; it is `ready` with the others. */
export function syncedAfter(ready: Float64Array, { holders, sync }: Pick<Timing, 'holders' | 'sync'>): Float64Array {
  if (holders === undefined) return ready.map((value, device) => value + sync[device]);
  const all = new Float64Array(ready.length);
  ready.forEach((value, device) => {
    all[holders[device]] = Math.max(all[holders[device]], value);
  });
  return ready.map((value, device) => (sync[device] > 0 ? all[holders[device]] + sync[device] : value));
}

/**
 * When each device is done with its buckets, and when each bucket is, seconds. A bucket is ready when the last backward on each of its devices has passed
 * it. Buckets are exchanged in the order in which they are ready, and a device has one exchange at a time. O(operations after the
 * last backwards + buckets · log buckets).
 */
function bucketEnds(
  timeline: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts'>,
  buckets: readonly GradientBucket[],
): { readonly free: Float64Array; readonly bucketEnd: Float64Array } {
  const free = new Float64Array(timeline.program.devices);
  const bucketEnd = new Float64Array(buckets.length);
  for (const { index, seconds, members, ready } of readyBuckets(timeline, buckets)) {
    const start = members.reduce((latest, { device }) => Math.max(latest, free[device]), ready);
    for (const { device } of members) free[device] = start + seconds;
    bucketEnd[index] = start + seconds;
  }
  return { free, bucketEnd };
}

/** In the order in which they are ready. */
function readyBuckets(
  timeline: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts'>,
  buckets: readonly GradientBucket[],
): readonly (GradientBucket & { readonly index: number; readonly ready: number })[] {
  const readyAt = gradientsReady(timeline);
  return buckets
    .map((bucket, index) => ({
      ...{ ...bucket, index },
      ready: bucket.members.reduce((latest, member) => Math.max(latest, readyAt(member)), 0),
    }))
    .sort((a, b) => a.ready - b.ready);
}

/** When a device has made gradients, seconds: the last backward that adds to them has passed their layer. */
export function gradientsReady(
  timeline: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts'>,
): (maker: TensorMaker) => number {
  const { program } = timeline;
  const lasts = new Map<string, number>();
  const lastOf = (device: number, stage: number): number => {
    const key = `${device} ${stage}`;
    const known = lasts.get(key) ?? lastBackward(program, device, stage);
    lasts.set(key, known);
    return known;
  };
  return ({ device, stage, whole, weight }) => {
    const at = lastOf(device, stage);
    if (at < 0) return 0;
    const end = endAt(timeline, at);
    const kind = kindOf(program, program.order[at]);
    return end - (kind === W ? weight : whole) * (end - startAt(timeline, at));
  };
}

/**
 * Seconds of its buckets that a device has still to exchange after its last operation, in any order of these operations, split or
 * not. The last operation is the last backward of one of its stages, whose buckets cannot be done earlier. 0 if a stage has none.
 */
export function leastExposed(
  { placement, stages, copies }: Program,
  { buckets, duration, single }: Pick<Timing, 'buckets' | 'duration' | 'single'>,
  device: number,
): number {
  if (buckets === undefined) return 0;
  const longest = single?.most ?? duration;
  let least = Infinity;
  for (const stage of stagesOn(placement, device)) {
    if (copies !== undefined && copies.segment[stage] > 0) continue;
    for (const kind of [B, W]) {
      const after = buckets.flatMap(({ seconds, members }) => {
        const member = members.find((bucketMember) => bucketMember.stage === stage);
        if (member === undefined) return [];
        const share = kind === W ? member.weight : member.whole;
        return [{ seconds, ready: -share * longest[kind * stages + stage] }];
      });
      least = Math.min(least, exchangeTail(after));
    }
  }
  return least === Infinity ? 0 : least;
}

/** Position of the last operation on the device that adds to the gradients of the stage's layers, its other parts included; −1 for none. */
export function lastBackward(program: Program, device: number, stage: number): number {
  const { offsets, order, stages, copies } = program;
  for (let at = offsets[device + 1] - 1; at >= offsets[device]; at -= 1) {
    const row = rowOf(program, order[at]);
    const kind = kindOfRow(stages, row);
    if (kind !== B && kind !== W) continue;
    if (row % stages === stage || (copies !== undefined && copies.stage[row % stages] === copies.stage[stage]))
      return at;
  }
  return -1;
}

const cutStage = (plan: PipelinePlan, stage: number): number => plan.stages[stage].copy?.stage ?? stage;
