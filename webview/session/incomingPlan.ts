import type {
  BucketPlan,
  DevicePlan,
  EdgePlan,
  EnginesPlan,
  ExpectPlan,
  FillTask,
  HopPlan,
  HostBucketPlan,
  HostLinkPlan,
  HostPlan,
  HostStepPlan,
  OuterStepPlan,
  OffloadedPlan,
  JobPlan,
  ParamPlan,
  PipelinePlan,
  Plan,
  RoutePlan,
  StageExchange,
  StagePlan,
  StepPlan,
  TrafficPlan,
} from '../../engine/values/plan.ts';
import type { RunKind } from '../../engine/values/accuracy.ts';
import type { MeasuredRun } from '../../engine/values/measured.ts';
import { isFields, isFigure } from '../protocol/state.ts';
import { all, figure, type Guard, isCount, isSwitch, isText, maybe, record, switched } from './guards.ts';
import { isExchangeOf, isLeft } from './incomingExchange.ts';

/** Plans are checked before use: a figure that is missing would become a wrong one. */

const isStage = record<StagePlan>({
  ...{ name: isText, layers: all(isText), splitKnown: isSwitch, recomputeMode: isText },
  ...{ parameters: figure, forwardFlops: figure, spareFlops: maybe(figure), trainable: maybe(figure) },
  ...{ backwardFlops: maybe(figure), forward: figure, backwardInput: figure, backwardWeight: figure },
  ...{ recompute: figure, weights: figure, gradients: figure, optimizer: figure, gradientCopies: maybe(figure) },
  ...{ activation: figure, activationForWeight: figure, recomputed: figure, recomputedWhole: maybe(figure) },
  ...{ workspace: figure, buffers: figure },
  offloaded: maybe(
    record<OffloadedPlan>({
      ...{ layers: figure, bytes: figure, forWeight: figure, busy: figure, exposed: figure, split: figure },
    }),
  ),
  traffic: maybe(
    (value) =>
      isFields(value) &&
      Object.values(value).every(
        record<TrafficPlan>({ bytes: figure, forward: maybe(figure), time: figure, exposed: figure }),
      ),
  ),
});

const isLink = record<HostLinkPlan>({ bandwidth: figure, latency: figure, half: switched });
const isDevice = record<DevicePlan>({
  ...{ name: isText, kind: isText, memory: figure, reserved: figure, members: maybe(isCount), compute: maybe(figure) },
  workspaces: maybe(figure),
  host: maybe(isLink),
  on: maybe(all((value) => isFields(value) && isCount(value.host) && isCount(value.devices))),
});
const isHost = record<HostPlan>({ name: isText, memory: figure });
const isBucket = record<HostBucketPlan>({
  ...{ left: isLeft, out: figure, step: figure, back: figure, exchanged: switched },
});
const isExchanged = record<BucketPlan>({ seconds: figure, left: isLeft, joins: switched });
const isHostStep = record<HostStepPlan>({
  stages: all((value) => isFields(value) && isCount(value.stage) && all(isBucket)(value.buckets)),
  ...{ clip: switched, gather: maybe(figure), sent: figure, returned: figure, kept: figure },
});
const isOuterStep = record<OuterStepPlan>({
  ...{ seconds: figure, update: figure, every: isCount, delay: isCount },
});
const isTask = record<FillTask>({ layer: isText, seconds: figure, bytes: figure });
const isExpect = record<ExpectPlan>({
  ...{ figure: isText, stage: maybe(isCount), device: maybe(isCount), operator: isText, bound: figure },
  ...{ dimension: isText, text: isText, path: isText },
});

/** Tables have a place for each channel up to the largest number. */
const mostChannels = 2 ** 24;
const isChannel: Guard = (value) => isCount(value) && value < mostChannels;
const isHop = record<HopPlan>({ channel: isChannel, bandwidth: figure, latency: figure });

const isFill: Guard = (value) =>
  isFields(value) &&
  isText(value.model) &&
  isText(value.work) &&
  isFigure(value.overhead) &&
  isFields(value.tasks) &&
  Object.values(value.tasks).every(all(isTask));

/** Lists of a row are packed into texts. */
const isRow: Guard = (value) =>
  isFields(value) &&
  [value.kinds, value.stages, value.microbatches, value.items].every(isText) &&
  [value.fused, value.slots].every(maybe(isText));

