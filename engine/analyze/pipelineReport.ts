import { kindOfMicrobatch } from '../basics/lengths.ts';
import type { LengthsPlan, PipelinePlan, StagePlan } from '../values/plan.ts';
import { fillReport } from '../fill/fillReport.ts';
import { findPolicy } from '../policies/registry.ts';
import { type Program, operationName, runsMicrobatch, sharedMicrobatches } from '../values/program.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import { toEnd } from '../basics/steps.ts';
import { type MemoryPeak, updateStart } from '../simulate/memory.ts';
import { type Timeline, endAt, iterationSeconds } from '../values/timeline.ts';
import { steadyBubble, versionFigures } from './asynchronous.ts';
import { memoryOfBound } from './boundWithin.ts';
import { bubbleCauses, bubbleCausesSteps } from './causes.ts';
import { bytesOfOperations } from '../simulate/heldByOperations.ts';
import { evictedBytes } from './evicted.ts';
import { exchangeReport } from './exchangeReport.ts';
import { exposedByRoute } from './exposed.ts';
import { hostMemoryReports } from './hostMemoryReport.ts';
import { hostReport } from './hostReport.ts';
import { passesOn } from './inFlight.ts';
import { hasWholeBackwards, searchesWholeBackwards } from './findOrder.ts';
import { fitsDevices, leastIteration, leastIterationSteps, memoryEffort } from './leastIteration.ts';
import { jitterReport } from './jitterReport.ts';
import { lengthsReport } from './lengthsReport.ts';
import { memoryItems } from './memoryItems.ts';
import type {
  BoundWithin,
  BubbleCauses,
  BubbleReport,
  DeviceReport,
  LinkReport,
  PipelineReport,
  StageReport,
} from '../values/report.ts';
import { measuredReport } from './measuredReport.ts';
import { modelFlops } from './modelFlops.ts';
import { type Prediction, predictionsOf } from './prediction.ts';
import { searchReport } from './searchReport.ts';
import { idleShare } from './shares.ts';
import { accuracyOf } from './spread.ts';
import { type Steady, steadyOf } from './steady.ts';
import { tokensReport } from './tokensReport.ts';
import { stageTraffic, syncTraffic } from './traffic.ts';

/** What the rounding of times may change. */
const rounding = 1e-9;

/** Operations named in `critical_path`; a longer path is named up to here and its length is in `critical_path_length`. */
const namedOperations = 10_000;

/** Devices between two pauses. */
const slice = 4;

type Reported = [
  plan: PipelinePlan,
  timeline: Timeline,
  peaks: readonly MemoryPeak[],
  path: Int32Array,
  /** Seconds of the iteration under random times, by draw. */
  draws?: Float64Array,
];

/** The report of one pipeline: the contract of `simulate --format json`. */
export const pipelineReport = (...reported: Reported): PipelineReport => toEnd(pipelineReportSteps(...reported));

