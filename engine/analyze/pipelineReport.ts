import type { PipelinePlan, StagePlan } from '../plan/plan.ts';
import { operationName } from '../schedule/program.ts';
import type { MemoryPeak } from '../simulate/memory.ts';
import { type Timeline, endAt } from '../simulate/timeline.ts';
import { leastMakespan } from './bound.ts';
import { bubbleCauses } from './causes.ts';
import { exposedByRoute } from './exposed.ts';
import type { BubbleReport, DeviceReport, LinkReport, PipelineReport } from './report.ts';

/** Operations named in `critical_path`; a longer path is named up to here and its length is in `critical_path_length`. */
const namedOperations = 10_000;

/** The report of one pipeline: the contract of `simulate --format json`. */
export function pipelineReport(
  plan: PipelinePlan,
  timeline: Timeline,
  peaks: readonly MemoryPeak[],
  path: Int32Array,
): PipelineReport {
  const { program, makespan } = timeline;
  return {
    name: plan.name,
    schedule: plan.schedule.name,
    microbatches: plan.microbatches,
    operations: program.order.length,
    iteration: makespan,
    throughput: makespan > 0 ? (plan.microbatches * plan.microBatchSize * plan.data) / makespan : 0,
    bubble: bubble(plan, timeline, peaks),
    devices: plan.devices.map((_, device) => deviceReport(plan, timeline, peaks[device], device)),
    stages: plan.stages.map((stage) => ({
      name: stage.name,
      layers: stage.layers,
      parameters: stage.parameters,
      forward: stage.forward,
      backward_input: stage.recompute + stage.backwardInput,
      backward_weight: stage.backwardWeight,
      versions: 1,
      staleness: 0,
    })),
    links: links(plan, timeline),
    critical_path: Array.from(path.subarray(0, namedOperations), (at) => operationName(program, program.order[at])),
    critical_path_length: path.length,
  };
}

function bubble(plan: PipelinePlan, timeline: Timeline, peaks: readonly MemoryPeak[]): BubbleReport {
  const { makespan, busy, first, last, program, timing } = timeline;
  if (makespan === 0) return { makespan: 0, span: 0, bound: 0, causes: bubbleCauses(plan, timeline) };
  const total = busy.reduce((sum, one) => sum + one, 0);
  // Rounding may leave a share of −1e−16 where nothing is idle.
  const idle = (of: number) => Math.max(0, 1 - total / (plan.devices.length * of));
  const spans = last.map((end, device) => end - first[device]);
  const longest = spans.reduce((best, span, device) => (span > spans[best] ? device : best), 0);
  const fits = peaks.every((peak, device) => peak.bytes <= plan.devices[device].memory - plan.devices[device].reserved);
  const least = leastMakespan(plan, program, timing, { split: true, memory: fits });
  return {
    makespan: idle(makespan),
    span: spans[longest] > 0 ? Math.max(0, (spans[longest] - busy[longest]) / spans[longest]) : 0,
    bound: Math.min(idle(makespan), idle(least)),
    causes: bubbleCauses(plan, timeline),
  };
}

function deviceReport(plan: PipelinePlan, timeline: Timeline, peak: MemoryPeak, device: number): DeviceReport {
  const { program } = timeline;
  const { name, kind, memory, reserved } = plan.devices[device];
  const stages = plan.stages.filter((_, stage) => plan.placement[stage] === device);
  const sum = (bytes: (stage: StagePlan) => number) => stages.reduce((all, stage) => all + bytes(stage), 0);
  const runs = peak.position >= 0;
  return {
    name,
    kind,
    stages: stages.map((stage) => stage.name),
    busy: timeline.busy[device],
    idle: timeline.makespan - timeline.busy[device],
    span: timeline.last[device] - timeline.first[device],
    peak: peak.bytes,
    capacity: memory - reserved,
    in_flight: peak.inFlight,
    peak_at: runs ? endAt(timeline, peak.position) : 0,
    peak_operation: runs ? operationName(program, program.order[peak.position]) : '',
    memory: {
      weights: sum((stage) => stage.weights),
      gradients: sum((stage) => stage.gradients),
      optimizer: sum((stage) => stage.optimizer),
      activations: peak.activations,
      versions: 0,
      buffers: sum((stage) => stage.buffers),
      workspace: peak.workspace,
      reserved,
    },
  };
}

function links(plan: PipelinePlan, timeline: Timeline): LinkReport[] {
  const exposed = exposedByRoute(timeline, plan.routes.length);
  return plan.routes.map((route, index) => {
    // Forward results go along an edge, gradients against it.
    const bytes = plan.edges.reduce((sum, edge) => {
      const from = plan.placement[edge.from];
      const to = plan.placement[edge.to];
      const ways = Number(from === route.from && to === route.to) + Number(to === route.from && from === route.to);
      return sum + ways * edge.bytes;
    }, 0);
    return {
      from: plan.devices[route.from].name,
      to: plan.devices[route.to].name,
      bytes: bytes * plan.microbatches,
      busy: (bytes * plan.microbatches) / route.bandwidth,
      exposed: exposed[index],
    };
  });
}