const isSchedule: Guard = (value) => {
  if (!isFields(value) || !isText(value.name)) return false;
  if (value.kind === 'policy') return isFields(value.args);
  if (value.kind === 'rows') return all(isRow)(value.rows);
  return value.kind === 'greedy' && isSwitch(value.split) && all(isText)(value.prefer) && Array.isArray(value.inFlight);
};

const isParam = record<ParamPlan>({
  ...{ name: isText, value: figure, default: figure, scale: figure, unit: isText, dimension: isText, local: isSwitch },
  ...{ min: maybe(figure), max: maybe(figure), step: maybe(figure), doc: maybe(isText), words: maybe(all(isText)) },
  argument: maybe(
    (value) => isFields(value) && isText(value.pipeline) && isText(value.schedule) && isText(value.parameter),
  ),
});

const isJob = record<JobPlan>({
  ...{ name: isText, doc: maybe(isText), workers: all(isText), servers: isCount, waves: isCount },
  sync: (value) => isFields(value) && (value.kind === 'free' || (value.kind === 'wsp' && isCount(value.distance))),
});

export const isPlan = (value: unknown): value is Plan =>
  isFields(value) &&
  isText(value.file) &&
  all(isParam)(value.params) &&
  all(isPipeline)(value.pipelines) &&
  all(isJob)(value.jobs);

export function isPipeline(value: unknown): value is PipelinePlan {
  if (!isFields(value) || !isWhole(value)) return false;
  const { devices, stages } = value;
  if (!Array.isArray(devices) || !Array.isArray(stages)) return false;
  const stage: Guard = (item) => isCount(item) && item < stages.length;
  const device: Guard = (item) => isCount(item) && item < devices.length;
  const isEdge = record<EdgePlan>({
    ...{ from: stage, to: stage, bytes: figure, back: maybe(figure), forwardOnly: switched },
  });
  const isRoute = record<RoutePlan>({
    ...{ from: device, to: device, bandwidth: figure, latency: figure, channel: isChannel, hops: maybe(all(isHop)) },
  });
  const isExchange = record<StageExchange>({ stage, buckets: all(isExchanged) });
  const isStep = record<StepPlan>({
    ...{
      sync: figure,
      optimizer: figure,
      bytes: maybe(figure),
      overlap: maybe(all(isExchange)),
      host: maybe(isHostStep),
      outer: maybe(isOuterStep),
    },
  });
  const { placement, edges, routes, step, exchange } = value;
  return (
    all(device)(placement) &&
    Array.isArray(placement) &&
    placement.length === stages.length &&
    all(isEdge)(edges) &&
    all(isRoute)(routes) &&
    maybe(isExchangeOf(device, stage))(exchange) &&
    all(isStep)(step) &&
    Array.isArray(step) &&
    step.length === devices.length
  );
}

const isShape = record<NonNullable<MeasuredRun['shape']>>({
  ...{ ranks: all(isCount), stages: isCount, microbatches: isCount, placement: all(isCount), kinds: all(isCount) },
});
const isMeasured: Guard = (value) =>
  isFields(value) &&
  all(record<MeasuredRun>({ ranks: all(isCount), shape: maybe(isShape), steps: isCount, iteration: figure }))(
    value.runs,
  );

/** No limit of a file allows more, and a list has no room for them. */
const isMany: Guard = (value) => isCount(value) && value <= 2 ** 26;

/** What needs no other part of the plan. */
const isWhole = record<PipelinePlan>({
  ...{
    name: isText,
    doc: maybe(isText),
    model: isText,
    unitTimes: switched,
    fullRate: maybe(isText),
    runKind: maybe(
      record<RunKind>({ device: maybe(isText), format: isText, experts: isSwitch, nodes: isText, part: switched }),
    ),
    microbatches: isMany,
    iterations: isMany,
  },
  ...{ tensor: isCount, context: isCount, data: isCount, expert: isCount, microBatchSize: figure },
  ...{ schedule: isSchedule, devices: all(isDevice), hosts: maybe(all(isHost)), stages: all(isStage) },
  ...{ jitter: maybe(all(figure)), slow: maybe(all(figure)), fill: maybe(isFill), expects: all(isExpect) },
  measured: maybe(isMeasured),
  messageOverhead: maybe(figure),
  servers: maybe(isCount),
  engines: maybe(record<EnginesPlan>({ chosen: maybe(isText), able: all(isText) })),
});