/** The same in steps. */
export function* pipelineReportSteps(
  ...[plan, timeline, peaks, path, draws]: Reported
): Generator<undefined, PipelineReport, void> {
  const { program, makespan } = timeline;
  const steady = steadyOf(timeline);
  const iteration = steady?.period ?? iterationSeconds(timeline);
  const fill = fillReport(plan, timeline);
  const predictions = predictionsOf(timeline);
  const flops = modelFlops(plan, program, iteration);
  const tokens = tokensReport(plan, iteration);
  const lengths = lengthsReport(plan);
  const fits = fitsDevices(plan, peaks);
  const exchange = exchangeReport(plan, timeline, () => leastIteration(plan, timeline, fits));
  yield;
  const devices: DeviceReport[] = [];
  for (let device = 0; device < plan.devices.length; device += 1) {
    devices.push(deviceReport(plan, timeline, peaks[device], device, steady));
    if (device % slice === slice - 1) yield;
  }
  yield;
  const searched =
    steady === undefined ? searchReport(plan, timeline, () => leastIteration(plan, timeline, fits)) : undefined;
  const accuracy = accuracyOf(plan.runKind, devices);
  const hosts = hostMemoryReports(plan, devices);
  const measured = measuredReport(plan, program, iteration);
  const sent = links(plan, timeline, steady);
  yield;
  return {
    name: plan.name,
    schedule: plan.schedule.name,
    ...(plan.cut === undefined ? {} : { plan: plan.cut }),
    ...(plan.place === undefined ? {} : { place: plan.place }),
    ...(plan.unitTimes === undefined ? {} : { unit_times: plan.unitTimes }),
    microbatches: plan.microbatches,
    operations: program.order.length,
    iteration,
    throughput: iteration > 0 ? (plan.microbatches * plan.microBatchSize * plan.data) / iteration : 0,
    ...(tokens === undefined ? {} : { tokens }),
    ...(lengths === undefined ? {} : { lengths }),
    ...(flops === undefined ? {} : { model_flops: flops }),
    ...(accuracy === undefined ? {} : { accuracy }),
    bubble:
      steady === undefined ? bubble(plan, timeline, peaks, searched?.bound) : steadyBubble(plan, timeline, steady),
    ...(searched === undefined ? {} : { search: searched }),
    devices,
    ...(hosts === undefined ? {} : { hosts }),
    stages: plan.stages.map((stage, index) => stageReport(plan, program, stage, index, predictions?.[index])),
    links: sent,
    ...(fill === undefined ? {} : { fill }),
    ...(exchange === undefined ? {} : { exchange }),
    ...(plan.servers === undefined ? {} : { servers: plan.servers }),
    ...(draws === undefined ? {} : { jitter: jitterReport(draws) }),
    ...(measured === undefined ? {} : { measured }),
    critical_path: Array.from(path.subarray(0, namedOperations), (at) => operationName(program, program.order[at])),
    critical_path_length: path.length,
    ...(steady === undefined || program.weights === undefined
      ? {}
      : {
          asynchronous: { weights: program.weights, iterations: plan.iterations, steady: steady.steady, makespan },
        }),
  };
}

function stageReport(
  plan: PipelinePlan,
  program: Program,
  stage: StagePlan,
  index: number,
  prediction: Prediction | undefined,
): StageReport {
  const apart = program.apart?.[index] === 1;
  const versions = versionFigures(program, index);
  const traffic = stageTraffic(plan, program, index);
  return {
    name: stage.name,
    layers: stage.layers,
    parameters: stage.parameters,
    ...(stage.trainable === undefined ? {} : { trainable: stage.trainable }),
    forward: stage.forward,
    backward_input: (apart ? 0 : stage.recompute) + stage.backwardInput,
    ...(apart ? { recompute: stage.recompute } : {}),
    backward_weight: stage.backwardWeight,
    ...(traffic === undefined ? {} : { traffic }),
    ...versions,
    ...(prediction === undefined ? {} : { prediction }),
    ...ownFigures(plan, versions),
  };
}

/** What the policy itself says of a stage. */
function ownFigures(
  { schedule }: PipelinePlan,
  { delay = 0, staleness }: Pick<StageReport, 'delay' | 'staleness'>,
): Pick<StageReport, 'figures'> {
  if (schedule.kind !== 'policy') return {};
  const figures = findPolicy(schedule.name)?.stageFigures?.(schedule.args, { delay, staleness });
  return figures === undefined ? {} : { figures };
}

/** `proven`: seconds that no order within the limit of a search is under. */
function bubble(
  plan: PipelinePlan,
  timeline: Timeline,
  peaks: readonly MemoryPeak[],
  proven: number | undefined,
): BubbleReport {
  const { busy, first, last } = timeline;
  const iteration = iterationSeconds(timeline);
  if (iteration === 0) return { makespan: 0, span: 0, bound: 0, causes: bubbleCauses(plan, timeline) };
  const total = busy.reduce((sum, value) => sum + value, 0);
  const idle = (seconds: number) => idleShare(total, plan.devices.length, seconds);
  const spans = last.map((end, device) => end - first[device]);
  const longest = spans.reduce((best, span, device) => (span > spans[best] ? device : best), 0);
  const fits = fitsDevices(plan, peaks);
  let known: number | undefined;
  const memory = memoryOfBound(plan, peaks, fits);
  const effort = memory === undefined ? undefined : memoryEffort;
  const most = (bound: number): number => Math.min(iteration, Math.max(proven ?? 0, bound));
  const least = (): number => (known ??= most(leastIteration(plan, timeline, fits, effort)));
  let withoutMemory: number | undefined;
  const free = (): number => (withoutMemory ??= leastIteration(plan, timeline, false, effort));
  const within = (): BoundWithin | undefined =>
    memory !== undefined && least() > free() * (1 + rounding) ? memory : undefined;
  let found: BubbleCauses | undefined;
  function* causesOf(): Generator<unknown, BubbleCauses, void> {
    const causes = yield* bubbleCausesSteps(plan, timeline);
    return proven !== undefined && within() !== undefined
      ? withinMemory(causes, 1 - proven / iteration, (least() - free()) / iteration)
      : causes;
  }
  const report: BubbleReport = {
    makespan: idle(iteration),
    span: spans[longest] > 0 ? Math.max(0, (spans[longest] - busy[longest]) / spans[longest]) : 0,
    // Found when they are read: trials of other schedules ask for neither, and they take longer than all the rest.
    get bound() {
      return Math.min(idle(iteration), idle(least()));
    },
    get bound_within() {
      return within();
    },
    get bound_backward() {
      if (!hasWholeBackwards(timeline.program)) return undefined;
      return searchesWholeBackwards(plan) ? 'whole' : 'split';
    },
    get causes() {
      return (found ??= toEnd(causesOf()));
    },
  };
  ahead.set(report, function* () {
    known ??= most(yield* leastIterationSteps(plan, timeline, fits, effort));
    if (memory !== undefined) withoutMemory ??= yield* leastIterationSteps(plan, timeline, false, effort);
    found ??= yield* causesOf();
  });
  return report;
}

/** Finds bounds and causes of bubbles in steps, before they are read. */
const ahead = new WeakMap<BubbleReport, () => Generator<unknown, void, void>>();

export function* bubbleSteps(bubble: BubbleReport): Generator<unknown, void, void> {
  yield* ahead.get(bubble)?.() ?? [];
}

/**
 * Causes where no order within the memory can save more than a share, `most`. Up to `memory`, what is above it is the memory's: other
 * orders could save it with more. No order at all avoids the rest.
 */
function withinMemory(causes: BubbleCauses, most: number, memory: number): BubbleCauses {
  const above = Math.max(0, causes.order - most);
  const byMemory = Math.min(above, memory);
  return {
    ...causes,
    fill_drain: causes.fill_drain + above - byMemory,
    memory: causes.memory + byMemory,
    order: causes.order - above,
  };
}

/** For a steady state: the device's share of one iteration. Iterations follow each other without a gap. */
function deviceReport(
  plan: PipelinePlan,
  timeline: Timeline,
  peak: MemoryPeak,
  device: number,
  steady: Steady | undefined,
): DeviceReport {
  const { program } = timeline;
  const { name, kind, memory, reserved, reservedParts, workspaces } = plan.devices[device];
  const stages = stagesOn(plan.placement, device).map((stage) => plan.stages[stage]);
  const sum = (bytes: (stage: StagePlan) => number) => stages.reduce((all, stage) => all + bytes(stage), 0);
  const runs = peak.position >= 0;
  const passes = passesOn(plan, program, device);
  const host = hostReport(plan, timeline, device, steady);
  const busy = (steady ?? timeline).busy[device];
  return {
    name,
    kind,
    stages: stages.map((stage) => stage.name),
    busy,
    // Rounding may leave −1e−16 where nothing is idle.
    idle: Math.max(0, (steady?.period ?? iterationSeconds(timeline)) - busy),
    span: steady?.period ?? timeline.last[device] - timeline.first[device],
    sync: syncTraffic(plan, timeline, device),
    peak: peak.bytes,
    capacity: memory - reserved,
    in_flight: peak.inFlight,
    ...(passes === 1 ? {} : { in_flight_microbatches: peak.inFlight / passes }),
    peak_at: peak.when === 'update' ? updateStart(timeline, device) : runs ? endAt(timeline, peak.position) : 0,
    peak_operation:
      peak.when === 'update' ? 'update' : runs ? operationName(program, program.order[peak.position]) : '',
    memory: {
      weights: sum((stage) => stage.weights),
      gradients: sum((stage) => stage.gradients),
      optimizer: sum((stage) => stage.optimizer),
      activations: peak.activations,
      versions: peak.versions,
      buffers: sum((stage) => stage.buffers),
      workspace: peak.workspace,
      ...(peak.operations === undefined
        ? {}
        : { operations: peak.operations.reduce((total, { bytes }) => total + bytes, 0) }),
      ...(peak.gradientCopies === undefined ? {} : { gradient_copies: peak.gradientCopies }),
      reserved,
    },
    memory_items: memoryItems(plan, program, peak, device),
    ...(host === undefined ? {} : { host }),
    ...(reservedParts === undefined ? {} : { reserved_parts: reservedParts }),
    ...(workspaces === undefined ? {} : { workspaces }),
  };
}

function links(plan: PipelinePlan, timeline: Timeline, steady: Steady | undefined): LinkReport[] {
  const exposed = exposedByRoute(timeline, plan.routes.length, steady?.window);
  const results = resultBytes(plan, timeline.program);
  const evicted = evictedBytes(plan, timeline.program);
  const sent = bytesOfOperations(timeline.program);
  return plan.routes.map((route, index) => {
    const bytes =
      results(route.from, route.to) + (evicted(route.from, route.to) + sent(route.from, route.to)) / plan.iterations;
    return {
      from: plan.devices[route.from].name,
      to: plan.devices[route.to].name,
      bytes,
      busy: bytes / route.bandwidth,
      exposed: exposed[index] / (steady?.window.minibatches ?? 1),
    };
  });
}

/** Bytes of one iteration from a device to another: forward results go along an edge, gradients against it. */
function resultBytes(plan: PipelinePlan, program: Program): (from: number, to: number) => number {
  const devices = plan.devices.length;
  const bytes = new Map<number, number>();
  const add = (from: number, to: number, sent: number) =>
    bytes.set(from * devices + to, (bytes.get(from * devices + to) ?? 0) + sent);
  for (const [index, { from, to, bytes: there, back = there, forwardOnly }] of plan.edges.entries()) {
    const [sender, receiver] = [plan.placement[from], plan.placement[to]];
    const sum = plan.lengths === undefined ? undefined : sumOfLengths(plan.lengths, program, index, from, to);
    const carried = sharedMicrobatches(program, from, to);
    add(sender, receiver, (sum?.there ?? there * carried) / plan.iterations);
    add(receiver, sender, forwardOnly === true ? 0 : (sum?.back ?? back * carried) / plan.iterations);
  }
  return (from, to) => bytes.get(from * devices + to) ?? 0;
}

/** Bytes of the messages of an edge, where microbatches have different lengths. */
function sumOfLengths(lengths: LengthsPlan, program: Program, edge: number, from: number, to: number) {
  const sum = { there: 0, back: 0 };
  for (let microbatch = 0; microbatch < program.microbatches; microbatch += 1) {
    if (!runsMicrobatch(program, from, microbatch) || !runsMicrobatch(program, to, microbatch)) continue;
    const { bytes, back = bytes } = lengths.kinds[kindOfMicrobatch(lengths, microbatch)].edges[edge];
    sum.there += bytes;
    sum.back += back;
  }
  return sum;
}
